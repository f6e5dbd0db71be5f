import type { Kind } from '../storage/records.ts'
import { type WaitingCode, waitingKind } from './waiting-code.ts'

/** The field `kind` of what a client asks a person: no device code has it, so that neither counts as the other. */
export const ASKED_KIND = 'ask'

/** What a client asks a person, who need not be there (OpenID Connect CIBA Core §7.1). */
export interface AskedRecord extends WaitingCode {
  readonly kind: string
  /** The sub of the person; a digest of the hint if nobody is asked. */
  readonly asked: string
  /** What the client shows to the person as well (CIBA §7.1 `binding_message`). */
  readonly binding_message?: string
  /** The acr values of which the sign-in must have one, separated by spaces. */
  readonly acr_values?: string
  /** What the client is told of the answer, and the token that it gave for that, sealed (CIBA §10.2); absent: it polls. */
  readonly ping?: string
}

/** What clients ask people. */
export const ASKED: Kind<AskedRecord> = waitingKind({
  required: ['kind', 'asked'],
  optional: ['binding_message', 'acr_values', 'ping'],
})
