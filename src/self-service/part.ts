import type { Sealer } from '../keys/sealer.ts'
import { isListCursor } from '../storage/lists.ts'

/** A part of a list. */
export interface PartOfList<T> {
  readonly items: readonly T[]
  /** Where the next part begins; undefined: this was the last one. */
  readonly next: string | undefined
}

/** Reads a list to its end, a part at a time. */
export async function readAll<T>(read: (after: string | undefined) => Promise<PartOfList<T>>): Promise<T[]> {
  const all: T[] = []
  let after: string | undefined
  do {
    const { items, next } = await read(after)
    all.push(...items)
    after = next
  } while (after !== undefined)
  return all
}

interface CursorContext {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
}

/** Returns the address of the account page from a place in a list on: it says nothing of what is there. */
export function olderLink(
  { sealer }: CursorContext,
  base: string,
  list: string,
  owner: string,
  next: string | undefined,
): string | undefined {
  if (next === undefined) return undefined
  const place = sealer.seal('account-list', JSON.stringify([list, owner, next]))
  return `${base}?${new URLSearchParams({ [list]: place })}#${list}`
}

/** Reads the place in a list that an address has; undefined: it has none, or that of somebody else. */
export function placeIn(
  { sealer }: CursorContext,
  list: string,
  owner: string,
  sealed: string | undefined,
): string | undefined {
  const text = sealed && sealer.open('account-list', sealed)
  if (!text) return undefined
  const [of_list, of_owner, next] = JSON.parse(text) as [string, string, string]
  return of_list === list && of_owner === owner && isListCursor(next) ? next : undefined
}
