import { commit } from '../core/commit.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import type { KeyRing } from '../keys/ring.ts'
import { findFactors, subForTrail } from './change-factors.ts'
import { openFactor } from './factor-key.ts'
import { FACTORS, type RecoveryCodes, type TotpFactor } from './factors-record.ts'
import { readRecoveryCode, recoveryDigest } from './recovery-codes.ts'
import type { SecondStepContext } from './totp.ts'
import { firstUseOf, stepOf } from './totp-code.ts'

/**
 * What came of a code. `used`: it was right before, which only the owner may learn. `too_many`: so many codes of the app
 * were wrong that none counts any more; recovery codes do.
 */
export type SecondStepResult = 'right' | 'wrong' | 'used' | 'too_many'

/** What a code proves besides the first step. */
export const CODE_PROOF = { amr: ['otp', 'mfa'], acr: '2' } as const

/** How many codes may be wrong before the password is asked for anew, so that it is still the one who typed it. */
export const MAX_GUESSES = 5

/** How many codes of an app may be wrong in all: each has three in a million to be right (OWASP ASVS 5.0 §6.6.3). */
export const MAX_FAILURES = 100

/** What it takes to judge a code. */
export interface CodeContext extends SecondStepContext {
  readonly keys: Pick<KeyRing, 'notBefore'>
}

/** What is written, in one step with the result, if the stored fields are still those that it was judged by. */
interface Judgement {
  readonly result: SecondStepResult
  readonly change?: { readonly set: Hash; readonly expected: Hash }
}

/**
 * Judges the code of an authenticator app, or a recovery code in its place. A right one counts once, at all replicas: only
 * for a person whose first step was right, because a wrong code of the app counts towards an end.
 * @param forgiven how many wrong codes came before it in the same sign-in: a right one takes them back
 * @throws StorageUnavailable; StoredKeyError
 */
export async function checkSecondStep(
  context: CodeContext,
  username: string,
  typed: string,
  forgiven = 0,
): Promise<SecondStepResult> {
  const code = readRecoveryCode(typed)
  for (;;) {
    const { factors, hash } = await findFactors(context, username)
    const { totp, recovery } = factors
    if (totp === undefined) return 'wrong'
    const { result, change } =
      code === undefined
        ? await judgeTotp(context, username, totp, { typed, hash, forgiven })
        : judgeRecovery(username, recovery, code, hash)
    if (change === undefined) return result
    const events: SecurityEvent[] = []
    if (result === 'right' && code !== undefined)
      events.push({ event: 'recovery_code_used', username, left: (recovery?.digests.length ?? 1) - 1 })
    if (result === 'wrong' && totp.failures + 1 === MAX_FAILURES)
      events.push({ event: 'second_step_limited', username })
    const sub = events.length === 0 ? undefined : await subForTrail(context, username)
    const changed = await commit(context, events, { sub }, (told) =>
      context.storage.records.change(FACTORS, username, { ...change, told }),
    )
    if (changed === 'ok') return result
  }
}

async function judgeTotp(
  context: CodeContext,
  username: string,
  totp: TotpFactor,
  { typed, hash, forgiven }: { typed: string; hash: Hash; forgiven: number },
): Promise<Judgement> {
  if (totp.failures >= MAX_FAILURES) return { result: 'too_many' }
  const secret = await openFactor(context, username, totp.secret)
  const step = secret && stepOf(secret, typed, context.now())
  const becomes = (changed: Partial<TotpFactor>) => ({
    set: { totp: JSON.stringify({ ...totp, ...changed }) },
    expected: { totp: hash.totp ?? '' },
  })
  if (step === undefined) return { result: 'wrong', change: becomes({ failures: totp.failures + 1 }) }
  // RFC 6238 §5.2: not a second time, and none from before. A restored Redis does not know which were used.
  if (step <= totp.last_step || firstUseOf(step) < context.keys.notBefore) return { result: 'used' }
  const failures = Math.max(0, totp.failures - forgiven)
  return { result: 'right', change: becomes({ last_step: step, failures }) }
}

// Nobody guesses 120 bits, so that a wrong one is not counted.
function judgeRecovery(
  username: string,
  recovery: RecoveryCodes | undefined,
  code: string,
  hash: Hash,
): Judgement {
  const digest = recoveryDigest(username, code)
  if (recovery?.used.includes(digest)) return { result: 'used' }
  if (!recovery?.digests.includes(digest)) return { result: 'wrong' }
  const left: RecoveryCodes = {
    ...recovery,
    digests: recovery.digests.filter((other) => other !== digest),
    used: [...recovery.used, digest],
  }
  return {
    result: 'right',
    change: { set: { recovery: JSON.stringify(left) }, expected: { recovery: hash.recovery ?? '' } },
  }
}
