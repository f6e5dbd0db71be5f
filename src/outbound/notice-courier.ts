import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { DeliveryShares, type EndDelivery, type ShareTiming } from './delivery-shares.ts'

/** What a client is told, from a queue that all replicas share. */
export interface ClientNotice {
  readonly client_id: ClientId
  /** The number of failed attempts to send it. */
  readonly attempts: number
}

/** A claimed notice that is due again in `delay` seconds; `failed`: with one attempt more. */
export interface NoticeRetry<N extends ClientNotice> {
  readonly notice: N
  readonly delay: number
  readonly failed: boolean
}

/**
 * What came of an attempt: `done`: nothing is left to send; `not_yet`: it is not due, which is no failure; else the client
 * failed, with a status or a short reason, never an address or a token.
 */
export type Attempted = 'done' | 'not_yet' | { readonly status: number | string }

/** A kind of notices: its queue, how one is sent, and what the log calls it. */
export interface NoticeKind<N extends ClientNotice> {
  /** Claims up to `max` notices that are due; no other replica gets them for `lease` seconds. @throws StorageUnavailable */
  claim(max: number, lease: number): Promise<N[]>
  /** Removes claimed notices. @throws StorageUnavailable */
  finish(...notices: readonly N[]): Promise<void>
  /** Makes claimed notices due later. @throws StorageUnavailable */
  retry(...retries: readonly NoticeRetry<N>[]): Promise<void>
  attempt(notice: N): Promise<Attempted>
  /** Ends sentences such as “A client could not be notified …”. */
  readonly of: string
}

/** When and how often notices are sent; in seconds. The delay between attempts grows like the back-off of a client. */
export interface CourierTiming extends ShareTiming {
  /** The time between two reads of the queue if no event announces a notice. */
  readonly poll: number
  /** The same while notices wait for a client that has its full share of deliveries. */
  readonly busy_poll: number
  /** How long a claimed notice is hidden from other replicas: longer than an attempt can take. */
  readonly lease: number
  /** How many notices are claimed at a time: more than can be sent, to find those of other clients. */
  readonly batch: number
  /** How many notices are sent at the same time. */
  readonly concurrency: number
  /** After how many attempts a notice is dropped. */
  readonly attempts: number
}

/** What couriers share with the service. */
export interface NoticeCourierContext {
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Sends notices to clients, from the queue that all replicas share. A notice stays in the queue until its client accepts it
 * or it is dropped, so a client gets it once or, after a crash, twice. A client that fails delays no other.
 */
export class NoticeCourier<N extends ClientNotice> extends PollingWorker {
  readonly closes_early = true
  readonly #kind: NoticeKind<N>
  readonly #context: NoticeCourierContext
  readonly #timing: CourierTiming
  readonly #deliveries = new Set<Promise<void>>()
  /** How many of these are to clients that failed the last time. */
  #doubtful = 0
  readonly #shares: DeliveryShares
  /** When the queue was read last, and until when notices that wait for their client become due; since 1970, in ms. */
  #readAt = 0
  #busyUntil = Number.NEGATIVE_INFINITY

  constructor(kind: NoticeKind<N>, context: NoticeCourierContext, timing: CourierTiming) {
    super(
      () => this.#claim(),
      () => this.#untilNextRead(),
    )
    this.#kind = kind
    this.#context = context
    this.#timing = timing
    this.#shares = new DeliveryShares(timing, context.now)
  }

  /** Stops reading the queue. Resolves when the notices that are being sent have arrived or failed. */
  override async close(): Promise<void> {
    await super.close()
    await Promise.all(this.#deliveries)
  }

  #untilNextRead(): number {
    const { poll, busy_poll } = this.#timing
    // Once more after the last one is due: the clock of storage may be a little behind.
    const is_busy = this.#readAt < this.#busyUntil + busy_poll * 1000
    return (is_busy ? busy_poll : poll) * 1000
  }

  async #claim(): Promise<void> {
    const { batch, lease } = this.#timing
    try {
      // A delivery that ends reads the queue again.
      while (this.#hasPlace()) {
        this.#readAt = this.#context.now()
        const notices = await this.#kind.claim(batch, lease)
        await this.#take(notices)
        // In the queue after a full batch, there may be notices of clients that do not have their full share.
        if (notices.length < batch) return
      }
    } catch (error) {
      this.#report(error)
    }
  }

  #hasPlace(): boolean {
    return this.#deliveries.size < this.#timing.concurrency && !this.closed
  }

  /** Clients that failed the last time get half of the places, so that a thousand of them delay no other. */
  #isOneDoubtfulTooMany({ client_id }: N): boolean {
    return this.#shares.hasFailed(client_id) && this.#doubtful >= this.#timing.concurrency / 2
  }

  /** Sends what may be sent now of claimed notices, and puts the others back. */
  async #take(notices: readonly N[]): Promise<void> {
    const retries: NoticeRetry<N>[] = []
    const dropped: N[] = []
    for (const notice of notices) {
      const turn = this.#shares.turnOf(notice.client_id)
      if (turn.act === 'fail') {
        const delay = this.#nextDelay(notice, turn.status)
        if (delay === undefined) dropped.push(notice)
        else retries.push({ notice, delay, failed: true })
      } else if (turn.act === 'wait' || this.#isOneDoubtfulTooMany(notice)) {
        const delay = turn.act === 'wait' ? turn.delay : this.#timing.busy_poll
        this.#busyUntil = Math.max(this.#busyUntil, this.#context.now() + delay * 1000)
        retries.push({ notice, delay, failed: false })
      } else if (this.#hasPlace()) {
        this.#send(notice)
      } else {
        retries.push({ notice, delay: 0, failed: false })
      }
    }
    if (retries.length > 0) await this.#kind.retry(...retries)
    if (dropped.length > 0) await this.#kind.finish(...dropped)
  }

  #send(notice: N): void {
    const is_doubtful = this.#shares.hasFailed(notice.client_id)
    if (is_doubtful) this.#doubtful += 1
    const end = this.#shares.begin(notice.client_id)
    const delivery = this.#deliver(notice, end)
      .catch((error: unknown) => {
        end()
        this.#report(error)
      })
      .finally(() => {
        this.#deliveries.delete(delivery)
        if (is_doubtful) this.#doubtful -= 1
        this.wake()
      })
    this.#deliveries.add(delivery)
  }

  async #deliver(notice: N, end: EndDelivery): Promise<void> {
    const { client_id } = notice
    const attempted = await this.#kind.attempt(notice)
    if (attempted === 'not_yet') {
      end()
      return this.#kind.retry({ notice, delay: this.#timing.poll, failed: false })
    }
    if (attempted === 'done') {
      end(true)
      return this.#kind.finish(notice)
    }
    const { status } = attempted
    end(status)
    const delay = this.#nextDelay(notice, status)
    if (delay === undefined) return this.#kind.finish(notice)
    this.#context.log.info(
      { client_id, status, attempt: notice.attempts + 1, delay },
      `A client could not be notified ${this.#kind.of} yet. It will be retried.`,
    )
    return this.#kind.retry({ notice, delay, failed: true })
  }

  /** The time until the next attempt of a notice whose client failed; undefined, and logged, if it was the last one. */
  #nextDelay({ client_id, attempts }: N, status: number | string): number | undefined {
    const { first_delay, longest_delay } = this.#timing
    const attempt = attempts + 1
    if (attempt < this.#timing.attempts) return Math.min(longest_delay, first_delay * 2 ** attempts)
    this.#context.log.warn(
      { client_id, status, attempt },
      `A client could not be notified ${this.#kind.of}. The notice is dropped.`,
    )
    return undefined
  }

  // A claimed notice is due again when its lease ends. Storage logs why it is unavailable.
  #report(error: unknown): void {
    if (error instanceof StorageUnavailable) return
    this.#context.log.error(
      { err: error },
      `A bug prevented the notification of a client ${this.#kind.of}. It will be retried.`,
    )
  }
}
