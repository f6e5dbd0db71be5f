import type { Settings } from '../../config/settings.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { Failure } from '../../interaction/sign-in-method.ts'
import { useOnce } from '../../interaction/use-once.ts'
import { type AccountContext, readAccount } from '../../users/read-account.ts'
import type { User } from '../../users/user-record.ts'
import { accountState } from '../account-state.ts'
import { type FoundFactors, findFactors } from '../change-factors.ts'
import { FACTORS, type Passkey, passkeyField } from '../factors-record.ts'
import { type PasskeyAnswer, readAnswer } from './answer.ts'
import { CHALLENGE_TTL, type ChallengeContext, type ChallengeFor, isChallengeFor } from './challenge.ts'
import { ownerOfPasskey, passkeyDigest } from './passkey-owner.ts'
import { proofBy } from './proof.ts'
import { providerName } from './provider-names.ts'
import { relyingParty } from './relying-party.ts'
import type { ProvenUse } from './verify.ts'

/** What it takes to use passkeys. */
export interface PasskeyUseContext extends ChallengeContext, AccountContext {
  readonly settings: AccountContext['settings'] & Pick<Settings, 'issuer'>
  readonly report: ReportEvent
}

/** Who used a passkey, and how. */
export interface PasskeyUse {
  readonly outcome: 'ok'
  readonly user: User
  /** RFC 8176 §2, by the flags that were seen: `hwk` is a passkey that cannot leave its device. */
  readonly amr: readonly string[]
  readonly acr: 'phr'
  /** The account as it was then. */
  readonly account_state: string
}

/** No passkey was used. `unknown`: no account has it, of which its keeper may be told. */
export interface PasskeyFailure extends Omit<Failure, 'challenge'> {
  readonly unknown?: true
}

// Of nobody, so that an unknown passkey takes the same time as one whose signature is wrong: ES256, COSE.
const NOBODYS_KEY =
  'pQECAyYgASFYILD97uq0tNsg4uvblWW0qbVUiAAK1y2CoVsXaBMeTyf-IlggC8D9mVsEb4Maaf2jLQL1kpXgKYhnUXyo9OLCK48Nqas'

/**
 * Judges what a page posted. A right answer counts once, at all replicas. Every failure of an answer that has its form makes
 * the same calls.
 * @param posted the field `credential` of the form
 * @param browser the browser in words, to be shown to the owner
 * @throws StorageUnavailable
 */
export async function usePasskey(
  context: PasskeyUseContext,
  is_for: ChallengeFor,
  posted: string | undefined,
  browser: string | undefined,
): Promise<PasskeyUse | PasskeyFailure> {
  const answer = readAnswer(posted)
  if (answer === undefined) return WRONG
  const { verifyUse } = await import('./verify.ts')
  const is_timely = isChallengeFor(context, is_for, answer.challenge)
  const owner = await ownerOfPasskey(context, answer.id)
  const username = owner?.username ?? passkeyDigest(answer.id)
  const [found, user] = await Promise.all([findFactors(context, username), readAccount(context, username)])
  const passkey = user?.sub === owner?.sub ? found.factors.passkeys.get(answer.id) : undefined
  const proven = await verifyUse(answer, relyingParty(context.settings), passkey?.public_key ?? NOBODYS_KEY)
  if (!is_timely) return WRONG
  if (user === undefined || passkey === undefined) return { ...WRONG, unknown: true }
  if (proven === undefined) return WRONG
  return accept(context, { answer, user, browser, proven }, found)
}

/** Seconds between two reports about one passkey. */
const REPORT_PAUSE = 3600

const WRONG = { outcome: 'failed', reason: 'wrong_answer' } as const

interface Judged {
  readonly answer: PasskeyAnswer
  readonly user: User
  readonly browser: string | undefined
  readonly proven: ProvenUse
}

async function accept(
  context: PasskeyUseContext,
  judged: Judged,
  { factors, hash }: FoundFactors,
  is_used = false,
): Promise<PasskeyUse | PasskeyFailure> {
  const { answer, user, browser, proven } = judged
  const { username } = user
  const passkey = factors.passkeys.get(answer.id)
  const failed: PasskeyFailure = { ...WRONG, user }
  // It was removed meanwhile.
  if (passkey === undefined) return failed
  if (user.disabled) return { ...failed, reason: 'disabled_user' }
  // WebAuthn Level 3 §7.2 step 6: without allowCredentials, the authenticator says whose it is.
  if (answer.user_handle !== factors.user_handle) return failed
  // A passkey that was made without asking who the person is proves less (§6.1).
  if (!passkey.user_verified) return failed
  const refuseAs = async (event: 'passkey_counter_reversed' | 'passkey_flag_changed') => {
    // Whoever has the passkey, or a copy, can repeat it.
    if (await useOnce(context, event, answer.id, REPORT_PAUSE))
      context.report({ event, username, provider: providerName(passkey.aaguid) })
    return failed
  }
  // §6.1.3: what is eligible for backup stays so.
  if (passkey.backup_eligible !== proven.backup_eligible) return refuseAs('passkey_flag_changed')
  // §6.1.1: one that is not above the last one may come from a copy. Synced passkeys stay at 0.
  if (passkey.counter > 0 && proven.counter <= passkey.counter) return refuseAs('passkey_counter_reversed')
  const used: Passkey = {
    ...passkey,
    counter: proven.counter,
    backed_up: proven.backed_up,
    last_used_at: context.now(),
    ...(browser !== undefined && { browser }),
  }
  const field = passkeyField(answer.id)
  const change = {
    set: { [field]: JSON.stringify(used) },
    expected: { [field]: hash[field] ?? '', generation: hash.generation ?? '' },
  }
  if (!is_used && !(await useOnce(context, 'passkey', answer.challenge, CHALLENGE_TTL))) return failed
  // Another sign-in with it, or a change of a factor, was first: it may have been removed, or have another counter.
  if ((await context.storage.records.change(FACTORS, username, change)) !== 'ok') {
    return accept(context, judged, await findFactors(context, username), true)
  }
  return {
    outcome: 'ok',
    user,
    ...proofBy(proven),
    account_state: accountState(user, factors),
  }
}
