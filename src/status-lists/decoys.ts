import { randomInt } from 'node:crypto'
import { CAPACITY, LIST_SIZE } from './list-order.ts'

/** How many bits of a list are set at least: those of ended tokens and decoys together. */
const SET_AT_LEAST = 2 ** 14

/** How many decoys are cleared each time, and as many others set: from this many to twice as many. */
const CHURN = 64

const DECOYS = LIST_SIZE - CAPACITY

/**
 * Returns the decoys of a list that are set when so many tokens of it have ended: so many that the number of all set bits
 * stays the same, and not those of the time before, so that neither the number nor what changed tells of tokens.
 * @param order the order of the list
 * @param start where its decoys began the time before
 */
export function decoysOf(
  order: Uint32Array,
  start: number,
  ended: number,
): { readonly start: number; readonly set: Uint32Array } {
  const next = (start + randomInt(CHURN, 2 * CHURN)) % DECOYS
  const count = Math.min(DECOYS, setIn(ended) - ended)
  return { start: next, set: Uint32Array.from({ length: count }, (_, i) => decoy(order, next + i)) }
}

/** Returns how many bits are set when so many tokens have ended. */
function setIn(ended: number): number {
  return Math.max(SET_AT_LEAST, 2 ** Math.ceil(Math.log2(2 * ended + 1)))
}

const decoy = (order: Uint32Array, position: number): number => order[CAPACITY + (position % DECOYS)] ?? 0
