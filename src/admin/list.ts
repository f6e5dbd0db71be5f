import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Hash } from '../core/record-hash.ts'
import { compareIds } from '../storage/compare-ids.ts'
import type { KindName } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

/** How many items a page has if the request does not say. */
export const DEFAULT_LIMIT = 50

/** The query of a list that can be searched. */
export const SEARCH = Type.Object({
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'the id, or else how it begins' }),
  ),
})

/** Returns the schema of a page. */
export function pageSchema(item: TSchema): TObject {
  return Type.Object({ items: Type.Array(item), next: Type.Optional(Type.String()) })
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
 * Returns a page of records in the order of their ids.
 * @param kind a listed kind
 * @param exact the record whose id is `q`, which is then the only one
 * @param wanted `cursor`: where the page begins, `next` of the page before
 */
export async function pageOf(
  { records }: RecordStore,
  kind: KindName,
  exact: Listed | undefined,
  { q, cursor, limit = DEFAULT_LIMIT }: Wanted,
): Promise<{ items: Listed[]; next?: string }> {
  if (exact !== undefined && cursor === undefined) return { items: [exact] }
  const misfits: Listed[] = []
  const { items, next } = await records.page(kind, {
    limit,
    ...(q !== undefined && { prefix: q }),
    ...(cursor !== undefined && { after: cursor }),
    misfit: (id) => misfits.push({ id, hash: undefined }),
  })
  const found = [...items, ...misfits].sort((a, b) => compareIds(a.id, b.id))
  return { items: found, ...(next !== undefined && { next }) }
}
