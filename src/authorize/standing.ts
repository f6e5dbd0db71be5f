import { scopesOfClaims } from '../claims/claims-request.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Context } from '../context.ts'
import { accessDenied, invalidRequest, OAuthError } from '../core/errors.ts'
import type { Parameters } from '../core/parameters.ts'
import { scopeNames } from '../core/scope.ts'
import { readConsent } from '../interaction/consent.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import type { Session } from '../sessions/session.ts'
import { verifyIdToken } from '../tokens/id-token.ts'
import { covers, decideAccount, decideConsent, decideDemoSubject } from './decide.ts'
import {
  type AuthorizationRequest,
  identifyTarget,
  readAuthorizationRequest,
  type Target,
} from './request.ts'

/** Somebody who agreed, or need not be asked. */
export interface Ready {
  readonly request: AuthorizationRequest
  /** The user as the client knows them. */
  readonly subject: string
  /** Absent for the demo shortcut. */
  readonly session?: Session
  /** The scope names that the client may have without asking from now on. */
  readonly consented: string
}

/** Somebody who is asked to agree. */
export type Agreeing = Ready & { readonly session: Session }

/** What has to be done next for an authorization request. */
export type Next =
  | { step: 'login' | 'select_account' }
  | { step: 'consent'; ready: Agreeing; names: readonly string[] }
  | { step: 'issue'; ready: Ready }
  | { step: 'error'; error: OAuthError }

/** How an authorization request stands, and where its answer goes. */
export interface Standing {
  readonly target: Target
  readonly next: Next
}

/**
 * How a request stands that was just sent, or that has waited for its person.
 * @param session asks for the session of the browser, once it is known that it matters
 * @throws OAuthError that must be shown to the person and never redirected; StorageUnavailable
 */
export async function standingOf(
  context: Context,
  parameters: Parameters,
  session: () => Promise<Session | undefined>,
  pending?: PendingRecord,
): Promise<Standing> {
  const target = await identifyTarget(parameters, context.clients)
  try {
    const request = readAuthorizationRequest(parameters, target)
    const demo = demoUser(context, request)
    if (demo !== undefined) return { target, next: demo }
    return { target, next: await nextFor(context, request, await session(), pending) }
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return { target, next: { step: 'error', error } }
    throw error
  }
}

function demoUser({ settings }: Context, request: AuthorizationRequest): Next | undefined {
  if (!settings.demo || request.subject === undefined) return undefined
  const subject = decideDemoSubject(request.subject, request.client)
  if (subject instanceof OAuthError) return { step: 'error', error: subject }
  return { step: 'issue', ready: { request, subject, consented: request.scope } }
}

async function nextFor(
  context: Context,
  request: AuthorizationRequest,
  session: Session | undefined,
  pending: PendingRecord | undefined,
): Promise<Next> {
  const account = decideAccount({
    request,
    expected: await expectedSubjects(context, request),
    ...(session && { session, subject: subjectFor(request.client, session.sub, context.settings) }),
    ...(pending && { pending }),
    now: context.now(),
  })
  if (account.step !== 'go_on') return account
  if (pending?.refused === account.session.sid) {
    return { step: 'error', error: accessDenied('The user did not agree.') }
  }
  const names = namesToAgreeTo(request)
  const remembered = await rememberedConsent(context, request, account.session, names)
  const hasAgreed = pending?.agreed === account.session.sid
  const decision = hasAgreed ? 'go_on' : decideConsent(request, names, remembered)
  if (decision instanceof OAuthError) return { step: 'error', error: decision }
  const consented = scopeNames(`${remembered ?? ''} ${names.join(' ')}`).join(' ')
  const ready = { request, subject: account.subject, session: account.session, consented }
  return decision === 'consent' ? { step: 'consent', ready, names } : { step: 'issue', ready }
}

/** Every subject that the request says the user has (OpenID Connect Core §3.1.2.1 and §5.5.1). */
async function expectedSubjects(
  context: Context,
  { client, claims, id_token_hint }: AuthorizationRequest,
): Promise<string[]> {
  const expected = claims.sub === undefined ? [] : [claims.sub]
  if (id_token_hint === undefined) return expected
  const hint = await verifyIdToken(context, id_token_hint)
  if (hint === undefined || hint.client_id !== client.client_id) {
    throw invalidRequest('id_token_hint is no id_token that this server issued to this client.')
  }
  return [...expected, hint.sub]
}

/** The scope that is asked for, and the scopes whose claims are asked for by name. */
function namesToAgreeTo({ client, scope, claims }: AuthorizationRequest): string[] {
  const byName = scopesOfClaims(claims).filter((name) => client.allowed_scopes.includes(name))
  return [...new Set([...scopeNames(scope), ...byName])]
}

// The session knows what was agreed to in it, or before; only the first request of a client has to look it up.
async function rememberedConsent(
  { storage }: Context,
  { client }: AuthorizationRequest,
  session: Session,
  names: readonly string[],
): Promise<string | undefined> {
  const known = session.clients.get(client.client_id)
  if (client.first_party || covers(known, names)) return known
  return readConsent(storage, session.sub, client.client_id)
}
