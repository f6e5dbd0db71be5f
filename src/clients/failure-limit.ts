import { createHash } from 'node:crypto'
import { OAuthError, tooManyFailures } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'

const MAX_REMEMBERED = 10_000

/** What the shared count says after one more failure. */
export interface FailureCount {
  /** How many more there may be in this window. */
  remaining: number
  /** Whether this one was more than there may be. */
  isExceeded: boolean
  /** Milliseconds until the window ends. */
  ttl: number
}

/** One attempt of somebody to prove to be a client. */
export interface Attempt<T> {
  client_id: ClientId
  /** Where it comes from. */
  address(): string
  /** Whether a secret is presented: an attempt without one finds nothing out. */
  guesses: boolean
  /** What it proves by what is at hand; undefined where that is nothing. */
  quick(): T | undefined
  /** What it proves for certain. @throws OAuthError `invalid_client` where that is nothing */
  thorough(): Promise<T>
  /** Counts a failure where all replicas see it. @throws StorageUnavailable */
  count(name: string): Promise<FailureCount>
}

/** What is known here about the failures of one client from one address. */
interface Known {
  remaining: number
  /** When the window ends, in milliseconds since 1970. */
  ends: number
}

/**
 * Limits the guesses at a client's secret from one address (RFC 6749 §2.3.1). The count is shared, and failures
 * alone ask it. What it last said is kept here: where nothing remains, guesses are refused unseen until the window
 * ends, and where something does, no more guesses than that are judged at one moment.
 */
export class FailureLimit {
  readonly #max: number
  readonly #window: number
  readonly #now: () => number
  /** By name, the oldest first. Whatever is dropped of it is known again after the next failure. */
  readonly #known = new Map<string, Known>()
  /** The guesses by name that are being judged; their promises reject where that turns out to be impossible. */
  readonly #open = new Map<string, Set<Promise<void>>>()

  /**
   * @param max how many failures there may be in a window
   * @param window in seconds, from the first failure
   * @param now milliseconds since 1970
   */
  constructor(max: number, window: number, now: () => number) {
    this.#max = max
    this.#window = window
    this.#now = now
  }

  /**
   * What an attempt proves.
   * @throws OAuthError `invalid_client` where that is nothing, `temporarily_unavailable` (429) where there were too
   * many failures; StorageUnavailable
   */
  async judge<T>(attempt: Attempt<T>): Promise<T> {
    // Most of the time nobody has failed, and there is nothing to look up.
    const isQuiet = this.#known.size === 0 && this.#open.size === 0
    const name = isQuiet ? undefined : nameOf(attempt)
    while (name && attempt.guesses && this.#isBusy(name)) await Promise.all(this.#open.get(name) ?? [])
    // From the look above to the entry in #open nothing may wait, or a burst of guesses slips through.
    const proven = attempt.quick()
    if (proven !== undefined) return proven
    return this.#judge(name ?? nameOf(attempt), attempt)
  }

  /** Whether as many guesses are being judged as may fail. @throws OAuthError where none may */
  #isBusy(name: string): boolean {
    const { remaining, ends } = this.#recall(name)
    if (remaining === 0) throw tooManyFailures(ends - this.#now())
    return (this.#open.get(name)?.size ?? 0) >= remaining
  }

  #judge<T>(name: string, attempt: Attempt<T>): Promise<T> {
    const judging = this.#decide(name, attempt)
    if (attempt.guesses) this.#enter(name, judging)
    return judging
  }

  async #decide<T>(name: string, { thorough, count }: Attempt<T>): Promise<T> {
    try {
      return await thorough()
    } catch (error) {
      if (!(error instanceof OAuthError && error.code === 'invalid_client')) throw error
      const { isExceeded, ttl } = await this.#count(name, count)
      throw isExceeded ? tooManyFailures(ttl) : error
    }
  }

  async #count(name: string, count: Attempt<unknown>['count']): Promise<FailureCount> {
    try {
      const counted = await count(name)
      this.#remember(name, { remaining: counted.remaining, ends: this.#now() + counted.ttl })
      return counted
    } catch (error) {
      // What storage cannot count is counted here, or its absence would allow any number of guesses.
      const { remaining, ends } = this.#recall(name)
      this.#remember(name, { remaining: Math.max(0, remaining - 1), ends })
      throw error
    }
  }

  #recall(name: string): Known {
    const known = this.#known.get(name)
    const now = this.#now()
    return known !== undefined && now < known.ends
      ? known
      : { remaining: this.#max, ends: now + this.#window * 1000 }
  }

  #remember(name: string, known: Known): void {
    this.#known.delete(name)
    this.#known.set(name, known)
    const oldest = this.#known.keys().next()
    if (this.#known.size > MAX_REMEMBERED && !oldest.done) this.#known.delete(oldest.value)
  }

  #enter(name: string, judging: Promise<unknown>): void {
    const open = this.#open.get(name) ?? new Set()
    this.#open.set(name, open)
    const judged = judging
      .then(
        () => {},
        (error: unknown) => {
          if (!(error instanceof OAuthError)) throw error
        },
      )
      .finally(() => {
        open.delete(judged)
        if (open.size === 0) this.#open.delete(name)
      })
    open.add(judged)
    // Where nobody waits for it, the request itself has the error.
    judged.catch(() => {})
  }
}

/** What the failures of a client from an address are counted under: 64 characters that show neither. */
function nameOf({ client_id, address }: Pick<Attempt<unknown>, 'client_id' | 'address'>): string {
  return createHash('sha256').update(`${address()} ${client_id}`).digest('hex')
}
