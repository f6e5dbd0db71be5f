import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MS = 60_000
const STEP_MS = 100

/**
 * Waits until a condition holds, longer than `until`, because elections take time. The check may throw meanwhile.
 * @throws if it does not hold within a minute
 */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`waited a minute in vain until ${what}`)
    await pause(STEP_MS)
  }
}
