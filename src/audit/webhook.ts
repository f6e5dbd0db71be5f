import { hash } from 'node:crypto'
import type { LastOutcomes } from '../core/last-outcomes.ts'
import type { Log } from '../core/log.ts'
import { codeFrom, statusCode } from '../core/third-parties.ts'
import { PollingWorker } from '../core/worker.ts'
import { send } from '../outbound/operator-fetch.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import type { TrailEntry } from '../storage/trail.ts'
import { readEntry } from './entry.ts'
import { PARTS, partOf, shownId, type TrailPartName } from './parts.ts'
import { cursorAfter, isAfter, readCursor, type WebhookCursor, writeCursor } from './webhook-cursor.ts'
import { webhookHeaders } from './webhook-signature.ts'

/** What it takes to send entries. */
export interface WebhookContext {
  readonly storage: Pick<Storage, 'trail' | 'records' | 'queue'>
  readonly url: string
  readonly secret: string
  readonly log: Log
  readonly outcomes: Pick<LastOutcomes, 'failed' | 'recovered'>
  /** Messages, by what came of them. */
  readonly audit_posts: { delivered: number; failed: number }
  /** Entries that were deleted before they were sent. */
  readonly audit_lost: { webhook: number }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** In seconds: between looks for entries, and between attempts after the first failure and at most. */
export interface WebhookTiming {
  readonly poll: number
  readonly first_delay: number
  readonly max_delay: number
}

const TIMING: WebhookTiming = { poll: 5, first_delay: 5, max_delay: 3600 }
/** One item: whoever claims it sends, so that one server does at a time. */
const QUEUE = 'audit-webhook'
const TURN = 'turn'
/** Seconds. */
const LEASE = 60
const PER_MESSAGE = 100

interface Sent extends TrailEntry {
  readonly part: TrailPartName
}

/**
 * Sends the entries of the audit trail to an address of the operator, each part in its order, each entry at least once.
 * What is not taken stays where it is: in the trail, which is bounded.
 */
export class AuditWebhook extends PollingWorker {
  readonly #context: WebhookContext
  readonly #timing: WebhookTiming
  #has_failed = false
  #has_lost = false

  constructor(context: WebhookContext, timing = TIMING) {
    super(
      () => this.#work(),
      () => timing.poll * 1000,
    )
    this.#context = context
    this.#timing = timing
  }

  /** Counts the entries of a part with these ids, which were deleted, that were not sent. @throws StorageUnavailable */
  async trimmed(part: TrailPartName, ids: readonly string[]): Promise<void> {
    const { storage, audit_lost, log } = this.#context
    const { after } = (await readCursor(storage)).places[part]
    const lost = ids.filter((id) => isAfter(id, after)).length
    audit_lost.webhook += lost
    if (lost === 0 || this.#has_lost) return
    this.#has_lost = true
    log.warn({}, 'Entries of the audit trail were deleted before AUDIT_WEBHOOK_URL took them.')
  }

  async #work(): Promise<void> {
    const { storage, log } = this.#context
    try {
      const [turn] = await storage.queue.claim(QUEUE, 1, LEASE)
      if (turn === undefined) {
        // Another server has it, or it is the first time.
        if ((await storage.queue.size(QUEUE)) === 0) await storage.queue.add(QUEUE, [TURN])
        return
      }
      await this.#leave(await this.#sendAll())
    } catch (error) {
      // Storage logs why it is unavailable.
      if (!(error instanceof StorageUnavailable))
        log.error({ err: error }, 'A bug prevented work on the webhook of the audit trail.')
    }
  }

  /** @param delay seconds until anybody may have the turn */
  async #leave(delay: number): Promise<void> {
    await this.#context.storage.queue.retryLater(QUEUE, { item: TURN, replacement: TURN, delay })
  }

  /** Sends what there is. Returns the seconds until the next look. */
  async #sendAll(): Promise<number> {
    const { storage } = this.#context
    const { poll, first_delay, max_delay } = this.#timing
    let cursor = await readCursor(storage)
    while (!this.closed) {
      const entries = await this.#next(cursor)
      if (entries.length === 0) return poll
      const last = Object.fromEntries(entries.map(({ part, id }) => [part, id]))
      const is_taken = await this.#post(entries)
      cursor = cursorAfter(cursor, last, is_taken)
      await writeCursor(storage, cursor)
      if (!is_taken) return Math.min(first_delay * 2 ** Math.min(cursor.attempts - 1, 20), max_delay)
      await this.#leave(LEASE)
    }
    return 0
  }

  /** The entries of the next message, in order of time; one that was not taken has the same again. */
  async #next({ places, attempts }: WebhookCursor): Promise<Sent[]> {
    const { trail } = this.#context.storage
    const read = async (part: TrailPartName) => {
      const { after, upto } = places[part]
      const range = { ...(after !== '' && { after }), limit: PER_MESSAGE }
      const entries = await partOf(trail, part).read(range)
      const in_message =
        attempts === 0 ? entries : entries.filter(({ id }) => upto !== '' && !isAfter(id, upto))
      return in_message.map((entry) => ({ ...entry, part }))
    }
    const entries = (await Promise.all(PARTS.map(read))).flat()
    // All of it was deleted meanwhile.
    if (entries.length === 0 && attempts > 0) return this.#next({ places, attempts: 0 })
    const shown = ({ id, part }: Sent) => shownId(id, part)
    return entries.sort((one, other) => (shown(one) < shown(other) ? -1 : 1)).slice(0, PER_MESSAGE)
  }

  /** Sends a message; true: it was taken. */
  async #post(stored: readonly Sent[]): Promise<boolean> {
    const { url, secret, log, audit_posts, outcomes, now } = this.#context
    const entries = stored.flatMap(({ id, text, part }) => readEntry(id, text, part) ?? [])
    // Nothing of it is ours.
    if (entries.length === 0) return true
    const [first, last] = [entries[0]?.id, entries.at(-1)?.id]
    const timestamp = Math.floor(now() / 1000)
    const body = JSON.stringify({
      type: 'audit.entries',
      timestamp: new Date(timestamp * 1000).toISOString(),
      data: { entries },
    })
    // The same each time that the message is sent.
    const id = `msg_${hash('sha256', `${first} ${last}`, 'base64url').slice(0, 27)}`
    const failure = await answerTo(url, body, webhookHeaders(secret, { id, timestamp, body }))
    audit_posts[failure === undefined ? 'delivered' : 'failed'] += 1
    if (failure === undefined) outcomes.recovered(RECEIVER, now())
    else outcomes.failed({ ...RECEIVER, step: 'message', code: failure.code }, now())
    if (failure === undefined) {
      if (this.#has_failed) log.info({}, 'AUDIT_WEBHOOK_URL takes entries of the audit trail again.')
      this.#has_failed = false
      this.#has_lost = false
    } else if (!this.#has_failed) {
      this.#has_failed = true
      log.warn({}, `AUDIT_WEBHOOK_URL does not take entries of the audit trail: ${failure.problem}.`)
    }
    return failure === undefined
  }
}

const RECEIVER = { party: 'audit_webhook' } as const

/** Returns why a message was not taken, in words and as a code; undefined: it was. */
async function answerTo(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ readonly problem: string; readonly code: string } | undefined> {
  try {
    const response = await send(url, { method: 'POST', headers, body })
    // Nobody reads it, however long it is.
    await response.body?.cancel()
    const { ok, status } = response
    return ok ? undefined : { problem: `it answered ${status}`, code: statusCode(status) }
  } catch (error) {
    // The message has the address, whose query may be a secret.
    const { message, cause } = error as Error & {
      readonly cause?: Error & { readonly cause?: { code?: unknown } }
    }
    return { problem: message.replace(url, 'it'), code: codeFrom(cause?.cause?.code, cause?.name) }
  }
}
