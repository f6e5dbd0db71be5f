import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Log } from '../core/log.ts'
import { claimLogouts, finishLogout, type LogoutNotice, retryLogoutLater } from '../sessions/logout-queue.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import { type LogoutTokenContext, signLogoutToken } from './logout-token.ts'

/**
 * Posts a form to a client.
 * @returns the status of the response, or a short reason why there is none; never an address or a token
 */
export type PostForm = (uri: string, form: string) => Promise<number | string>

/** When and how often notices are sent; in seconds. */
export interface CourierTiming {
  /** The time between two reads of the queue if no event announces a notice. */
  readonly poll: number
  /** How long a claimed notice is hidden from other replicas: longer than an attempt can take. */
  readonly lease: number
  /** How many notices are sent at the same time. */
  readonly concurrency: number
  /** After how many attempts a notice is dropped. */
  readonly attempts: number
  /** The delay of the second attempt. Each further one waits twice as long, up to `longest_delay`. */
  readonly first_delay: number
  readonly longest_delay: number
}

/** Ten attempts within half an hour. */
export const COURIER_TIMING: CourierTiming = {
  poll: 5,
  lease: 30,
  concurrency: 16,
  attempts: 10,
  first_delay: 5,
  longest_delay: 600,
}

/** The dependencies of the courier. */
export interface CourierContext extends LogoutTokenContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly log: Log
}

/**
 * Sends notices of logouts to clients, from the queue that all replicas share. A notice stays in the queue until its
 * client accepts it or it is dropped, so a client gets it once or, after a crash, twice.
 */
export class LogoutCourier {
  readonly #context: CourierContext
  readonly #post: PostForm
  readonly #timing: CourierTiming
  readonly #deliveries = new Set<Promise<void>>()
  #read: Promise<void> | undefined
  #readAgain = false
  #timer: NodeJS.Timeout | undefined
  #storageUnavailable = false
  #closed = false

  constructor(context: CourierContext, post: PostForm, timing = COURIER_TIMING) {
    this.#context = context
    this.#post = post
    this.#timing = timing
  }

  /** Starts to read the queue at intervals. */
  start(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), this.#timing.poll * 1000).unref()
  }

  /** Reads the queue now. */
  wake(): void {
    if (this.#closed) return
    if (this.#read !== undefined) {
      this.#readAgain = true
      return
    }
    clearTimeout(this.#timer)
    this.#read = this.#claim().finally(() => {
      this.#read = undefined
      if (this.#closed) return
      if (!this.#readAgain) return this.start()
      this.#readAgain = false
      this.wake()
    })
  }

  /** Stops reading the queue. Resolves when the notices that are being sent have arrived or failed. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#read
    await Promise.all(this.#deliveries)
  }

  async #claim(): Promise<void> {
    const free = this.#timing.concurrency - this.#deliveries.size
    // A delivery that ends reads the queue again.
    if (free === 0) return
    try {
      const { storage, log } = this.#context
      const notices = await claimLogouts({ queue: storage.queue, log }, free, this.#timing.lease)
      this.#storageUnavailable = false
      for (const notice of notices) this.#send(notice)
    } catch (error) {
      this.#report(error)
    }
  }

  #send(notice: LogoutNotice): void {
    const delivery = this.#deliver(notice)
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#deliveries.delete(delivery)
        this.wake()
      })
    this.#deliveries.add(delivery)
  }

  async #deliver(notice: LogoutNotice): Promise<void> {
    const { clients, storage } = this.#context
    const client = await clients.find(notice.client_id)
    const uri = client?.backchannel_logout_uri
    // The client was removed or disabled, or has no backchannel_logout_uri any more.
    if (client === undefined || uri === undefined) return finishLogout(storage, notice)
    const token = signLogoutToken(this.#context, client, notice)
    const status = await this.#post(uri, new URLSearchParams({ logout_token: token }).toString())
    // Back-Channel Logout §2.8: 200; some frameworks send 204.
    if (status === 200 || status === 204) return finishLogout(storage, notice)
    return this.#retryLater(notice, status)
  }

  async #retryLater(notice: LogoutNotice, status: number | string): Promise<void> {
    const { log, storage } = this.#context
    const { attempts, first_delay, longest_delay } = this.#timing
    const { client_id } = notice
    const attempt = notice.attempts + 1
    if (attempt >= attempts) {
      log.warn(
        { client_id, status, attempt },
        'A client could not be notified of a logout. The notice is dropped.',
      )
      return finishLogout(storage, notice)
    }
    const delay = Math.min(longest_delay, first_delay * 2 ** notice.attempts)
    log.info(
      { client_id, status, attempt, delay },
      'A client could not be notified of a logout yet. It will be retried.',
    )
    return retryLogoutLater(storage, notice, delay)
  }

  // A claimed notice is due again when its lease ends.
  #report(error: unknown): void {
    const { log } = this.#context
    if (!(error instanceof StorageUnavailable)) {
      log.error(
        { err: error },
        'A bug prevented the notification of a client of a logout. It will be retried.',
      )
    } else if (!this.#storageUnavailable) {
      this.#storageUnavailable = true
      log.warn({}, 'Logout notices wait: storage does not answer. Trying again.')
    }
  }
}
