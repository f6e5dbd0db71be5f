import type { Check } from '../report/report.ts'
import { CALLBACK_CHECKS } from './callback-checks.ts'
import { ID_TOKEN_CHECKS } from './id-token-checks.ts'
import type { RelyingParty } from './relying-party.ts'
import { FIRST_CHECKS, REQUEST_CHECKS } from './request-checks.ts'
import { SIGNATURE_CHECKS } from './signature-checks.ts'
import { SIGNED_ANSWER_CHECKS } from './signed-answer-checks.ts'
import { TROUBLE_CHECKS } from './trouble-checks.ts'

/** Checks after an ordinary sign-in. */
export const SIGN_IN_CHECKS: readonly Check<RelyingParty>[] = [
  ...CALLBACK_CHECKS,
  ...SIGNED_ANSWER_CHECKS,
  ...ID_TOKEN_CHECKS,
  ...SIGNATURE_CHECKS,
  ...TROUBLE_CHECKS,
]

/** All checks of a relying party, in the order in which they run. */
export const CLIENT_CHECKS: readonly Check<RelyingParty>[] = [
  ...FIRST_CHECKS,
  ...REQUEST_CHECKS,
  ...SIGN_IN_CHECKS,
]
