import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'
import type { Hash } from '../../core/record-hash.ts'
import { readingsOf, textOfWords, wordsIn } from '../../core/words.ts'
import { compareIds } from '../../storage/compare-ids.ts'
import { fittedAt } from '../../storage/indexes.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { isFound, textOf } from '../../storage/words.ts'
import { scanAll } from './misfit.ts'
import type { AdminContext } from './operation.ts'

/** How many items a page has if the request does not say. */
export const DEFAULT_LIMIT = 50

/** Returns the schema of what is looked for. @param where what its words are in */
export function queried(where: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 1024,
    description: `Words that are all in ${where}, whole or their beginnings, of up to 4,096 records also any part of three letters or more; case and diacritical marks do not count; what is exactly this comes first`,
  })
}

/** The query of a list that can be searched. */
export const SEARCH = Type.Object({
  q: Type.Optional(queried('the name and the id')),
})

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: string
}

const NEXT = Type.Optional(Type.String())

/** Returns the schema of a page. */
export function pageSchema<Item extends TSchema>(item: Item): TUnsafe<Page<Static<Item>>> {
  return Type.Unsafe(Type.Object({ items: Type.Array(item), next: NEXT }))
}

/** Whether a list may lack records. */
export interface Indexing {
  readonly indexing?: true
}

/** What a list says of itself. */
export interface ListNotes extends Indexing {
  /** How many records `q` was looked for in; absent: nothing was looked for. */
  readonly of?: number
}

/**
 * Returns the schema of a page of a list that servers make of records that were there before them.
 * @param more further members
 */
export function madePageSchema<Item extends TSchema, More extends TProperties = Record<never, never>>(
  item: Item,
  more?: More,
): TUnsafe<Page<Static<Item>> & Indexing & Static<TObject<More>>> {
  const indexing = Type.Optional(
    Type.Literal(true, {
      description:
        'Servers have not looked at all records yet, or not for two days: some that were there before may be missing here, for minutes after a first start',
    }),
  )
  return Type.Unsafe(Type.Object({ ...more, items: Type.Array(item), next: NEXT, indexing }))
}

/** Returns the schema of a page of a list that can be searched, with how many records there are. */
export function foundPageSchema<Item extends TSchema>(item: Item) {
  const description = 'How many there are, of which `q` chooses; absent: they were not counted'
  return madePageSchema(item, { of: Type.Optional(Type.Integer({ minimum: 0, description })) })
}

/** What is said where a list may lack records. @param noun of the command that makes it whole: `user` */
export const indexingNote = (noun: string): string =>
  `Servers have not looked at all records yet: this list may lack some. It is whole within minutes, and at once after redmint ${noun} reindex.`

/** Returns what a list says of itself. @throws StorageUnavailable */
async function indexingOf(store: RecordStore): Promise<Indexing> {
  return (await fittedAt(store)) === undefined ? { indexing: true } : {}
}

/** Which records of a list are wanted. */
interface Wanted {
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** A record of a page; `hash` is undefined if its key is not a hash. */
interface Listed {
  readonly id: string
  readonly hash: Hash | undefined
}

/**
 * Returns a page of what is found by a text, the best first: what is exactly this, then what begins with it, then what has
 * its words elsewhere. The command on the host gets all as one page while no server keeps the words. Without a text, or
 * with one that has no word, it is a page of records in the order of their ids.
 * @param kind a kind with words
 * @param findExact returns the records that are exactly this
 */
export async function foundPage(
  context: Pick<AdminContext, 'storage' | 'caller'>,
  kind: KindName,
  findExact: (q: string) => Promise<readonly Listed[]>,
  wanted: Wanted,
): Promise<{ items: Listed[]; next?: string } & ListNotes> {
  const { q, cursor, limit = DEFAULT_LIMIT } = wanted
  if (q === undefined) return pageOf(context, kind, undefined, wanted)
  const exact = await findExact(q)
  const readings = readingsOf(q)
  if (readings.length === 0) return pageOf(context, kind, exact[0], wanted)
  const { records } = context.storage
  const is_exact = new Set(exact.map(({ id }) => id))
  const others = (items: readonly Listed[]) => items.filter(({ id }) => !is_exact.has(id))
  if (context.caller.kind === 'command' && (await fittedAt({ records })) === undefined) {
    const all = [...(await scanAll({ records }, kind))].map(([id, hash]) => ({ id, hash }))
    const found = all.filter(({ id, hash }) => isFound(textOf(kind, id, hash ?? {}), readings, true))
    return { items: [...exact, ...others(found)], of: all.length }
  }
  const first = cursor === undefined ? exact.slice(0, limit) : []
  // The next page begins with what is not exactly this.
  if (first.length === limit) return { items: first, next: '', ...(await indexingOf({ records })) }
  const [{ items, next, of }, indexing] = await Promise.all([
    records.find(kind, readings, { after: cursor, limit: limit - first.length }),
    indexingOf({ records }),
  ])
  const found = others(items).sort((one, other) => namedLast(kind, one, q) - namedLast(kind, other, q))
  return { items: [...first, ...found], of, ...(next !== undefined && { next }), ...indexing }
}

/** Whether a record with these texts is found by a text: is it, or has its words, or parts of them. */
export function isFoundBy(texts: readonly string[], q: string): boolean {
  return texts.includes(q) || isFound(textOfWords(texts), readingsOf(q), true)
}

/** Returns 0 for a record that has a text in which there is nothing but what is looked for, else 1. */
function namedLast({ words }: KindName, { id, hash }: Listed, q: string): 0 | 1 {
  const asked = wordsIn(q).join(' ')
  return words?.texts(id, hash ?? {}).some((text) => wordsIn(text).join(' ') === asked) ? 0 : 1
}

/**
 * Returns a page of records in the order of their ids. The command on the host gets all of them as one page while no server
 * keeps the list, as before the first one has started.
 * @param kind a listed kind
 * @param exact the record whose id is `q`, which is then the only one
 * @param wanted `cursor`: where the page begins, `next` of the page before
 */
export async function pageOf(
  { storage: { records }, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  kind: KindName,
  exact: Listed | undefined,
  { q, cursor, limit = DEFAULT_LIMIT }: Wanted,
): Promise<{ items: Listed[]; next?: string } & Indexing> {
  if (exact !== undefined && cursor === undefined) return { items: [exact] }
  if (caller.kind === 'command' && (await fittedAt({ records })) === undefined) {
    const all = [...(await scanAll({ records }, kind))].map(([id, hash]) => ({ id, hash }))
    return { items: all.filter(({ id }) => id.startsWith(q ?? '')) }
  }
  const misfits: Listed[] = []
  const [{ items, next }, indexing] = await Promise.all([
    records.page(kind, {
      limit,
      ...(q !== undefined && { prefix: q }),
      ...(cursor !== undefined && { after: cursor }),
      misfit: (id) => misfits.push({ id, hash: undefined }),
    }),
    indexingOf({ records }),
  ])
  const found = [...items, ...misfits].sort((a, b) => compareIds(a.id, b.id))
  return { items: found, ...(next !== undefined && { next }), ...indexing }
}
