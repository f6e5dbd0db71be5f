import type { ReportEvent } from '../core/events.ts'
import type { Transaction } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { PollingWorker } from '../core/worker.ts'
import type { Sealer } from '../keys/sealer.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import { ASK_QUEUES, type KeptAsk, type MailFormName, parseAsk } from './mail-requests.ts'

/** A request whose mail is made. */
export interface OpenedAsk extends Pick<KeptAsk, 'nth'>, Partial<Pick<KeptAsk, 'is_of_person'>> {
  readonly typed: string
  readonly language: string
  /** The request that waits in the browser of who asked, sealed. */
  readonly request?: Transaction
}

/** When mails are made of requests, in seconds. */
export interface MakerTiming {
  /** The time between two looks if nobody asked here: a server that is gone may have left some. */
  readonly poll: number
  /** How long a claimed request is hidden from other servers: longer than its mail takes. */
  readonly lease: number
  readonly concurrency: number
}

export const MAKER_TIMING: MakerTiming = { poll: 5, lease: 10, concurrency: 8 }

/** The dependencies of the maker. */
export interface MakerContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly log: Log
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Makes the mail of a request of a form. @throws StorageUnavailable */
  readonly make: Readonly<Partial<Record<MailFormName, (ask: OpenedAsk) => Promise<void>>>>
}

// Who waited longer has asked again.
const TTL = 3_600_000

/**
 * Makes mails of what people asked for, from the queues that all servers share. A request leaves its queue after its mail
 * was made: one whose server is gone is made by another one, and after a crash between the two a person gets a second
 * mail.
 */
export class MailMaker extends PollingWorker {
  readonly #context: MakerContext
  readonly #timing: MakerTiming

  constructor(context: MakerContext, timing = MAKER_TIMING) {
    super(
      () => this.#work(),
      () => timing.poll * 1000,
    )
    this.#context = context
    this.#timing = timing
  }

  async #work(): Promise<void> {
    for (const form of Object.keys(this.#context.make) as MailFormName[]) {
      try {
        while (!this.closed && (await this.#makeSome(form))) {}
      } catch (error) {
        this.#note(error)
      }
    }
  }

  /** Makes the mails of some requests. Returns whether there may be more. */
  async #makeSome(form: MailFormName): Promise<boolean> {
    const { queue } = this.#context.storage
    const { concurrency, lease } = this.#timing
    const { name } = ASK_QUEUES[form]
    const items = await queue.claim(name, concurrency, lease)
    await Promise.all(
      items.map(async (item) => {
        try {
          await this.#makeOne(form, item)
          await queue.finish(name, item)
        } catch (error) {
          this.#note(error)
        }
      }),
    )
    return items.length === concurrency
  }

  async #makeOne(form: MailFormName, item: string): Promise<void> {
    const { sealer, log, report, now, make } = this.#context
    const ask = parseAsk(item)
    if (ask === undefined) return log.warn({}, 'A malformed request of a mail was removed from the queue.')
    const { kind, nth, is_of_person, network } = ask
    if (ask.created_at + TTL <= now()) return report({ event: 'mail_dropped', reason: 'late', kind, network })
    const opened = sealer.open('mail-request', ask.sealed)
    if (opened === undefined) return report({ event: 'mail_dropped', reason: 'unreadable', kind, network })
    const [typed, language, request] = JSON.parse(opened) as [string, string, Transaction | null]
    await make[form]?.({ typed, language, nth, is_of_person, ...(request !== null && { request }) })
  }

  // A claimed request is due again when its lease ends. Storage logs why it is unavailable.
  #note(error: unknown): void {
    if (error instanceof StorageUnavailable) return
    this.#context.log.error({ err: error }, 'A bug prevented a mail. It will be retried.')
  }
}
