import type { Entering, RosterEntry, Rosters } from '../rosters.ts'
import type { RedisAccess } from './access.ts'

/** Rosters in Redis: a hash each, with `<end in milliseconds since 1970> <text>` by name. */
export class RedisRosters implements Rosters {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async enter(roster: string, name: string, text: string, { ttl, max, keep }: Entering): Promise<void> {
    await this.#access.run('enter-roster', [this.#keyOf(roster)], { name, text, ttl, max, keep })
  }

  async read(roster: string): Promise<RosterEntry[]> {
    const answer = await this.#access.run('read-roster', [this.#keyOf(roster)], {})
    return answer.map(([name, text, ends_in]) => ({ name, text, ends_in }))
  }

  async leave(roster: string, name: string): Promise<boolean> {
    const removed = await this.#access.command<number>('leave-roster', 'hdel', this.#keyOf(roster), name)
    return removed > 0
  }

  #keyOf(roster: string): string {
    return this.#access.keys.roster(roster)
  }
}
