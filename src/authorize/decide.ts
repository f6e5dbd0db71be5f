import type { Client } from '../clients/record/client-record.ts'
import { isNativeRedirectUri } from '../clients/record/redirect-uri.ts'
import { clashWithClient } from '../clients/subject.ts'
import { invalidRequest, type OAuthError } from '../core/errors.ts'
import {
  accessRefused,
  consentRequired,
  loginRequired,
  unmetAuthenticationRequirements,
} from '../core/request-errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { CheckedDetail } from '../details/check-details.ts'
import { detailName } from '../interaction/consent.ts'
import type { UserStep } from '../interaction/interaction.ts'
import type { PendingProgress } from '../interaction/pending-record.ts'
import type { Session } from '../sessions/session.ts'
import { accessFacts, type GroupSettings, mayUse, suffices } from '../users/client-access.ts'
import { isSubject } from '../users/user-fields.ts'
import { demandedAcr } from './demanded-acr.ts'
import type { AuthorizationRequest } from './request.ts'

/** What is known of an authorization request and its user. */
export interface RequestProgress {
  readonly request: AuthorizationRequest
  /** The subjects that the user must have, all of them, as the client knows users. */
  readonly expected: readonly string[]
  readonly session?: Session
  /** The session's user as the client knows them. */
  readonly subject?: string
  /** What the user did for this request so far. */
  readonly pending?: Pick<PendingProgress, 'signed_in' | 'chosen' | 'other_account' | 'has_account'>
  /** The acr values that the sign-in methods can reach; empty if the request wishes for none. */
  readonly acr_values: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What is due for an authorization request. */
export type NextStep = UserStep | AnswerStep

/** Nothing is left to ask: the client gets a code or learns of an error. */
export type AnswerStep = IssueStep | { readonly step: 'error'; readonly error: OAuthError }

/** Whether the client gets its answer now. */
export function isAnswer(next: NextStep): next is AnswerStep {
  return next.step === 'issue' || next.step === 'error'
}

/** The code is issued. */
export interface IssueStep {
  readonly step: 'issue'
  readonly request: AuthorizationRequest
  /** The user as the client knows them. */
  readonly subject: string
  /** Absent for the demo shortcut. */
  readonly session?: Session
  /** When the user agreed for this request, in milliseconds since 1970; absent: nobody was asked. */
  readonly agreed_at?: number | undefined
}

/** The account to continue with. */
interface SettledAccount {
  readonly step: 'continue'
  readonly session: Session
  readonly subject: string
}

/** Decides which account to continue with, or what the user must do first (OpenID Connect Core §3.1.2.3). */
export function decideAccount(progress: RequestProgress): NextStep | SettledAccount {
  const { request, expected, session, subject, pending } = progress
  const may_ask = !request.prompt.has('none')
  const as_another = expected.some((sub) => sub !== subject)
  const wanted = demandedAcr(request) ?? request.acr_values
  // OpenID Connect Core §3.1.2.1: whether or not somebody is signed in here.
  const max_age = request.prompt.has('login') ? 0 : request.max_age
  const login = {
    step: 'login',
    as_another,
    ...(wanted && { acr_values: wanted }),
    ...(max_age !== undefined && { max_age }),
    ...(request.prompt.has('create') && pending?.has_account !== 'true' && { creates: true }),
  } as const
  const missing = session && missingFrom(progress, session)
  if (session === undefined || subject === undefined || missing !== undefined) {
    const is_step_up = missing === 'acr' && !as_another
    return may_ask
      ? { ...login, is_step_up }
      : refuse(
          loginRequired('login_required', 'No user is signed in, or not recently enough.', {
            received: { prompt: 'none', is_signed_in: session !== undefined },
            expected: {
              is_signed_in: true,
              ...(max_age !== undefined && { max_age }),
              ...(wanted && { acr: wanted }),
            },
          }),
        )
  }
  if (as_another) {
    // Asked once: another user who signs in for this request is an error (OpenID Connect Core §3.1.2.2).
    return may_ask && pending?.signed_in !== session.sid
      ? login
      : refuse(
          loginRequired('other_user_signed_in', 'Another user is signed in than the request asks for.', {
            received: { sub: session.sub },
          }),
        )
  }
  // The user chose a weaker method than the request demands: a failed attempt (OpenID Connect Core §5.5.1.1).
  if (isTooWeak(request, session)) {
    return refuse(tooWeak(demandedAcr(request) ?? [], session.acr))
  }
  const clash = clashWithClient(subject, request.client)
  if (clash !== undefined) return refuse(clash)
  const has_chosen = pending?.chosen === session.sid || pending?.signed_in === session.sid
  if (request.prompt.has('select_account') && !has_chosen) return { step: 'select_account' }
  return { step: 'continue', session, subject }
}

/** What a session lacks for the request: a sign-in that is recent enough, or only an acr; undefined: nothing. */
function missingFrom(
  { request, pending, acr_values, now }: RequestProgress,
  session: Session,
): 'sign_in' | 'acr' | undefined {
  // A sign-in for this very request is recent enough.
  if (pending?.signed_in === session.sid) return undefined
  const { prompt, max_age } = request
  // max_age=0 is prompt=login (OpenID Connect Core §3.1.2.1), also where the clock is behind that of the sign-in.
  if (prompt.has('login') || max_age === 0 || pending?.other_account === 'true') return 'sign_in'
  // Who is signed in already has an account, but not the one that the request wants made.
  if (prompt.has('create')) return 'sign_in'
  if (max_age !== undefined && now / 1000 - session.auth_time > max_age) return 'sign_in'
  if (isTooWeak(request, session)) return 'acr'
  // OpenID Connect Core §3.1.2.1: voluntary, so it is no reason to refuse a request that no method can satisfy.
  const wanted = request.acr_values?.filter((acr) => acr_values.includes(acr)) ?? []
  return wanted.length > 0 && !wanted.includes(session.acr) && !prompt.has('none') ? 'acr' : undefined
}

/** Whether a sign-in lacks the acr that is demanded. */
function isTooWeak(request: AuthorizationRequest, { acr }: Session): boolean {
  return demandedAcr(request)?.includes(acr) === false
}

/**
 * Decides whether the user is asked for consent.
 * @param names the scope names that the request needs consent for
 * @param allowed the scope names that the user allowed before; undefined: nothing is remembered
 * @param details what the request asks for in detail: users of any client are asked for it, each time if its type says so
 */
export function decideConsent(
  { client, redirect_uri, prompt }: Pick<AuthorizationRequest, 'client' | 'redirect_uri' | 'prompt'>,
  names: readonly string[],
  allowed: string | undefined,
  details: readonly CheckedDetail[] = [],
): 'continue' | 'consent' | OAuthError {
  const is_remembered = details.every(({ type }) => type.remember)
  if (!prompt.has('consent') && is_remembered) {
    const needed = client.first_party ? details.map(detailName) : names
    if (needed.length === 0 && client.first_party) return 'continue'
    if (!canBeTaken(client, redirect_uri) && covers(allowed, needed)) return 'continue'
  }
  if (!prompt.has('none')) return 'consent'
  return consentRequired('The user has not agreed to this yet.', {
    received: { prompt: 'none', agreed: allowed === undefined ? [] : scopeNames(allowed) },
    expected: { agreed: names },
  })
}

// RFC 6749 §10.2, RFC 8252 §8.6: another app on the user's device can pretend to be a public client there. RFC 9700 §4.1.1:
// the host of a preview can be taken over once it is no longer served.
function canBeTaken({ is_public, preview_of }: Client, redirect_uri: string): boolean {
  return preview_of !== undefined || (is_public && isNativeRedirectUri(redirect_uri))
}

/** Whether a scope that the user allowed has all of these names. */
function covers(allowed: string | undefined, names: readonly string[]): boolean {
  if (allowed === undefined) return false
  const known = scopeNames(allowed)
  return names.every((name) => known.includes(name))
}

/** Decides the demo shortcut: the named user counts as signed in, if it can be one. */
export function decideDemoSubject(
  request: AuthorizationRequest,
  subject: string,
  settings: GroupSettings,
): AnswerStep {
  if (!isSubject(subject))
    return refuse(
      invalidRequest('demo_subject_malformed', 'subject must be 1 to 255 printable ASCII characters.', {
        received: { characters: subject.length },
        expected: { characters_at_most: 255 },
      }),
    )
  const { client } = request
  const clash = clashWithClient(subject, client)
  if (clash !== undefined) return refuse(clash)
  // It proves no account, and so no group.
  if (!suffices(client, undefined)) return refuse(tooWeak(client.required_acr ?? [], undefined))
  return mayUse(client, undefined, settings)
    ? { step: 'issue', request, subject }
    : refuse(
        accessRefused(accessFacts(client, undefined, settings), {
          event: 'access_refused',
          at: 'shortcut',
          client_id: client.client_id,
        }),
      )
}

const tooWeak = (demanded: readonly string[], acr: string | undefined) =>
  unmetAuthenticationRequirements('acr_too_weak', 'The sign-in does not have the acr that is demanded.', {
    received: { acr: acr ?? 'none' },
    expected: { acr: demanded },
  })

/** The client learns of an error. */
export const refuse = (error: OAuthError): AnswerStep => ({ step: 'error', error })
