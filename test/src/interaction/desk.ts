import * as argon2 from '@node-rs/argon2'
import { Passwords } from '../../../src/accounts/passwords.ts'
import { completeSettings, type Settings } from '../../../src/config/config.ts'
import type { Parameters } from '../../../src/core/parameters.ts'
import { type SignInCaller, signIn } from '../../../src/interaction/sign-in.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { observed } from '../../support/observed.ts'
// A place to sign in at, which writes down what storage and argon2 are asked for.
import { createUser } from '../../support/records.ts'

export const PASSWORD = 'correct horse battery'
export const ALICE = { username: 'alice', password: PASSWORD }
export const CHEAP = { argon2_memory: 8192, argon2_iterations: 1, argon2_parallelism: 1 }
/** Where alice sits, and where somebody else does. */
export const HOME: SignInCaller = { address: '192.0.2.1', browser_id: 'h'.repeat(43) }
export const AWAY: SignInCaller = { address: '198.51.100.7', browser_id: 'a'.repeat(43) }

/** @param given settings that differ from the defaults */
export async function openDesk(given: Partial<Settings> = {}) {
  const clock = { now: 1_700_000_000_000 }
  const memory = new MemoryStorage({ now: () => clock.now })
  /** What was asked for, in order: names of storage's functions, and `hash` or `verify`. */
  const calls: string[] = []
  const logged: unknown[] = []
  const storage = observed(memory, (call, run) => {
    calls.push(call)
    return run()
  })
  const settings = completeSettings({
    issuer: 'https://a.example',
    ...CHEAP,
    argon2_concurrency: 2,
    ...given,
  })
  const passwords = new Passwords({
    settings,
    argon2: {
      hash: (...args) => {
        calls.push('hash')
        return argon2.hash(...args)
      },
      verify: (...args) => {
        calls.push('verify')
        return argon2.verify(...args)
      },
    },
  })
  const log = {
    info: (...args: unknown[]) => logged.push(args),
    warn: (...args: unknown[]) => logged.push(args),
    error: (...args: unknown[]) => logged.push(args),
  }
  const password_hash = await passwords.hash(PASSWORD)
  await createUser(memory, 'alice', { sub: 'a-1', name: 'Alice', password_hash })
  const context = { settings, storage, passwords, log }
  return {
    ...context,
    context,
    memory,
    clock,
    calls,
    logged,
    password_hash,
    /** One attempt, and what it asked for. */
    async attempt(form: Parameters, caller = HOME) {
      calls.length = 0
      const result = await signIn(context, form, caller)
      return { result, asked: [...calls] }
    },
  }
}
