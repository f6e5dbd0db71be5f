import { setTimeout as delay } from 'node:timers/promises'

/** The shortest rest, in milliseconds: requests come between two steps. */
const SHORTEST = 5
/** The longest, in milliseconds: a step of many seconds was that of a Redis that was away. */
const LONGEST = 1000

/** What tells and takes time. */
interface Pace {
  /** Milliseconds since any time. */
  readonly now: () => number
  /** Rests so many milliseconds. */
  readonly rest: (milliseconds: number) => Promise<unknown>
}

/**
 * Does steps of long work, and rests after each for as long as it took: the work asks Redis at most half of the time, and
 * less often where Redis has much else to do.
 * @param signal ends a rest, which then throws
 * @param pace what a test replaces
 */
export async function* paced<T>(
  steps: AsyncIterable<T>,
  signal?: AbortSignal,
  { now, rest }: Pace = {
    now: () => performance.now(),
    rest: (milliseconds) => delay(milliseconds, undefined, signal && { signal }),
  },
): AsyncGenerator<T> {
  let began = now()
  for await (const step of steps) {
    yield step
    await rest(Math.min(Math.max(now() - began, SHORTEST), LONGEST))
    began = now()
  }
}
