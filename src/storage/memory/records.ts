import type { AuditEntries } from '../../core/audit-entries.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { Changes, Watcher } from '../changes.ts'
import { compareIds } from '../compare-ids.ts'
import { assertTokenString, familyOf } from '../family-ids.ts'
import {
  assertBeside,
  type Beside,
  type Change,
  type Changed,
  type Created,
  countOf,
  type Found,
  type FoundPage,
  found,
  type Kind,
  type KindName,
  type PageRequest,
  type ReadableKind,
  type Reading,
  type RecordPage,
  type Records,
  readFields,
  type UsableKind,
  type Walked,
  type Write,
} from '../records.ts'
import { type FindRequest, textOf } from '../words.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import type { MemoryLists } from './lists.ts'
import { asStored, hasFields, wellFormed } from './text.ts'
import type { MemoryTrail } from './trail.ts'
import { findWorded } from './words.ts'

// In milliseconds.
const MINUTE = 60_000

/** Records in memory, by kind and id. Hashes are never changed in place, only replaced. */
export class MemoryRecords implements Records, Changes {
  readonly #base: Base
  readonly #lists: MemoryLists
  readonly #trail: MemoryTrail
  readonly #kinds = new Map<string, ExpiringMap<Hash>>()
  readonly #watchers = new Map<string, Watcher[]>()

  constructor(base: Base, lists: MemoryLists, trail: MemoryTrail) {
    this.#base = base
    this.#lists = lists
    this.#trail = trail
  }

  async put(...writes: readonly Write[]): Promise<void> {
    this.#base.gate.pass()
    this.write(writes)
  }

  async create(...writes: readonly Write[]): Promise<Created> {
    this.#base.gate.pass()
    assertWritable(writes)
    if (writes.some(({ kind, id }) => this.of(kind).get(wellFormed(id)) !== undefined)) return 'exists'
    this.write(writes)
    return 'ok'
  }

  async read<T>(
    kind: ReadableKind<T>,
    id: string,
    { idle_ttl, fields, expected = {} }: Reading = {},
  ): Promise<Found<T> | undefined> {
    this.#base.gate.pass()
    const hash = this.of(kind).get(wellFormed(id))
    if (hash === undefined || !isAsExpected(hash, { expected })) return undefined
    if (idle_ttl !== undefined) this.#keep({ kind, id, hash: this.#asUsed(kind, hash), ttl: idle_ttl })
    return readFields(kind, id, hash, fields)
  }

  async change(kind: KindName, id: string, change: Change): Promise<Changed> {
    this.#base.gate.pass()
    const { expected = {}, whole, ttl, lists = [], beside, told } = change
    if (beside !== undefined) assertBeside(kind, id, beside)
    const name = wellFormed(id)
    const record = this.of(kind).get(name)
    if (record === undefined || !isAsExpected(record, change)) return 'missing'
    if (whole && Object.keys(record).length > Object.keys(expected).length) return 'missing'
    const other = beside && (this.of(beside.kind).get(name) ?? {})
    if (beside !== undefined && other !== undefined) {
      if (!isAsExpected(other, beside)) return 'missing'
      this.#replace(beside.kind, name, changed(other, beside))
    }
    this.#lists.join(lists)
    const after = { ...changed(record, change), ...countOf(kind, record, change) }
    this.#replace(kind, name, after)
    if (ttl !== undefined) this.of(kind).keepUntil(name, this.#base.now() + ttl * 1000)
    this.#trail.write(told)
    this.#report(kind, name)
    return 'ok'
  }

  async take<T>(kind: Kind<T>, id: string, ...writes: readonly Write[]): Promise<Found<T> | undefined> {
    this.#base.gate.pass()
    assertWritable(writes)
    if (kind.slot === 'family') familyOf(id, ...writes.map((write) => write.id))
    const hash = this.of(kind).take(wellFormed(id))
    if (hash === undefined) return undefined
    this.write(writes)
    this.#report(kind, wellFormed(id))
    return found(kind, id, { ...hash })
  }

  async use(
    kind: UsableKind,
    id: string,
    uses: 1 | -1,
    ...writes: readonly Omit<Write, 'lists'>[]
  ): Promise<Changed> {
    this.#base.gate.pass()
    const name = wellFormed(id)
    const hash = this.of(kind).get(name)
    const left = Number(hash?.[kind.uses_left] || Number.NaN)
    // A text that is not a number reads as NaN, for which every comparison is false.
    if (!(left >= Math.max(uses, 0))) return 'missing'
    this.write(writes)
    const is_over = left - uses < 1 && !kind.stays_used
    this.#replace(kind, name, is_over ? {} : { ...hash, [kind.uses_left]: String(left - uses) })
    this.#report(kind, name)
    return 'ok'
  }

  async remove<T>(kind: Kind<T>, id: string, told: AuditEntries | undefined): Promise<Found<T> | undefined> {
    this.#base.gate.pass()
    if (this.of(kind).get(wellFormed(id)) !== undefined) this.#trail.write(told)
    return this.take(kind, id)
  }

  async *list(kind: KindName): AsyncGenerator<{ id: string; hash: Hash }> {
    this.#base.gate.pass()
    for (const [id, hash] of [...this.of(kind).entries()]) yield { id, hash: { ...hash } }
  }

  scan(kind: KindName): AsyncGenerator<{ id: string; hash: Hash }> {
    return this.list(kind)
  }

  async forget(kind: KindName, isForgotten: (hash: Hash) => boolean): Promise<number> {
    this.#base.gate.pass()
    const ids = [...this.of(kind).entries()].filter(([, hash]) => isForgotten(hash)).map(([id]) => id)
    for (const id of ids) {
      this.of(kind).take(id)
      this.#report(kind, id)
    }
    return ids.length
  }

  async page(kind: KindName, { after, prefix = '', limit }: PageRequest): Promise<RecordPage> {
    this.#base.gate.pass()
    const isAfter = (id: string) => after === undefined || compareIds(id, after) > 0
    const found = [...this.of(kind).entries()]
      .filter(([id]) => id.startsWith(wellFormed(prefix)) && isAfter(id))
      .sort(([a], [b]) => compareIds(a, b))
    const items = found.slice(0, limit).map(([id, hash]) => ({ id, hash: { ...hash } }))
    const next = items.at(-1)?.id
    return found.length <= limit || next === undefined ? { items } : { items, next }
  }

  async find(
    kind: KindName,
    readings: readonly (readonly string[])[],
    request: FindRequest,
  ): Promise<FoundPage> {
    this.#base.gate.pass()
    const all = new Map(this.of(kind).entries())
    const worded = [...all].map(([id, hash]) => ({ id, text: textOf(kind, id, hash) }))
    const { ids, next, of } = findWorded(worded, { readings, ...request })
    const items = ids.map((id) => ({ id, hash: { ...all.get(id) } }))
    return { items, of, ...(next !== undefined && { next }) }
  }

  async absent(kind: KindName, ids: readonly string[]): Promise<string[]> {
    this.#base.gate.pass()
    return ids.filter((id) => this.of(kind).get(wellFormed(id)) === undefined)
  }

  // A page is made from the records themselves.
  async unlisted(): Promise<string[]> {
    return []
  }

  async relist(): Promise<void> {}

  async fitWords(): Promise<number> {
    return 0
  }

  async *unlistGone(): AsyncGenerator<never> {}

  async *walk(kinds: readonly KindName[]): AsyncGenerator<Walked[]> {
    this.#base.gate.pass()
    for (const kind of kinds) {
      yield [...this.of(kind).entries()].map(([id, hash]) => ({ kind, id, hash: { ...hash } }))
    }
  }

  watch({ name }: KindName, watcher: Watcher): void {
    this.#watchers.set(name, [...(this.#watchers.get(name) ?? []), watcher])
  }

  isLive(): boolean {
    return true
  }

  /** The records of a kind, for MemoryFamilies, which changes codes. */
  of({ name }: KindName): ExpiringMap<Hash> {
    const records = this.#kinds.get(name) ?? new ExpiringMap<Hash>(this.#base.now)
    this.#kinds.set(name, records)
    return records
  }

  /** Writes records, for steps that do more. @throws TypeError if one cannot be written */
  write(writes: readonly Write[]): void {
    assertWritable(writes)
    for (const write of writes) {
      this.#lists.join(write.lists ?? [])
      this.#keep({ ...write, hash: asStored(write.hash) })
      this.#trail.write(write.told)
      this.#report(write.kind, wellFormed(write.id))
    }
  }

  /** Writes another hash in the place of a record, if it has one; its lifetime stays. */
  #replace(kind: KindName, name: string, hash: Hash): void {
    // Redis drops a hash with its last field.
    if (Object.keys(hash).length === 0) this.of(kind).take(name)
    else if (this.of(kind).get(name) === undefined) this.of(kind).set(name, hash, Number.POSITIVE_INFINITY)
    else this.of(kind).update(name, () => hash)
  }

  #keep({ kind, id, hash, ttl = Number.POSITIVE_INFINITY }: Write): void {
    const ends_at = kind.ends_at === undefined ? Number.POSITIVE_INFINITY : Number(hash[kind.ends_at])
    this.of(kind).set(wellFormed(id), hash, Math.min(this.#base.now() + ttl * 1000, ends_at))
  }

  /** The record with the time of its use, if it notes that, as the script read-record. */
  #asUsed({ used_at }: KindName, hash: Hash): Hash {
    if (used_at === undefined || hash[used_at] === undefined) return hash
    const now = this.#base.now()
    return { ...hash, [used_at]: String(now - (now % MINUTE)) }
  }

  #report({ name }: KindName, id: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) watcher.changed(id)
  }
}

function isAsExpected(
  record: Hash,
  { expected = {}, absent = [] }: Pick<Change, 'expected' | 'absent'>,
): boolean {
  const isAbsent = (field: string) => !Object.hasOwn(record, field) || record[field] === ''
  return hasFields(record, asStored(expected)) && absent.map(wellFormed).every(isAbsent)
}

function changed(record: Hash, { set = {}, unset = [] }: Pick<Beside, 'set' | 'unset'>): Hash {
  const fields = new Map(Object.entries({ ...record, ...asStored(set) }))
  for (const field of unset) fields.delete(wellFormed(field))
  return Object.fromEntries(fields)
}

/** @throws TypeError if one of the records cannot be written */
export function assertWritable(writes: readonly Write[]): void {
  for (const { kind, id, hash } of writes) {
    // Redis has no hashes without fields.
    if (Object.keys(hash).length === 0) throw new TypeError('a record must have at least one field')
    if (kind.slot === 'family') assertTokenString(id)
  }
}
