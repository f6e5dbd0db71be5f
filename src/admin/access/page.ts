import { Type } from '@sinclair/typebox'
import { isListCursor } from '../../storage/lists.ts'
import { AdminError } from '../operation/problem.ts'

/** How many items a page has if the request does not say, and at most. */
const DEFAULT_LIMIT = 50
/** So many items are counted one by one; of a longer list, also those that are over count. Few: ending much is no dearer. */
export const COUNTED = 20
// What is over is left out, so that a page may need several parts of its list.
const MAX_PARTS = 4

/** A page of what somebody has. */
export type AccessPage<T> = {
  readonly items: readonly T[]
  readonly next?: string
}

/** Where a page begins, and how long it is. */
export interface PageRequested {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** Reads a part of a list: what is live in it, and where the next part begins. */
type ReadPart<T> = (part: { readonly after: string | undefined; readonly limit: number }) => Promise<{
  readonly items: readonly T[]
  readonly next: string | undefined
}>

/**
 * Returns a page. It may have fewer items than its limit, and yet be followed by another one.
 * @throws AdminError `invalid_cursor`; StorageUnavailable
 */
export async function pageOfParts<T>(
  read: ReadPart<T>,
  { cursor, limit = DEFAULT_LIMIT }: PageRequested,
): Promise<AccessPage<T>> {
  if (cursor !== undefined && !isListCursor(cursor))
    throw new AdminError('invalid_cursor', 'The cursor is not of this list.')
  const items: T[] = []
  let after = cursor
  for (let parts = 0; parts < MAX_PARTS && items.length < limit; parts += 1) {
    const part = await read({ after, limit: limit - items.length })
    items.push(...part.items)
    after = part.next
    if (after === undefined) return { items }
  }
  return { items, ...(after !== undefined && { next: after }) }
}

/** The answer of what ends several things. */
export const EndedCount = Type.Object({
  ended: Type.Integer({ description: `How many; above ${COUNTED} about how many` }),
})
export type EndedCount = { readonly ended: number }

/** Returns milliseconds since 1970 in ISO 8601. */
export const instantOf = (ms: number): string => new Date(ms).toISOString()
