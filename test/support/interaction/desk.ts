import * as argon2 from '@node-rs/argon2'
import { completeSettings, type Settings } from '../../../src/config/settings.ts'
import type { Parameters } from '../../../src/core/parameters.ts'
import { password } from '../../../src/interaction/password-method.ts'
import { type JudgeContext, type SignInCaller, signIn } from '../../../src/interaction/sign-in.ts'
import type { LimitContext } from '../../../src/interaction/sign-in-limit.ts'
import { methodNamed } from '../../../src/interaction/sign-in-method.ts'
import type { Proven, StartedSession } from '../../../src/sessions/session.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import type { Argon2 } from '../../../src/users/hash-threads.ts'
import { Passwords } from '../../../src/users/passwords.ts'
import { observed } from '../observed.ts'
// Signs users in by password, and records the calls to storage and argon2.
import { createUser } from '../records.ts'

export const PASSWORD = 'correct horse battery'
export const ALICE = { username: 'alice', password: PASSWORD }
export const CHEAP = { argon2_memory: 8192, argon2_iterations: 1, argon2_parallelism: 1 }
/** Two callers: alice's, and another one. */
export const HOME: SignInCaller = { address: '192.0.2.1', browser_id: 'h'.repeat(43) }
export const AWAY: SignInCaller = { address: '198.51.100.7', browser_id: 'a'.repeat(43) }

/** The session that a successful sign-in starts. */
export const STARTED: StartedSession = { cookie: 'a cookie', sid: 'a session' }

/** One round of a sign-in by the method that the form names. */
export function attemptSignIn(
  context: JudgeContext & LimitContext,
  answer: Parameters,
  caller: SignInCaller,
  start: (proven: Proven) => Promise<StartedSession> = async () => STARTED,
) {
  const return_to = 'https://a.example/oauth2/interaction'
  const attempt = { answer, return_to, request: 'a request', acr_values: [], judged_since: 0 }
  return signIn(context, methodNamed([password], answer.method), attempt, caller, start)
}

/**
 * @param given settings that differ from the defaults
 * @param engine computes the hashes
 */
export async function openDesk(given: Partial<Settings> = {}, engine: Argon2 = argon2) {
  const clock = { now: 1_700_000_000_000 }
  const memory = new MemoryStorage({ now: () => clock.now })
  /** What was asked for, in order: names of storage's functions, such as `countFailures of 3`, and `hash` or `verify`. */
  const calls: string[] = []
  const logged: unknown[] = []
  const storage = observed(memory, (call, run, [counters]) => {
    calls.push(call === 'countFailures' && Array.isArray(counters) ? `${call} of ${counters.length}` : call)
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
        return engine.hash(...args)
      },
      verify: (...args) => {
        calls.push('verify')
        return engine.verify(...args)
      },
    },
  })
  const log = {
    info: (...args: unknown[]) => logged.push(args),
    warn: (...args: unknown[]) => logged.push(args),
    error: (...args: unknown[]) => logged.push(args),
  }
  const password_hash = await new Passwords({ settings }).hash(PASSWORD)
  await createUser(memory, 'alice', { sub: 'a-1', name: 'Alice', password_hash })
  const context = { settings, storage, passwords, log, report: () => {}, now: () => clock.now }
  return {
    ...context,
    context,
    memory,
    clock,
    calls,
    logged,
    password_hash,
    /** One attempt, and its calls. */
    async attempt(form: Parameters, caller = HOME) {
      calls.length = 0
      const result = await attemptSignIn(context, form, caller)
      return { result, asked: [...calls] }
    },
  }
}
