import type { ReportEvent } from '../core/events.ts'
import type { LastOutcomes } from '../core/last-outcomes.ts'
import type { Log } from '../core/log.ts'
import { inSpan } from '../core/spans.ts'
import { PollingWorker } from '../core/worker.ts'
import type { Sealer } from '../keys/sealer.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import type { MailContent } from './mail-kinds.ts'
import { claimMails, finishMail, type QueuedMail, replaceMail } from './mail-queue.ts'
import type { Delivery, OutgoingMail, SendMail } from './smtp.ts'

/** When mail is sent, in seconds. The delay between attempts doubles. */
export interface MailTiming {
  /** The time between two reads of the queue if no event announces a mail. */
  readonly poll: number
  /** How long a claimed mail is hidden from other replicas: longer than an attempt can take. */
  readonly lease: number
  /** How many mails are sent at the same time. */
  readonly concurrency: number
  readonly first_delay: number
  readonly longest_delay: number
  /** The longest pause before a server that took no mail at all is asked again. */
  readonly longest_absence: number
}

export const MAIL_TIMING: MailTiming = {
  poll: 5,
  lease: 45,
  concurrency: 4,
  first_delay: 10,
  longest_delay: 300,
  longest_absence: 30,
}

/** The dependencies of the courier. */
export interface MailCourierContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly outcomes: Pick<LastOutcomes, 'failed' | 'recovered'>
  readonly log: Log
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Makes a mail. */
  readonly render: (content: MailContent) => Omit<OutgoingMail, 'id' | 'to'>
}

const SERVER = { party: 'mail_server' } as const

// One that is lost without a note is sent once more, and no more.
const MAX_BEGUN = 2

/**
 * Hands mail over to the SMTP server, from the queue that all replicas share. Each attempt is noted before it begins, so a
 * mail arrives once or, after a crash, twice. A mail is dropped when its link ends.
 */
export class MailCourier extends PollingWorker {
  readonly #context: MailCourierContext
  readonly #send: SendMail
  readonly #timing: MailTiming
  readonly #sending = new Set<Promise<void>>()
  /** How often in a row the server took no mail at all, and when it is asked again, in milliseconds since 1970. */
  #absences = 0
  #resumes = 0

  constructor(context: MailCourierContext, send: SendMail, timing = MAIL_TIMING) {
    super(
      () => this.#claim(),
      () => timing.poll * 1000,
    )
    this.#context = context
    this.#send = send
    this.#timing = timing
  }

  /** Stops reading the queue. Resolves when the mails that are being sent have left or failed. */
  override async close(): Promise<void> {
    await super.close()
    await Promise.all(this.#sending)
  }

  async #claim(): Promise<void> {
    const { storage, log } = this.#context
    const { concurrency, lease } = this.#timing
    try {
      for (;;) {
        const free = this.#isAway() ? 0 : concurrency - this.#sending.size
        if (free <= 0 || this.closed) return
        const mails = await claimMails({ queue: storage.queue, log }, free, lease)
        for (const mail of mails) this.#begin(mail)
        if (mails.length < free) return
      }
    } catch (error) {
      this.#note(error)
    }
  }

  // If the rest is longer than any pause, the clock was set back since.
  #isAway(): boolean {
    const rest = this.#resumes - this.#context.now()
    return rest > 0 && rest <= this.#timing.longest_absence * 1000
  }

  #begin(mail: QueuedMail): void {
    const sending = this.#handOver(mail)
      .catch((error: unknown) => this.#note(error))
      .finally(() => {
        this.#sending.delete(sending)
        this.wake()
      })
    this.#sending.add(sending)
  }

  async #handOver(mail: QueuedMail): Promise<void> {
    const { storage, sealer, now, render } = this.#context
    if (mail.state === 'refused') return finishMail(storage, mail)
    if (mail.ends_at <= now()) return this.#drop(mail, 'late')
    if (mail.begun >= MAX_BEGUN) return this.#drop(mail, 'uncertain')
    const opened = sealer.open('mail', mail.sealed)
    if (opened === undefined) return this.#drop(mail, 'unreadable')
    const outgoing = { id: mail.id, to: mail.to, ...render(JSON.parse(opened) as MailContent) }
    const begun = { ...mail, begun: mail.begun + 1 }
    // An operator has it tried anew, so that it is somebody else's now.
    if (!(await replaceMail(storage, mail, begun, this.#timing.lease))) return
    const delivery = await inSpan('mail', { 'redmint.mail.kind': mail.kind }, () => this.#send(outgoing))
    await this.#conclude(begun, delivery)
  }

  async #conclude(mail: QueuedMail, { outcome, answer, code = 'unknown' }: Delivery): Promise<void> {
    const { storage, outcomes, report, now } = this.#context
    const { id, kind, attempts, ends_at } = mail
    this.#absences = outcome === 'away' ? this.#absences + 1 : 0
    // What is refused for good may be about an address that a stranger made up.
    if (outcome === 'sent' || outcome === 'refused') outcomes.recovered(SERVER, now())
    else outcomes.failed({ ...SERVER, step: 'message', code }, now())
    if (outcome === 'sent') {
      await finishMail(storage, mail)
      return report({ event: 'mail_sent', mail: id, kind })
    }
    const left = Math.max(0, (ends_at - now()) / 1000)
    if (outcome === 'refused') {
      const refused: QueuedMail = {
        ...mail,
        attempts: attempts + 1,
        begun: 0,
        state: 'refused',
        answer,
        sealed: '',
      }
      await replaceMail(storage, mail, refused, left)
      return report({ event: 'mail_dropped', reason: 'refused', mail: id, kind, answer })
    }
    if (outcome === 'away') {
      const pause = Math.min(this.#timing.longest_absence, this.#delayAfter(this.#absences))
      this.#resumes = now() + pause * 1000
    }
    // After silence it may have left: it keeps the mark.
    const begun = outcome === 'unknown' ? mail.begun : 0
    const delay = Math.min(left, this.#delayAfter(attempts + 1))
    await replaceMail(storage, mail, { ...mail, attempts: attempts + 1, begun, answer }, delay)
    this.#context.log.warn(
      { mail: id, kind, answer, delay },
      'A mail could not be handed over yet. It will be retried.',
    )
  }

  #delayAfter(failures: number): number {
    const { first_delay, longest_delay } = this.#timing
    return Math.min(longest_delay, first_delay * 2 ** Math.min(failures - 1, 30))
  }

  async #drop(mail: QueuedMail, reason: 'late' | 'uncertain' | 'unreadable'): Promise<void> {
    const { id, kind, answer } = mail
    await finishMail(this.#context.storage, mail)
    this.#context.report({ event: 'mail_dropped', reason, mail: id, kind, answer: answer || undefined })
  }

  // A claimed mail is due again when its lease ends. Storage logs why it is unavailable.
  #note(error: unknown): void {
    if (error instanceof StorageUnavailable) return
    this.#context.log.error({ err: error }, 'A bug prevented a mail. It will be retried.')
  }
}
