import type { AuditEntries } from '../../core/audit-entries.ts'
import type { Entering, RosterEntry, Rosters } from '../rosters.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'
import type { MemoryTrail } from './trail.ts'

/** Rosters in memory. */
export class MemoryRosters implements Rosters {
  readonly #base: Base
  readonly #trail: MemoryTrail
  readonly #rosters = new Map<string, ExpiringMap<string>>()

  constructor(base: Base, trail: MemoryTrail) {
    this.#base = base
    this.#trail = trail
  }

  async enter(roster: string, name: string, text: string, { ttl, max, keep }: Entering): Promise<void> {
    const entries = this.#entriesOf(roster)
    const id = wellFormed(name)
    if (keep && entries.get(id) !== undefined) return
    entries.take(id)
    entries.sweep()
    if (entries.size >= max) entries.take(firstOfMost(entries) ?? '')
    entries.set(id, wellFormed(text), this.#base.now() + ttl)
  }

  async read(roster: string): Promise<RosterEntry[]> {
    const entries = this.#entriesOf(roster)
    const now = this.#base.now()
    return [...entries.entries()]
      .map(([name, text]) => ({ name, text, ends_in: (entries.expires(name) ?? now) - now }))
      .filter(({ ends_in }) => ends_in > 0)
  }

  async leave(roster: string, name: string, told?: AuditEntries): Promise<boolean> {
    if (this.#entriesOf(roster).take(wellFormed(name)) === undefined) return false
    this.#trail.write(told)
    return true
  }

  #entriesOf(roster: string): ExpiringMap<string> {
    this.#base.gate.pass()
    const entries = this.#rosters.get(roster) ?? new ExpiringMap<string>(this.#base.now)
    this.#rosters.set(roster, entries)
    return entries
  }
}

/** The entry that ends first, of the owner who has most; of several such owners the first one. */
function firstOfMost(entries: ExpiringMap<string>): string | undefined {
  const counts = new Map<string, number>()
  for (const [name] of entries.entries()) counts.set(ownerOf(name), (counts.get(ownerOf(name)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return entries.firstToExpire((name) => counts.get(ownerOf(name)) === most)
}

const ownerOf = (name: string) => name.split(' ', 1)[0] ?? ''
