import { setTimeout } from 'node:timers/promises'

/** In milliseconds: more than any question needs, and nobody waits for an answer so short a time. */
const STEP = 20

/**
 * Waits until a whole number of steps has passed. What was found out in between, such as whether an account is there, is
 * not in the time of the answer.
 * @param began by `performance.now`
 */
export async function evenTime(began: number): Promise<void> {
  await setTimeout(STEP - ((performance.now() - began) % STEP))
}
