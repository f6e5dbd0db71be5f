import { setTimeout as pause } from 'node:timers/promises'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Storage } from '../../src/storage/storage.ts'

// Only for conditions that never hold: on a busy machine they hold late.
const LIMIT_MS = 60_000
const STEP_MS = 20
/** For a program that compiles or downloads before it listens. Whoever waits also looks whether it has ended. */
export const PROGRAM_LIMIT_MS = 600_000

/**
 * Waits until a condition holds.
 * @param what names the condition in the error
 * @param step milliseconds between two checks, for a condition that is expensive to check
 * @param limit milliseconds until it gives up
 * @throws Error if it does not hold within the limit, a minute by default
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  step = STEP_MS,
  limit = LIMIT_MS,
): Promise<void> {
  const deadline = Date.now() + limit
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${limit} ms in vain until ${what}`)
    await pause(step)
  }
}

/** Waits until a storage answers a read, which leaves no key. @throws Error if it does not within a minute */
export async function untilAnswers({ records }: Pick<Storage, 'records'>): Promise<void> {
  await until('storage answers', () =>
    records.read(CLIENT, 'nobody').then(
      () => true,
      () => false,
    ),
  )
}
