import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { Hash } from '../../../core/record-hash.ts'
import { familyOf } from '../../family-ids.ts'
import type { Listing } from '../../lists.ts'
import {
  assertBeside,
  type Change,
  type Changed,
  type Created,
  type Fitted,
  type Found,
  type FoundPage,
  found,
  isCounted,
  type Kind,
  type KindName,
  type PageRequest,
  type ReadableKind,
  type Reading,
  type RecordPage,
  type Records,
  type UsableKind,
  type Walked,
  type Write,
} from '../../records.ts'
import { type FindRequest, textOf } from '../../words.ts'
import type { RedisKeys } from '../keys.ts'
import { flat, nonEmpty, type RedisAccess, unflat, valuesOf } from './access.ts'
import { withLists } from './lists.ts'
import { RedisNames } from './names.ts'
import type { RunScript, ScriptAnswer } from './scripts.ts'
import { withTrail } from './trail.ts'
import { RedisWords, type WordArguments, type WordedRecord, wordsOf } from './words.ts'

/** Records in Redis: a hash each, with the key `<kind>:<id>`. */
export class RedisRecords implements Records {
  readonly #access: RedisAccess
  readonly #names: RedisNames
  readonly #words: RedisWords

  constructor(access: RedisAccess) {
    this.#access = access
    this.#names = new RedisNames(access)
    this.#words = new RedisWords(access)
  }

  async put(...writes: readonly Write[]): Promise<void> {
    await this.#write('put-records', writes)
    const naming = this.#addNames(writes)
    if (naming !== undefined) await naming
  }

  async create(...writes: readonly Write[]): Promise<Created> {
    const created = await this.#write('create-records', writes)
    if (created === 'ok') await this.#addNames(writes)
    return created
  }

  async read<T>(
    kind: ReadableKind<T>,
    id: string,
    { idle_ttl, fields, current, expected }: Reading = {},
  ): Promise<Found<T> | undefined> {
    if (!canBeId(kind, id)) return undefined
    const key = this.#access.keys.record(kind, id)
    if ((idle_ttl ?? fields ?? current ?? expected) === undefined) {
      const hash = await this.#access.readHash(key)
      return hash && found(kind, id, hash)
    }
    const { ends_at: end_field = '' } = kind
    const used_field = (idle_ttl !== undefined && kind.used_at) || ''
    // The script reads the end anyway, and sends it first.
    const asks_end = fields !== undefined && fields.length > 1 && fields.includes(end_field)
    const names = asks_end ? fields.filter((field) => field !== end_field) : fields
    const answer = await this.#access.run('read-record', [key], {
      idle_ttl: idle_ttl ?? (current ? 0 : undefined),
      end_field,
      used_field,
      expected: flat(expected ?? {}),
      fields: names === undefined || used_field === '' ? (names ?? []) : [...names, used_field],
    })
    const hash = nonEmpty(
      names === undefined
        ? unflat(answer)
        : valuesOf(asks_end ? [end_field, ...names] : names, asks_end ? answer : answer.slice(1)),
    )
    return hash && found(kind, id, hash)
  }

  async change(kind: KindName, id: string, change: Change): Promise<Changed> {
    if (!canBeId(kind, id)) return 'missing'
    for (;;) {
      const worded = await this.#changedWords(kind, id, change)
      const changed = await this.#words.with(
        worded,
        (words) => this.#change(kind, id, change, words),
        (answer) => answer === 'ok',
      )
      if (changed !== 'again') return changed
    }
  }

  /** The words that a record has after a change, with the fields that this depends on; undefined: it changes none. */
  async #changedWords(
    kind: KindName,
    id: string,
    { set, unset = [] }: Change,
  ): Promise<WordedRecord | undefined> {
    const { fields = [] } = kind.words ?? {}
    if (!fields.some((field) => Object.hasOwn(set, field) || unset.includes(field))) return undefined
    const key = this.#access.keys.record(kind, id)
    const values = await this.#access.command<(string | null)[]>('read-hash', 'hmget', key, ...fields)
    const read = Object.fromEntries(fields.map((field, i) => [field, values[i] ?? '']))
    const left = Object.entries({ ...read, ...set }).filter(([field]) => !unset.includes(field))
    return { kind, id, text: textOf(kind, id, Object.fromEntries(left)), read }
  }

  async #change(
    kind: KindName,
    id: string,
    change: Change,
    words: WordArguments,
  ): Promise<ScriptAnswer<'change-record'>> {
    const { set, unset = [], expected = {}, whole, ttl, lists = [], told } = change
    if (change.beside !== undefined || change.absent !== undefined || isCounted(kind, change))
      return this.#changeCounted(kind, id, change, words)
    const args = { ttl, whole, expected: flat(expected), set: flat(set), unset }
    const run = this.#runFor([{ kind }])
    const key = this.#access.keys.record(kind, id)
    return withTrail(this.#access, key, told, (trail) =>
      withLists(
        this.#access,
        lists,
        (joined) =>
          run('change-record', [key, ...joined.keys, ...words.keys, ...trail.keys], {
            ...args,
            entries: trail.args,
            words: words.args,
            lists: joined.args,
          }),
        'before',
      ),
    )
  }

  /** A change that is counted, or depends on what is missing or on another record. */
  async #changeCounted(
    kind: KindName,
    id: string,
    change: Change,
    words: WordArguments,
  ): Promise<ScriptAnswer<'change-records'>> {
    const { set, unset = [], expected = {}, absent = [], whole, beside, told } = change
    if (change.ttl !== undefined || change.lists !== undefined)
      throw new TypeError('a record whose changes are counted has no time to live')
    if (beside !== undefined) assertBeside(kind, id, beside)
    const key = this.#access.keys.record(kind, id)
    const keys = beside === undefined ? [key] : [key, this.#access.keys.record(beside.kind, id)]
    const run = this.#runFor(beside === undefined ? [{ kind }] : [{ kind }, beside])
    return withTrail(this.#access, key, told, (trail) =>
      run('change-records', [...keys, ...words.keys, ...trail.keys], {
        records: keys.length,
        whole,
        count: isCounted(kind, change) ? kind.counts?.field : undefined,
        entries: trail.args,
        words: words.args,
        expected: flat(expected),
        absent,
        set: flat(set),
        unset,
        beside_expected: flat(beside?.expected ?? {}),
        beside_absent: beside?.absent ?? [],
        beside_set: flat(beside?.set ?? {}),
        beside_unset: beside?.unset ?? [],
      }),
    )
  }

  take<T>(kind: Kind<T>, id: string, ...writes: readonly Write[]): Promise<Found<T> | undefined> {
    return this.#take(kind, id, writes, toldBy(writes))
  }

  async use(
    kind: UsableKind,
    id: string,
    uses: 1 | -1,
    ...writes: readonly Omit<Write, 'lists'>[]
  ): Promise<Changed> {
    const key = this.#access.keys.record(kind, id)
    const keys = [key, ...this.#keysOf(writes)]
    const args = { field: kind.uses_left, uses, stays: kind.stays_used, records: recordArguments(writes) }
    const run = this.#runFor([{ kind }, ...writes])
    const used = await withTrail(this.#access, key, toldBy(writes), (trail) =>
      run('use-record', [...keys, ...trail.keys], { ...args, entries: trail.args }),
    )
    if (used === 'ok') await this.#addNames(writes)
    return used
  }

  remove<T>(kind: Kind<T>, id: string, told: AuditEntries | undefined): Promise<Found<T> | undefined> {
    return this.#take(kind, id, [], told)
  }

  async #take<T>(
    kind: Kind<T>,
    id: string,
    writes: readonly Write[],
    told: AuditEntries | undefined,
  ): Promise<Found<T> | undefined> {
    if (kind.slot === 'family' && familyOf(id, ...writes.map((write) => write.id)) === undefined)
      return undefined
    const key = this.#access.keys.record(kind, id)
    const keys = [key, ...this.#keysOf(writes)]
    const records = recordArguments(writes)
    const run = this.#runFor([{ kind }])
    const taken = await this.#words.with(
      kind.words && { kind, id, text: '' },
      (words) =>
        withTrail(this.#access, key, told, (trail) =>
          withLists(
            this.#access,
            listingsOf(writes),
            (lists) =>
              run('take-record', [...keys, ...lists.keys, ...words.keys, ...trail.keys], {
                entries: trail.args,
                words: words.args,
                lists: lists.args,
                records,
              }),
            'before',
          ),
        ),
      (found) => found.length > 0,
    )
    const hash = nonEmpty(unflat(taken))
    if (hash === undefined) return undefined
    await this.#addNames(writes)
    if (kind.listed) await this.#names.drop(kind, [id])
    return found(kind, id, hash)
  }

  async *list(kind: KindName, misfit?: (id: string) => void): AsyncGenerator<{ id: string; hash: Hash }> {
    const seen = new Set<string>()
    const isNew = (id: string) => {
      const { size } = seen
      return seen.add(id).size > size
    }
    const reportOnce = misfit && ((id: string) => isNew(id) && misfit(id))
    for await (const { name, hash } of this.#access.scan(this.#access.keys.prefixOf(kind), reportOnce)) {
      if (isNew(name)) yield { id: this.#access.keys.idIn(kind, name), hash }
    }
  }

  async *scan(kind: KindName): AsyncGenerator<{ id: string; hash: Hash }> {
    for await (const { name, hash } of this.#access.scan(this.#access.keys.prefixOf(kind))) {
      yield { id: this.#access.keys.idIn(kind, name), hash }
    }
  }

  async forget(kind: KindName, isForgotten: (hash: Hash) => boolean): Promise<number> {
    const prefix = this.#access.keys.prefixOf(kind)
    let forgotten = 0
    for await (const { name, hash } of this.#access.scan(prefix)) {
      if (!isForgotten(hash)) continue
      // A scan may repeat a key.
      forgotten += await this.#access.command<number>('forget-records', 'del', prefix + name)
      if (kind.listed) await this.#names.drop(kind, [this.#access.keys.idIn(kind, name)])
    }
    return forgotten
  }

  page(kind: KindName, request: PageRequest): Promise<RecordPage> {
    return this.#names.page(kind, request)
  }

  find(kind: KindName, readings: readonly (readonly string[])[], request: FindRequest): Promise<FoundPage> {
    return this.#words.find(kind, readings, request)
  }

  absent(kind: KindName, ids: readonly string[]): Promise<string[]> {
    return this.#names.absent(kind, ids)
  }

  unlisted(kind: KindName, ids: readonly string[]): Promise<string[]> {
    return this.#names.unlisted(kind, ids)
  }

  async relist(kind: KindName, ids: readonly string[]): Promise<void> {
    await this.#names.fit(kind, ids)
    await this.#words.fit(kind, ids)
  }

  fitWords(kind: KindName, found: readonly { readonly id: string; readonly hash: Hash }[]): Promise<number> {
    return this.#words.fitRead(kind, found)
  }

  async *unlistGone(kind: KindName): AsyncGenerator<Fitted> {
    yield* this.#names.dropGone(kind)
    yield* this.#words.dropGone(kind, (ids) => this.#names.absent(kind, ids))
  }

  async *walk(kinds: readonly KindName[]): AsyncGenerator<Walked[]> {
    const { keys } = this.#access
    const by_prefix = new Map(kinds.map((kind) => [keys.prefixOf(kind), kind]))
    const prefixOf = (key: string) => key.slice(0, key.indexOf(':', keys.prefix.length) + 1)
    for await (const step of this.#access.walk(keys.prefix, (key) => by_prefix.has(prefixOf(key)))) {
      yield step.flatMap(({ key, hash }) => {
        const prefix = prefixOf(key)
        const kind = by_prefix.get(prefix)
        return kind === undefined ? [] : [{ kind, id: keys.idIn(kind, key.slice(prefix.length)), hash }]
      })
    }
  }

  #addNames(writes: readonly Write[]): Promise<unknown> | undefined {
    const listed = writes.filter(({ kind }) => kind.listed)
    return listed.length === 0
      ? undefined
      : Promise.all(listed.map(({ kind, id }) => this.#names.add(kind, [id])))
  }

  #write<Name extends 'put-records' | 'create-records'>(
    name: Name,
    writes: readonly Write[],
  ): Promise<ScriptAnswer<Name>> {
    const keys = this.#keysOf(writes)
    const records = recordArguments(writes)
    return this.#words.with(
      wordsOf(writes),
      (words) =>
        withTrail(this.#access, keys[0] ?? '', toldBy(writes), (trail) =>
          withLists(
            this.#access,
            listingsOf(writes),
            (lists) =>
              this.#runFor(writes)(name, [...keys, ...lists.keys, ...words.keys, ...trail.keys], {
                entries: trail.args,
                words: words.args,
                lists: lists.args,
                records,
              }),
            // What was created is found again by a retry; what is put is told to nobody if the call fails.
            name === 'create-records' ? 'before' : 'together',
          ),
        ),
      (written) => written === 'ok',
    )
  }

  #runFor(writes: readonly Pick<Write, 'kind'>[]): RunScript {
    return writes.every(({ kind }) => kind.by_operators) ? this.#access.run : this.#access.write
  }

  #keysOf(writes: readonly Write[]): string[] {
    return recordKeys(this.#access.keys, writes)
  }
}

/** What the audit trail says of writes: one of them has it. */
function toldBy(writes: readonly Write[]): AuditEntries | undefined {
  return writes.find(({ told }) => told !== undefined)?.told
}

function listingsOf(writes: readonly Write[]): Listing[] {
  const listings: Listing[] = []
  for (const { lists } of writes) if (lists !== undefined) listings.push(...lists)
  return listings
}

// Records in the slot of a family have code or token strings as ids.
function canBeId(kind: KindName, id: string): boolean {
  return kind.slot !== 'family' || familyOf(id) !== undefined
}

/** Returns the keys of records to write. @throws TypeError if one cannot be written */
export function recordKeys(keys: RedisKeys, writes: readonly Write[]): string[] {
  return writes.map(({ kind, id, hash }) => {
    // Redis has no hashes without fields.
    if (Object.keys(hash).length === 0) throw new TypeError('a record must have at least one field')
    return keys.record(kind, id)
  })
}

/** Returns records to write as arguments of the scripts that include write_records. */
export function recordArguments(writes: readonly Write[]): (string | number)[] {
  const args: (string | number)[] = []
  for (const { kind, hash, ttl } of writes) {
    const ends_at = kind.ends_at === undefined ? '' : (hash[kind.ends_at] ?? '')
    const names = Object.keys(hash)
    args.push(ttl ?? '', ends_at, 2 * names.length)
    for (const name of names) args.push(name, hash[name] ?? '')
  }
  return args
}
