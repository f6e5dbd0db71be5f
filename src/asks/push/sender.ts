import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../core/log.ts'
import { PATHS, pathAt } from '../../core/paths.ts'
import type { Worker } from '../../core/worker.ts'
import { postBody } from '../../outbound/public-post.ts'
import type { PublicRequestOptions } from '../../outbound/public-request.ts'
import type { Languages } from '../../pages/languages.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { encryptPush } from './encrypt.ts'
import {
  dropSubscription,
  noteUsed,
  type StoredSubscription,
  type SubscriptionContext,
  subscriptionsOf,
} from './subscriptions.ts'
import { type Vapid, vapidHeader } from './vapid.ts'

/** Whom to tell that somebody asks. */
export interface PushTarget {
  readonly username: string
  /** For how many seconds the question waits. */
  readonly expires_in: number
}

export interface SenderContext extends SubscriptionContext {
  readonly log: Log
  readonly languages: Pick<Languages, 'choose'>
  readonly settings: Pick<Settings, 'issuer'>
  readonly vapid: Vapid
  readonly now: () => number
}

/** How many people are told at the same time, and how many wait. Further ones find out by mail, and on the pages. */
const CONCURRENCY = 16
const MAX_WAITING = 1000
const TIMEOUT = 3_000

/**
 * Tells browsers that somebody asks: no more than that, encrypted for the browser. It is told once, because the question is
 * on the pages of its person all the same.
 */
export class PushSender implements Worker {
  readonly #context: SenderContext
  readonly #options: PublicRequestOptions
  readonly #waiting: PushTarget[] = []
  readonly #running = new Set<Promise<void>>()

  constructor(context: SenderContext, options: PublicRequestOptions) {
    this.#context = context
    this.#options = { timeout: TIMEOUT, ...options }
  }

  /** Tells the browsers of a person. Nobody waits for it. */
  tell(told: PushTarget): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(told)
    this.#next()
  }

  /** Resolves when those that are under way were told; no others are. */
  async close(): Promise<void> {
    this.#waiting.length = 0
    await Promise.all(this.#running)
  }

  #next(): void {
    const told = this.#running.size < CONCURRENCY ? this.#waiting.shift() : undefined
    if (told === undefined) return
    const running = this.#tellAll(told)
      .catch((error: unknown) => {
        // Storage logs why it is unavailable.
        if (!(error instanceof StorageUnavailable))
          this.#context.log.error({ err: error }, 'A browser could not be told that somebody asks.')
      })
      .finally(() => {
        this.#running.delete(running)
        this.#next()
      })
    this.#running.add(running)
  }

  async #tellAll(told: PushTarget): Promise<void> {
    const browsers = await subscriptionsOf(this.#context, told.username)
    await Promise.all(browsers.map((browser) => this.#tellOne(told, browser)))
  }

  async #tellOne({ username, expires_in }: PushTarget, browser: StoredSubscription): Promise<void> {
    const { log, vapid, now } = this.#context
    const { endpoint, keys } = browser
    const headers = {
      authorization: vapidHeader(vapid, endpoint, now()),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      // RFC 8030 §5.2 to §5.4: it is of no use later, is not to wait, and takes the place of one that does.
      ttl: String(expires_in),
      urgency: 'high',
      topic: 'ask',
    }
    const body = encryptPush(this.#textFor(browser), keys)
    const status = await postBody(endpoint, { headers, body }, this.#options)
    // RFC 8030 §7.3: the browser does not want it any more.
    if (status === 404 || status === 410) await dropSubscription(this.#context, username, browser.id)
    else if (typeof status === 'number' && status < 300) await noteUsed(this.#context, username, browser)
    else log.info({ status }, 'A push service did not take the notice that somebody asks.')
  }

  /** What the browser shows, and what it opens: neither who asks nor what. */
  #textFor({ language }: StoredSubscription): string {
    const { languages, settings } = this.#context
    const { messages } = languages.choose(language)
    const { push_title: title, push_body: body } = messages
    return JSON.stringify({ title, body, open: `${pathAt(settings, PATHS.account)}#asks` })
  }
}
