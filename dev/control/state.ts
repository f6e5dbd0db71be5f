import { Type } from '@sinclair/typebox'
import type { DevParts } from '../parts.ts'
import { ResettableStorage } from '../resettable-storage.ts'
import { ControlError } from './control-error.ts'
import { devOperation, NO_INPUT } from './operation.ts'

/** Moves the clock. */
export const CLOCK_ADVANCED = devOperation({
  summary: 'Moves the clock ahead, which all that has an end follows',
  method: 'POST',
  path: '/clock',
  call: 'clock.advance(seconds)',
  input: Type.Object(
    { advance: Type.Number({ minimum: 0, description: 'seconds' }) },
    { additionalProperties: false },
  ),
  /** @returns the time of the server after it, ISO 8601 */
  async run(parts, { advance }) {
    inMemory(parts, 'clock.advance')
    parts.clock.advance(advance)
    await readKeysAnew(parts)
    return { now: new Date(parts.clock.now()).toISOString() }
  },
})

/** Goes back to the start. */
export const RESET = devOperation({
  summary:
    'Forgets all that came since the start: records, tokens, sessions, mails, faults, the log, the clock',
  method: 'POST',
  path: '/reset',
  call: 'reset()',
  input: NO_INPUT,
  async run(parts) {
    const storage = inMemory(parts, 'reset')
    const context = parts.fastify.redmint
    parts.clock.reset()
    parts.faults.reset()
    await storage.reset()
    context.failures.forget()
    parts.mails.reset(context)
    parts.log.reset()
    await readKeysAnew(parts)
  },
})

// What is read at intervals of the system's clock is too old at once.
async function readKeysAnew({ fastify }: DevParts): Promise<void> {
  const { keys, sealer } = fastify.redmint
  await Promise.all([keys.reload(), sealer.reload()])
}

/** @throws ControlError with a Redis, which has a clock and records of its own */
function inMemory({ storage }: DevParts, what: string): ResettableStorage {
  if (storage instanceof ResettableStorage) return storage
  throw new ControlError(`${what} needs storage in memory: start the server without a Redis.`, 409)
}
