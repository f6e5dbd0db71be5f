// A correct or wrong call of a storage, with the result that the model expects.
import fc from 'fast-check'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Run } from './run.ts'

/** Seconds. Lifetimes are whole units, so that the duration of the test does not affect the result. */
export const UNIT = 100

/** A prepared call, and its expected result. */
export interface Call {
  expected: unknown
  send(storage: Storage): Promise<unknown>
}

/**
 * Prepares a call at an instant of the storage's clock (milliseconds since 1970); undefined if there is
 * nothing to call it with yet.
 */
export interface Attempt {
  text: string
  prepare(run: Run, clock: number): Call | undefined
}

export const SCOPE = 'openid api.read api.write'
/** An index from the end of a list, mostly small. */
export const pick = fc.oneof(fc.constant(0), fc.nat({ max: 8 }))
export const units = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * UNIT)
/** True sometimes. */
export const seldom = fc.integer({ min: 0, max: 7 }).map((n) => n === 7)

export function attempt<A>(
  name: string,
  args: fc.Arbitrary<A>,
  prepare: (run: Run, args: A, clock: number) => Call | undefined,
) {
  return args.map(
    (args): Attempt => ({
      text: `${name} ${JSON.stringify(args)}`,
      prepare: (run, clock) => prepare(run, args, clock),
    }),
  )
}

/** The element of a list at this index from its end. */
export const last = <T>(list: readonly T[], back: number): T | undefined =>
  list[list.length - 1 - (back % (list.length || 1))]
