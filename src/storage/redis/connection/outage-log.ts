import type { RedisLocation } from '../../../config/redis-location.ts'
import type { Log } from '../../../core/log.ts'
import { adviceOn, stateOf } from './outage-advice.ts'

/** Milliseconds without a refusal after which Redis is said to accept commands or scripts again. */
const QUIET = 10_000

/** How redmint uses Redis; a user of Redis may have the right to one and not to the other. */
export type Way = 'commands' | 'scripts' | 'key tracking'

/** What else follows from a refusal. */
const CONSEQUENCES: Partial<Record<Way, string>> = { 'key tracking': ', so records are not cached' }

/** Logs an outage of Redis in few lines: what is wrong and what to do when it begins, and when it is over. */
export class OutageLog {
  readonly #location: Pick<RedisLocation, 'kind'>
  readonly #description: string
  readonly #log: Log
  readonly #now: () => number
  /** The reasons logged since the last good connection, by node of a Cluster; '' is the whole. */
  readonly #logged = new Map<string, Set<string>>()
  /** Why the last good connection broke, until the next attempt shows whether Redis is away. */
  #lost: string | undefined
  #closed = false
  /** The refusals by code: what was refused first, what is refused still, and when it was last. */
  readonly #refusals = new Map<string, { first: Way; ways: Set<Way>; last: number }>()

  /** @param now the clock, in milliseconds since 1970 */
  constructor(location: Pick<RedisLocation, 'kind'>, description: string, log: Log, now = Date.now) {
    this.#location = location
    this.#description = description
    this.#log = log
    this.#now = now
  }

  /** A connection that worked broke. */
  lost(reason: string): void {
    this.#lost ??= reason
  }

  /** An attempt to connect failed, or the connected server must not be used. Each reason is logged once. */
  away(reason: string, node = ''): void {
    const reasons = this.#logged.get(node) ?? new Set()
    this.#logged.set(node, reasons)
    if (reasons.has(reason) || this.#closed) return
    reasons.add(reason)
    this.#log.warn({}, `${this.#nameOf(node)} ${stateOf(reason)}: ${reason}.${this.#advice(reason)}`)
  }

  /** The connection works. A node is mentioned only if it was away. */
  connected(node = ''): void {
    const was_away = this.#logged.delete(node)
    if (node === '') {
      if (this.#lost !== undefined && !was_away) this.away(this.#lost)
      this.#lost = undefined
      this.#logged.clear()
    }
    if (node === '' || was_away) this.#log.info({}, `${this.#nameOf(node)} is connected.`)
  }

  /** Redis refused to run something, with the code of a lasting error. Each code is logged once, whatever is refused. */
  refused(way: Way, code: string): void {
    if (this.#closed) return
    const known = this.#refusals.get(code)
    const refusal = known ?? { first: way, ways: new Set(), last: 0 }
    this.#refusals.set(code, refusal)
    refusal.ways.add(way)
    refusal.last = this.#now()
    if (known !== undefined) return
    const consequence = CONSEQUENCES[way] ?? ''
    this.#log.warn({}, `${this.#description} refuses ${way}${consequence}: ${code}.${this.#advice(code)}`)
  }

  /** Redis ran something. It is logged when all that was refused with a code is run again. */
  accepted(way: Way): void {
    for (const [code, { first, ways, last }] of this.#refusals) {
      if (this.#now() - last < QUIET) continue
      ways.delete(way)
      if (ways.size > 0) continue
      this.#refusals.delete(code)
      this.#log.info({}, `${this.#description} accepts ${first} again.`)
    }
  }

  /** The connection is being closed on purpose: nothing is away from now on. */
  close(): void {
    this.#closed = true
  }

  #nameOf(node: string): string {
    return node === '' ? this.#description : `${node} of ${this.#description}`
  }

  #advice(reason: string): string {
    const advice = adviceOn(reason, this.#location)
    return advice === undefined ? '' : ` ${advice}`
  }
}
