import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { Entering, RosterEntry, RosterName, Rosters } from '../../rosters.ts'
import type { RedisAccess } from './access.ts'
import { withTrail } from './trail.ts'

/** Rosters in Redis: a hash each, with `<end in milliseconds since 1970> <text>` by name. */
export class RedisRosters implements Rosters {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async enter(roster: RosterName, name: string, text: string, { ttl, max, keep }: Entering): Promise<void> {
    await this.#access.run('enter-roster', [this.#keyOf(roster)], { name, text, ttl, max, keep })
  }

  async read(roster: RosterName): Promise<RosterEntry[]> {
    const answer = await this.#access.run('read-roster', [this.#keyOf(roster)], {})
    return answer.map(([name, text, ends_in]) => ({ name, text, ends_in }))
  }

  async leave(roster: RosterName, name: string, told?: AuditEntries): Promise<boolean> {
    const key = this.#keyOf(roster)
    const removed = await withTrail(this.#access, key, told, ({ keys, args }) =>
      this.#access.run('leave-roster', [key, ...keys], { name, entries: args }),
    )
    return removed === 1
  }

  #keyOf(roster: RosterName): string {
    return this.#access.keys.roster(roster)
  }
}
