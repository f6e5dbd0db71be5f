import type { AuditEntries } from '../../core/audit-entries.ts'
import {
  type BoundedEntry,
  type BoundedListId,
  type BoundedLists,
  isOfUser,
  type ListLimits,
  type NewEntry,
  userOf,
} from '../bounded-lists.ts'
import type { Base } from './gate.ts'
import type { MemoryRecords } from './records.ts'
import { wellFormed } from './text.ts'
import type { MemoryTrail } from './trail.ts'

/** An entry; without an owner or a kind, that is empty. */
interface Entry {
  readonly name: string
  readonly text: string
  readonly owner: string
  readonly kind: string
  /** Milliseconds since 1970. */
  readonly ends: number
}

/** Bounded lists in memory. */
export class MemoryBoundedLists implements BoundedLists {
  readonly #base: Base
  readonly #records: MemoryRecords
  readonly #trail: MemoryTrail
  readonly #lists = new Map<string, List>()

  constructor(base: Base, records: MemoryRecords, trail: MemoryTrail) {
    this.#base = base
    this.#records = records
    this.#trail = trail
  }

  async put(
    id: BoundedListId,
    entries: readonly NewEntry[],
    bounds: ListLimits,
    more: ReadonlyMap<string, number> = new Map(),
  ): Promise<void> {
    this.#base.gate.pass()
    if (isOfUser(id) && !this.#isUser(userOf(id).user)) return
    const list = this.#lists.get(nameOf(id)) ?? new List()
    this.#lists.set(nameOf(id), list)
    list.put(entries, bounds, this.#base.now())
    list.count(more)
  }

  async read(
    id: BoundedListId,
    wanted: { readonly name?: string; readonly last?: number } = {},
  ): Promise<BoundedEntry[]> {
    this.#base.gate.pass()
    return this.#lists.get(nameOf(id))?.read(this.#base.now(), wanted) ?? []
  }

  async drop(id: BoundedListId, name?: string, told?: AuditEntries): Promise<boolean> {
    this.#base.gate.pass()
    const key = nameOf(id)
    const is_there =
      name === undefined ? this.#lists.delete(key) : this.#lists.get(key)?.drop(name, this.#base.now())
    if (is_there) this.#trail.write(told)
    return is_there ?? false
  }

  #isUser(username: string): boolean {
    return this.#records.of({ name: 'user' }).get(wellFormed(username)) !== undefined
  }
}

function nameOf(id: BoundedListId): string {
  if (typeof id === 'string') return id
  if (!isOfUser(id)) return `asks:${wellFormed(id.asks_of)}`
  const { name, user } = userOf(id)
  return `${name}:${wellFormed(user)}`
}

/** One list. */
class List {
  /** Those that end first at the top. */
  #entries: Entry[] = []
  /** By kind. */
  readonly #more = new Map<string, number>()

  put(
    entries: readonly NewEntry[],
    { ttl, max, of_kind = max, looked_at = 1, keep }: ListLimits,
    now: number,
  ) {
    for (const entry of this.#entries) if (entry.ends <= now) this.#forget(entry)
    // As in Redis: of a moment or a call, they end one after the other, which keeps their order.
    const first = now + ttl
    const last = this.#entries.at(-1)?.ends ?? 0
    const from = last >= first && last < first + 1000 ? last + 1 : first
    for (const [i, { owner: given = '', kind = '', ...texts }] of entries.entries()) {
      const [name, text] = [wellFormed(texts.name), wellFormed(texts.text)]
      const same = this.#entries.find((entry) => entry.name === name)
      if (same !== undefined && keep) continue
      this.#forget(same)
      const alike = this.#ofKind(kind)
      if (alike.length >= of_kind) this.#forget(alike[0])
      while (this.#entries.length >= max) this.#makeRoom(alike[0]?.owner ?? given, looked_at)
      const owner = this.#ofKind(kind)[0]?.owner ?? given
      this.#entries.push({ name, text, kind, owner, ends: from + i })
      this.#entries.sort((one, other) => one.ends - other.ends)
    }
  }

  count(more: ReadonlyMap<string, number>) {
    for (const [kind, count] of more)
      if (this.#ofKind(kind).length > 0) this.#more.set(kind, (this.#more.get(kind) ?? 0) + count)
  }

  read(now: number, { name, last = Number.POSITIVE_INFINITY }: { name?: string; last?: number }) {
    return this.#entries
      .filter((entry) => entry.ends > now && (name === undefined || entry.name === wellFormed(name)))
      .reverse()
      .slice(0, last)
      .map(({ name, text, kind, ends }) => ({
        name,
        text,
        ends_in: ends - now,
        more: this.#more.get(kind) ?? 0,
      }))
  }

  drop(name: string, now: number): boolean {
    const entry = this.#entries.find((one) => one.name === wellFormed(name))
    this.#forget(entry)
    return entry !== undefined && entry.ends > now
  }

  #ofKind(kind: string): Entry[] {
    return kind === '' ? [] : this.#entries.filter((entry) => entry.kind === kind)
  }

  #makeRoom(needed_by: string, looked_at: number) {
    const counts = countBy(this.#entries, 'owner')
    const most = Math.max(...counts.values())
    const owner = counts.get(needed_by) === most ? needed_by : keyWith(counts, most)
    const oldest = this.#entries.filter((entry) => entry.owner === owner).slice(0, looked_at)
    const kinds = countBy(oldest, 'kind')
    const kind = keyWith(kinds, Math.max(...kinds.values()))
    this.#forget(oldest.find((entry) => entry.kind === kind))
  }

  #forget(entry: Entry | undefined) {
    if (entry === undefined) return
    this.#entries = this.#entries.filter((other) => other !== entry)
    if (this.#ofKind(entry.kind).length === 0) this.#more.delete(entry.kind)
  }
}

/** Returns how many entries there are of each owner or kind, in the order of their first ones. */
function countBy(entries: readonly Entry[], field: 'owner' | 'kind'): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { [field]: key } of entries) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Returns the first key with this count. */
function keyWith(counts: ReadonlyMap<string, number>, count: number): string | undefined {
  return [...counts].find(([, other]) => other === count)?.[0]
}
