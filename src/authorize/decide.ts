import { isSubject } from '../accounts/user-fields.ts'
import type { Client } from '../clients/client-record.ts'
import {
  consentRequired,
  invalidRequest,
  loginRequired,
  type OAuthError,
  unmetAuthenticationRequirements,
} from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { ACR_VALUES } from '../interaction/sign-in-methods.ts'
import type { Session } from '../sessions/session.ts'
import type { AuthorizationRequest } from './request.ts'

/** Who asks for what, and who sits in front of the browser. */
export interface Situation {
  readonly request: AuthorizationRequest
  /** The subjects that the user must be, each of them, as the client knows users. */
  readonly expected: readonly string[]
  readonly session?: Session
  /** Who the session's user is for the client. */
  readonly subject?: string
  /** What the person has done for this request so far. */
  readonly pending?: Pick<PendingRecord, 'signed_in' | 'chosen' | 'other_account'>
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What a person has to do first, or why nothing will come of it; `go_on` where the account is settled. */
export type AccountStep =
  | { step: 'go_on'; session: Session; subject: string }
  | { step: 'login' | 'select_account' }
  | { step: 'error'; error: OAuthError }

/** Decides with which account it goes on (OpenID Connect Core §3.1.2.3). */
export function decideAccount(situation: Situation): AccountStep {
  const { request, expected, session, subject, pending } = situation
  const demanded = request.claims.essential_acr
  // OpenID Connect Core §5.5.1.1: what is essential and cannot be had is a failed authentication.
  if (demanded !== undefined && !demanded.some((acr) => ACR_VALUES.includes(acr))) {
    return refuse(unmetAuthenticationRequirements('No way of signing in here has the acr that is demanded.'))
  }
  const mayAsk = !request.prompt.has('none')
  if (session === undefined || subject === undefined || needsSignIn(situation, session)) {
    return mayAsk ? { step: 'login' } : refuse(loginRequired('No user is signed in, or not recently enough.'))
  }
  if (expected.some((sub) => sub !== subject)) {
    // Who was asked to sign in and is still somebody else will be so again (OpenID Connect Core §3.1.2.2).
    return mayAsk && pending?.signed_in !== session.sid
      ? { step: 'login' }
      : refuse(loginRequired('Another user is signed in than the request asks for.'))
  }
  const clash = clashWithClient(subject, request.client)
  if (clash !== undefined) return refuse(clash)
  const hasChosen = pending?.chosen === session.sid || pending?.signed_in === session.sid
  if (request.prompt.has('select_account') && !hasChosen) return { step: 'select_account' }
  return { step: 'go_on', session, subject }
}

function needsSignIn({ request, pending, now }: Situation, session: Session): boolean {
  // Whoever signed in for this very request has done so recently enough.
  if (pending?.signed_in === session.sid) return false
  const { prompt, max_age, claims } = request
  if (prompt.has('login') || pending?.other_account === 'true') return true
  if (max_age !== undefined && now / 1000 - session.auth_time > max_age) return true
  return claims.essential_acr !== undefined && !claims.essential_acr.includes(session.acr)
}

/**
 * Decides whether the person is asked for consent. `names`: the scopes that it is about; `consented`: those that the
 * client has already, or undefined where it was never asked for.
 */
export function decideConsent(
  { client, prompt }: Pick<AuthorizationRequest, 'client' | 'prompt'>,
  names: readonly string[],
  consented: string | undefined,
): 'go_on' | 'consent' | OAuthError {
  if (!prompt.has('consent') && (client.first_party || covers(consented, names))) return 'go_on'
  return prompt.has('none') ? consentRequired('The user has not agreed to this yet.') : 'consent'
}

/** Whether a scope that was agreed to has all of these names. */
export function covers(consented: string | undefined, names: readonly string[]): boolean {
  if (consented === undefined) return false
  const known = scopeNames(consented)
  return names.every((name) => known.includes(name))
}

/**
 * The demo shortcut (spec 4.1): whoever is named counts as signed in at this moment.
 * @returns the subject, or why it cannot be one
 */
export function decideDemoSubject(subject: string, client: Client): string | OAuthError {
  if (!isSubject(subject)) return invalidRequest('subject must be 1 to 255 printable ASCII characters.')
  return clashWithClient(subject, client) ?? subject
}

// RFC 9068 §5: a user must not be taken for the client itself.
function clashWithClient(subject: string, { client_id }: Client): OAuthError | undefined {
  return subject === client_id ? invalidRequest('subject must differ from client_id.') : undefined
}

const refuse = (error: OAuthError): AccountStep => ({ step: 'error', error })
