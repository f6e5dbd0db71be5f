import { MAX_SIGNED_TOKEN_TTL } from '../config/environment.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { parseObject } from '../core/json.ts'
import type { Hash } from '../core/record-hash.ts'
import { newFamilyId } from '../core/token-string.ts'
import { CAPACITY, newSeed } from './list-order.ts'

/** How many bits a server reserves at a time. */
export const BLOCK = 1024

/** For how many milliseconds a server gives out the bits that it reserved. */
export const BLOCK_FOR = 600_000

/** How long a list is kept after bits of it were reserved last, in milliseconds: until the last token has expired. */
const LIST_FOR = BLOCK_FOR + (MAX_SIGNED_TOKEN_TTL + 2 * CLOCK_SKEW) * 1000

/** A status list as storage has it. */
export interface ListState {
  readonly seed: string
  /** Where its decoys begin. */
  readonly start: number
  /** When bits of it were reserved last, in milliseconds since 1970. */
  readonly last: number
}

/** What storage has of all lists. */
export interface ListsState {
  /** The id of the list whose bits are given out; absent: none was yet. */
  readonly current?: string
  /** How many of its bits were reserved. */
  readonly reserved: number
  /** The restore mark when that list began, in seconds since 1970. */
  readonly mark: number
  /** When the lists were written last, in milliseconds since 1970. */
  readonly written_at: number
  readonly lists: ReadonlyMap<string, ListState>
}

/** Bits that a server reserved: those of these positions in the order of the list. */
export interface ReservedBlock {
  readonly list: string
  readonly seed: string
  readonly first: number
}

const LIST = 'list.'

/** Reads what storage has; what is malformed counts as absent, so that a new list begins. */
export function parseLists(hash: Hash): ListsState {
  const lists = new Map<string, ListState>()
  for (const [name, text] of Object.entries(hash)) {
    if (!name.startsWith(LIST)) continue
    const { seed, start, last } = parseObject(text) ?? {}
    if (typeof seed !== 'string' || !/^[\w-]{43}$/.test(seed)) continue
    lists.set(name.slice(LIST.length), { seed, start: whole(start), last: whole(last) })
  }
  const { current = '' } = hash
  return {
    ...(lists.has(current) && { current }),
    reserved: whole(hash.reserved),
    mark: whole(hash.mark),
    written_at: whole(hash.written_at),
    lists,
  }
}

/** Returns what storage gets. */
export function formatLists({ current, reserved, mark, written_at, lists }: ListsState): Hash {
  return {
    ...(current !== undefined && { current }),
    ...{ reserved: String(reserved), mark: String(mark), written_at: String(written_at) },
    ...Object.fromEntries([...lists].map(([id, state]) => [LIST + id, JSON.stringify(state)])),
  }
}

/**
 * Reserves bits. A list that is full, or from before the restore mark, is followed by a new one: what was reserved since the
 * copy is forgotten, and no index is ever given twice.
 * @param mark the restore mark, in seconds since 1970
 * @param now milliseconds since 1970
 */
export function reserve(
  state: ListsState,
  mark: number,
  now: number,
): { state: ListsState; block: ReservedBlock } {
  const { current, reserved } = state
  const goes_on = current !== undefined && state.mark >= mark && reserved + BLOCK <= CAPACITY
  const list = goes_on ? current : newFamilyId()
  const known = state.lists.get(list) ?? { seed: newSeed(), start: 0, last: now }
  const first = goes_on ? reserved : 0
  const lists = new Map(state.lists).set(list, { ...known, last: now })
  return {
    state: { ...state, current: list, reserved: first + BLOCK, mark: goes_on ? state.mark : mark, lists },
    block: { list, seed: known.seed, first },
  }
}

/** Returns the lists without those whose tokens have all expired. @param now milliseconds since 1970 */
export function liveLists({ lists, current }: ListsState, now: number): Map<string, ListState> {
  return new Map([...lists].filter(([id, { last }]) => id === current || now - last < LIST_FOR))
}

function whole(value: unknown): number {
  const number = Number(value ?? 0)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}
