import { hash } from 'node:crypto'
import { hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Link, LinkAnswer } from '../core/link.ts'
import type { CodeContext } from '../factors/check-second-step.ts'
import { type Factors, hasSecondStep } from '../factors/factors-record.ts'
import type { PasskeyUseContext } from '../factors/passkeys/use-passkey.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import type { Storage } from '../storage/storage.ts'
import { boundTo, type LinkBrowser } from './link-passkey.ts'

/** What a new password must pass beside its link: a code of the app, or where there is none a passkey. */
export type NeededFactor = 'code' | 'passkey'

type FactorSettings = Pick<Settings, 'issuer' | 'passkeys' | 'second_factor'>

/** Returns what is asked for; what is turned off is not asked for at a sign-in either. */
export function neededFactor(settings: FactorSettings, factors: Factors): NeededFactor | undefined {
  if (settings.second_factor !== 'off' && hasSecondStep(factors)) return 'code'
  return factors.passkeys.size > 0 && hasPasskeys(settings) ? 'passkey' : undefined
}

/** What it takes to judge it. */
export type ProveContext = CodeContext &
  PasskeyUseContext & {
    readonly storage: Storage
    readonly settings: FactorSettings & Pick<Settings, 'sign_in_window'>
  }

/** Whose factor it is, and where the answer comes from. */
interface Proving {
  readonly username: string
  readonly link: Link
  readonly browser: LinkBrowser
}

/**
 * What came of it: the proof, or why there is none. `over`: there were too many guesses, and the link ended. `unknown`: no
 * account has the passkey.
 */
export type ProvenFactor = FactorProof | 'code' | 'limited' | 'over' | 'passkey' | 'unknown'

/** Which method could have asked for it, and what it says of the sign-in. */
export type FactorProof = Pick<LinkSignIn, 'method'> & Required<Pick<LinkSignIn, 'proven'>>

/** Judges the code or the passkey of an answer. @throws StorageUnavailable */
export async function proveFactor(
  context: ProveContext,
  needed: NeededFactor,
  proving: Proving,
  answer: LinkAnswer,
): Promise<ProvenFactor> {
  return needed === 'code' ? proveCode(context, proving, answer) : provePasskey(context, proving, answer)
}

// Where something is turned off, nothing of it is loaded.
async function proveCode(
  context: ProveContext,
  { username, link }: Proving,
  { code = '', recovery_code = '' }: LinkAnswer,
): Promise<ProvenFactor> {
  const { storage, settings } = context
  const { CODE_PROOF, checkSecondStep, MAX_GUESSES } = await import('../factors/check-second-step.ts')
  const guesses = hash('sha256', `reset ${link.digest}`, 'hex')
  const window = settings.sign_in_window * 1000
  // Before it is judged, so that a burst of guesses cannot exceed the limit.
  const { count } = await storage.counters.countFailure('second-step', guesses, window)
  if (count > MAX_GUESSES) {
    await storage.evidence.end(link.tag, link.digest)
    return 'over'
  }
  const result = await checkSecondStep(context, username, code === '' ? recovery_code : code, count - 1)
  const { amr, acr } = CODE_PROOF
  if (result === 'right') return { method: 'pwd', proven: { amr: ['pwd', ...amr], acr } }
  return result === 'too_many' ? 'limited' : 'code'
}

async function provePasskey(
  context: ProveContext,
  { username, link, browser }: Proving,
  { credential }: LinkAnswer,
): Promise<ProvenFactor> {
  const { usePasskey } = await import('../factors/passkeys/use-passkey.ts')
  const is_for = { purpose: 'reset', bound_to: boundTo(link, browser) } as const
  const result = await usePasskey(context, is_for, credential, browser.name)
  if (result.outcome === 'ok') {
    const { user, amr, acr } = result
    return user.username === username ? { method: 'passkey', proven: { amr, acr } } : 'passkey'
  }
  return result.unknown ? 'unknown' : 'passkey'
}
