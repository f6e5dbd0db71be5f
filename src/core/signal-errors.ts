// The errors of those who say from outside that something of a person is over.
import { type Static, Type } from '@sinclair/typebox'
import { insufficientScope } from './bearer-errors.ts'
import { type ErrorDetails, invalidRequest, OAuthError, retryAfter } from './errors.ts'
import { faultFacts, type JwtRefusal } from './jwt-refusal.ts'
import type { SetError } from './security-events.ts'
import { factsOf } from './third-parties.ts'

/** What a scope must be to end everything of people (draft-parecki-oauth-global-token-revocation §7.1). */
export const GLOBAL_REVOCATION_SCOPE = 'global_token_revocation'

/** Somebody is signed in with the token: the right to others is that of a client (draft-parecki §7.1). */
export const revocationByPerson = (): OAuthError =>
  insufficientScope(GLOBAL_REVOCATION_SCOPE, undefined, {
    received: { grant: 'of a person' },
    expected: { grant: 'client_credentials' },
  })

/** The body does not say whom it means (draft-parecki §3.5.2). */
export const revocationSubjectMalformed = (description: string): OAuthError =>
  invalidRequest('revocation_subject_malformed', description, {
    received: { sub_id: 'malformed' },
    expected: { formats: ['iss_sub', 'email', 'opaque'] },
  })

/** Nobody here is meant, or several are (draft-parecki §3.5.2). */
export const revocationSubjectUnknown = (): OAuthError =>
  invalidRequest('revocation_subject_unknown', 'No account is the one that sub_id names.', {
    status: 404,
    received: { accounts: 'none' },
    expected: { accounts: 1 },
  })

/** A security event token is refused: `err` says why to its sender (RFC 8935 §2.4). */
export class SignalRefused extends OAuthError {
  readonly err: SetError

  constructor(err: SetError, text: string, details: ErrorDetails) {
    super('invalid_request', 'signal_refused', `The security event token is refused: ${text}.`, details)
    this.err = err
  }
}

/** Makes the refusal of a security event token. */
export const signalRefused = (err: SetError, { text, fault: _, ...facts }: JwtRefusal): SignalRefused =>
  new SignalRefused(err, text, faultFacts(text, facts))

/** Its keys cannot be read: its sender is to try again (RFC 8935 §2.4 is about the token alone). */
export const signalKeysAway = (
  party: 'provider' | 'issuer_keys',
  name: string,
  { message, code }: { readonly message: string; readonly code: string },
): OAuthError =>
  new OAuthError(
    'temporarily_unavailable',
    party === 'provider' ? 'upstream_failed' : 'issuer_keys_away',
    'The keys of the issuer of the security event token cannot be read: try again shortly.',
    {
      status: 503,
      cause: message,
      headers: retryAfter(30),
      received: factsOf({ party, name, step: 'keys', code }),
    },
  )

/** The body of the answer to a security event token that is not taken (RFC 8935 §2.3). */
export const SignalError = Type.Object(
  { err: Type.String(), description: Type.String() },
  { $id: 'redmint:SignalError', description: 'Why a security event token is not taken (RFC 8935 §2.3)' },
)
export type SignalError = Static<typeof SignalError>

/** Returns the body for an error. */
export function signalErrorBody(error: OAuthError): SignalError {
  return {
    err: error instanceof SignalRefused ? error.err : 'invalid_request',
    description: error.description,
  }
}
