import type { Context } from '../context.ts'
import type { LogoutNotice } from '../sessions/logout-queue.ts'
import { claimLogouts, finishLogout, retryLogoutLater } from '../sessions/logout-queue.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { signLogoutToken } from './logout-token.ts'

/**
 * Posts a form to a client.
 * @returns the status of the answer, or in a word why there is none; never an address or what was sent.
 */
export type PostForm = (uri: string, form: string) => Promise<number | string>

/** When and how often clients are told; seconds. */
export interface CourierTiming {
  /** Between two looks at the queue, where nobody says that there is something in it. */
  readonly poll: number
  /** For how long others leave a notice alone that is being sent: longer than an attempt can take. */
  readonly lease: number
  /** How many notices are on their way at one moment. */
  readonly at_once: number
  /** After how many attempts a client is given up. */
  readonly attempts: number
  /** How long the second attempt waits; each further one waits twice as long, up to the longest. */
  readonly first_delay: number
  readonly longest_delay: number
}

/** Ten attempts within half an hour. */
export const COURIER_TIMING: CourierTiming = {
  poll: 5,
  lease: 30,
  at_once: 16,
  attempts: 10,
  first_delay: 5,
  longest_delay: 600,
}

type CourierContext = Pick<Context, 'settings' | 'storage' | 'clients' | 'keys' | 'log' | 'now'>

/**
 * Tells clients of logouts, from the queue that all replicas share. A notice stays in the queue until its client took it
 * or was given up, so a client is told once or, after a crash, twice.
 */
export class LogoutCourier {
  readonly #context: CourierContext
  readonly #post: PostForm
  readonly #timing: CourierTiming
  readonly #deliveries = new Set<Promise<void>>()
  #look: Promise<void> | undefined
  #lookAgain = false
  #timer: NodeJS.Timeout | undefined
  #storageAway = false
  #closed = false

  constructor(context: CourierContext, post: PostForm, timing = COURIER_TIMING) {
    this.#context = context
    this.#post = post
    this.#timing = timing
  }

  /** Looks at the queue every now and then. */
  start(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), this.#timing.poll * 1000).unref()
  }

  /** Looks at the queue now. */
  wake(): void {
    if (this.#closed) return
    if (this.#look !== undefined) {
      this.#lookAgain = true
      return
    }
    clearTimeout(this.#timer)
    this.#look = this.#claim().finally(() => {
      this.#look = undefined
      if (this.#closed) return
      if (!this.#lookAgain) return this.start()
      this.#lookAgain = false
      this.wake()
    })
  }

  /** Takes nothing more; resolves when what is on its way has arrived or failed. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#look
    await Promise.all(this.#deliveries)
  }

  async #claim(): Promise<void> {
    const free = this.#timing.at_once - this.#deliveries.size
    // Whoever comes back looks again.
    if (free === 0) return
    try {
      const { storage, log } = this.#context
      const notices = await claimLogouts({ queue: storage.queue, log }, free, this.#timing.lease)
      this.#storageAway = false
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
    // Nobody is left who would want to hear of it.
    if (client === undefined || uri === undefined) return finishLogout(storage, notice)
    const token = signLogoutToken(this.#context, client, notice)
    const status = await this.#post(uri, new URLSearchParams({ logout_token: token }).toString())
    // Back-Channel Logout §2.8: 200; some frameworks say 204.
    if (status === 200 || status === 204) return finishLogout(storage, notice)
    return this.#retry(notice, status)
  }

  async #retry(notice: LogoutNotice, status: number | string): Promise<void> {
    const { log, storage } = this.#context
    const { attempts, first_delay, longest_delay } = this.#timing
    const { client_id } = notice
    const attempt = notice.attempts + 1
    if (attempt >= attempts) {
      log.warn({ client_id, status, attempt }, 'A client could not be told of a logout, and is given up.')
      return finishLogout(storage, notice)
    }
    const delay = Math.min(longest_delay, first_delay * 2 ** notice.attempts)
    log.info({ client_id, status, attempt, delay }, 'A client could not be told of a logout yet.')
    return retryLogoutLater(storage, notice, delay)
  }

  // What was claimed is due again when its lease ends.
  #report(error: unknown): void {
    const { log } = this.#context
    if (!(error instanceof StorageUnavailable)) {
      log.error({ err: error }, 'A fault kept a client from being told of a logout. Trying again later.')
    } else if (!this.#storageAway) {
      this.#storageAway = true
      log.warn({ err: error }, 'Logouts wait: storage is away. Trying again.')
    }
  }
}
