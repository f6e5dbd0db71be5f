import { EventEmitter } from 'node:events'
import {
  type BrowserLimit,
  type Counters,
  type FailureGroup,
  type FailureName,
  type Failures,
  type KnownBrowser,
  type LimitedCounter,
  MAX_COUNTERS,
  placeOf,
  type SignedInUser,
} from '../../counters.ts'
import type { RedisAccess } from './access.ts'

/** Failure counters in Redis, a hash for each bucket, and known browsers, a hash for each user. */
export class RedisCounters implements Counters {
  /** Services of one process may share it. */
  readonly full: Counters['full'] = new EventEmitter<{ full: [FailureGroup] }>().setMaxListeners(0)
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async countFailure(group: FailureGroup, name: string, window: number, weight = 1): Promise<Failures> {
    const [counted = { count: 0, ends_in: 0 }] = await this.#count([{ group, name }], window, weight)
    return counted
  }

  async countFailures(counters: readonly LimitedCounter[], window: number): Promise<Failures[]> {
    if (this.#access.connection.spansSlots) return this.#count(counters, window)
    const counted: Failures[] = []
    for (const [index, counter] of counters.entries()) {
      counted.push(...(await this.#count([counter], window)))
      if ((counted[index]?.count ?? 0) <= counter.max) continue
      await this.forgiveFailures(counters.slice(0, index))
      break
    }
    return counted
  }

  async forgiveFailures(counters: readonly FailureName[]): Promise<void> {
    const { keys, connection } = this.#access
    const forgive = (places: readonly ReturnType<typeof placeOf>[]) =>
      this.#access.run(
        'forgive-failure',
        places.map(({ bucket }) => keys.failures(bucket)),
        { counters: places.flatMap(({ field, shared = '' }) => [field, shared]) },
      )
    const places = counters.map(({ group, name }) => placeOf(group, name))
    if (connection.spansSlots) await forgive(places)
    else await Promise.all(places.map((place) => forgive([place])))
  }

  /** Counts a failure by one command. @param counters in one slot, unless Redis takes keys of several */
  async #count(
    counters: readonly (FailureName & Partial<LimitedCounter>)[],
    window: number,
    weight = 1,
  ): Promise<Failures[]> {
    const places = counters.map(({ group, name }) => placeOf(group, name))
    const answer = await this.#access.run(
      'count-failure',
      places.map(({ bucket }) => this.#access.keys.failures(bucket)),
      {
        window,
        weight,
        room: MAX_COUNTERS,
        counters: places.flatMap(({ field, shared = '' }, i) => [field, shared, counters[i]?.max ?? '']),
      },
    )
    const counted: Failures[] = []
    for (const [i, { group }] of counters.entries()) {
      const [count, ends_in, is_full] = answer.slice(3 * i)
      if (count === undefined || ends_in === undefined) break
      counted.push({ count, ends_in })
      if (is_full === 1) this.full.emit('full', group)
    }
    return counted
  }

  async clearFailures(group: FailureGroup, name: string): Promise<void> {
    const { bucket, field, shared } = placeOf(group, name)
    await this.#access.run('clear-failures', [this.#access.keys.failures(bucket)], { field, shared })
  }

  async rememberBrowser(
    user: string,
    browser: KnownBrowser,
    { max, ttl }: BrowserLimit,
    { username, at }: SignedInUser,
  ): Promise<void> {
    const { name, bound_to, replaces } = browser
    const { keys, connection } = this.#access
    const args = { name, bound_to, ttl: Math.round(ttl * 1000), max, replaces, username, at }
    if (connection.spansSlots) {
      await this.#access.run('remember-browser', [keys.browsers(user), keys.signIns], args)
      return
    }
    await Promise.all([
      this.#access.run('remember-browser', [keys.browsers(user)], args),
      this.#access.command('sign-ins', 'zadd', keys.signIns, at, username),
    ])
  }

  async findBrowser(user: string, name: string): Promise<string | undefined> {
    return (await this.#access.run('find-browser', [this.#access.keys.browsers(user)], { name })) || undefined
  }
}
