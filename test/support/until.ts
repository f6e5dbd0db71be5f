import { setTimeout as pause } from 'node:timers/promises'

// Only for what never comes: on a busy machine things come late.
const LIMIT_MS = 60_000
const STEP_MS = 20

/**
 * Waits until a condition holds.
 * @param what names the condition in the error
 * @param step milliseconds between two looks, for a condition that is expensive to check
 * @throws an Error if it does not hold within a minute
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  step = STEP_MS,
): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${LIMIT_MS} ms in vain until ${what}`)
    await pause(step)
  }
}
