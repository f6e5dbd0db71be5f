import type { ClientRegistry } from '../clients/client-registry.ts'
import { describedItself } from '../clients/keys/client-keys.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { LastOutcomes } from '../core/last-outcomes.ts'
import type { Log } from '../core/log.ts'
import { codeFrom, statusCode } from '../core/third-parties.ts'
import { PollingWorker } from '../core/worker.ts'
import {
  claimLogouts,
  finishLogouts,
  type LogoutNotice,
  type LogoutRetry,
  retryLogouts,
} from '../sessions/logout-queue.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import { DeliveryShares, type EndDelivery, type ShareTiming } from './delivery-shares.ts'
import { type LogoutTokenContext, signLogoutToken } from './logout-token.ts'

/**
 * Posts a form to a client.
 * @returns the status of the response, or a short reason why there is none; never an address or a token
 */
export type PostForm = (uri: string, form: string) => Promise<number | string>

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

/** Ten attempts within half an hour. */
export const COURIER_TIMING: CourierTiming = {
  poll: 5,
  busy_poll: 0.25,
  lease: 30,
  batch: 64,
  concurrency: 16,
  per_client: 2,
  spacing: 0.02,
  attempts: 10,
  first_delay: 5,
  longest_delay: 600,
}

/** The dependencies of the courier. */
export interface CourierContext extends LogoutTokenContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly outcomes: Pick<LastOutcomes, 'failed' | 'recovered'>
  readonly log: Log
}

/**
 * Sends notices of logouts to clients, from the queue that all replicas share. A notice stays in the queue until its
 * client accepts it or it is dropped, so a client gets it once or, after a crash, twice.
 */
export class LogoutCourier extends PollingWorker {
  readonly closes_early = true
  readonly #context: CourierContext
  readonly #post: PostForm
  readonly #timing: CourierTiming
  readonly #deliveries = new Set<Promise<void>>()
  readonly #shares: DeliveryShares
  /** When the queue was read last, and until when notices that wait for their client become due; since 1970, in ms. */
  #readAt = 0
  #busyUntil = Number.NEGATIVE_INFINITY

  constructor(context: CourierContext, post: PostForm, timing = COURIER_TIMING) {
    super(
      () => this.#claim(),
      () => this.#untilNextRead(),
    )
    this.#context = context
    this.#post = post
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
    const { storage, log } = this.#context
    const { batch, lease } = this.#timing
    try {
      // A delivery that ends reads the queue again.
      while (this.#hasPlace()) {
        this.#readAt = this.#context.now()
        const notices = await claimLogouts({ queue: storage.queue, log }, batch, lease)
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

  /** Sends what may be sent now of claimed notices, and puts the others back. */
  async #take(notices: readonly LogoutNotice[]): Promise<void> {
    const retries: LogoutRetry[] = []
    const dropped: LogoutNotice[] = []
    for (const notice of notices) {
      const turn = this.#shares.turnOf(notice.client_id)
      if (turn.act === 'fail') {
        const delay = this.#nextDelay(notice, turn.status)
        if (delay === undefined) dropped.push(notice)
        else retries.push({ notice, delay, failed: true })
      } else if (turn.act === 'wait') {
        this.#busyUntil = Math.max(this.#busyUntil, this.#context.now() + turn.delay * 1000)
        retries.push({ notice, delay: turn.delay, failed: false })
      } else if (this.#hasPlace()) {
        this.#send(notice)
      } else {
        retries.push({ notice, delay: 0, failed: false })
      }
    }
    const { storage } = this.#context
    if (retries.length > 0) await retryLogouts(storage, ...retries)
    if (dropped.length > 0) await finishLogouts(storage, ...dropped)
  }

  #send(notice: LogoutNotice): void {
    const end = this.#shares.begin(notice.client_id)
    const delivery = this.#deliver(notice, end)
      .catch((error: unknown) => {
        end()
        this.#report(error)
      })
      .finally(() => {
        this.#deliveries.delete(delivery)
        this.wake()
      })
    this.#deliveries.add(delivery)
  }

  async #deliver(notice: LogoutNotice, end: EndDelivery): Promise<void> {
    const { clients, storage, log } = this.#context
    const { client_id } = notice
    const client = await clients.find(client_id)
    const uri = client?.backchannel_logout_uri
    // The client was removed or disabled, or has no backchannel_logout_uri any more.
    if (client === undefined || uri === undefined) {
      end(true)
      return finishLogouts(storage, notice)
    }
    const token = signLogoutToken(this.#context, client, notice)
    const status = await this.#post(uri, new URLSearchParams({ logout_token: token }).toString())
    // Back-Channel Logout §2.8: 200; some frameworks send 204.
    const is_delivered = status === 200 || status === 204
    end(is_delivered || status)
    this.#noteOutcome(client, is_delivered || status)
    if (is_delivered) return finishLogouts(storage, notice)
    const delay = this.#nextDelay(notice, status)
    if (delay === undefined) return finishLogouts(storage, notice)
    log.info(
      { client_id, status, attempt: notice.attempts + 1, delay },
      'A client could not be notified of a logout yet. It will be retried.',
    )
    return retryLogouts(storage, { notice, delay, failed: true })
  }

  /** Who registers itself could name a thousand hosts that do not answer: that is not noted. */
  #noteOutcome(client: Client, outcome: true | number | string): void {
    const { outcomes, now } = this.#context
    const party = { party: 'logout_notices', name: client.client_id } as const
    if (outcome === true) {
      outcomes.recovered(party, now())
    } else if (!describedItself(client)) {
      const code = typeof outcome === 'number' ? statusCode(outcome) : codeFrom(outcome)
      outcomes.failed({ ...party, step: 'notice', code }, now())
    }
  }

  /** The time until the next attempt of a notice whose client failed; undefined, and logged, if it was the last one. */
  #nextDelay({ client_id, attempts }: LogoutNotice, status: number | string): number | undefined {
    const { first_delay, longest_delay } = this.#timing
    const attempt = attempts + 1
    if (attempt < this.#timing.attempts) return Math.min(longest_delay, first_delay * 2 ** attempts)
    this.#context.log.warn(
      { client_id, status, attempt },
      'A client could not be notified of a logout. The notice is dropped.',
    )
    return undefined
  }

  // A claimed notice is due again when its lease ends. Storage logs why it is unavailable.
  #report(error: unknown): void {
    if (error instanceof StorageUnavailable) return
    const { log } = this.#context
    log.error({ err: error }, 'A bug prevented the notification of a client of a logout. It will be retried.')
  }
}
