// A call that can be made of a storage, right or wrong, with the answer that the model expects.
import fc from 'fast-check'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Run } from './run.ts'

/** Seconds. Lifetimes are whole units, so that the time which a test itself takes decides nothing. */
export const UNIT = 100

/** A call that is ready to be made, and what the model says that it answers. */
export interface Call {
  expected: unknown
  send(storage: Storage): Promise<unknown>
}

/**
 * Makes a call ready, at an instant of the storage's clock (milliseconds since 1970); undefined where there is
 * nothing yet that it could be about.
 */
export interface Attempt {
  text: string
  prepare(run: Run, clock: number): Call | undefined
}

export const SCOPE = 'openid api.read api.write'
/** How far back in a list of what there is; mostly not far. */
export const pick = fc.oneof(fc.constant(0), fc.nat({ max: 8 }))
export const units = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * UNIT)
/** True now and then. */
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

/** The one of a list that stands so far from its end. */
export const last = <T>(list: readonly T[], back: number): T | undefined =>
  list[list.length - 1 - (back % (list.length || 1))]
