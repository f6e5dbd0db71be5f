import { scopesOfClaims } from '../claims/claims-request.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import { accessDenied } from '../core/request-errors.ts'
import { partOfScope, scopeNames } from '../core/scope.ts'
import { type ConsentRecord, type ConsentRegistry, consentName } from '../interaction/consent.ts'
import { type DescribedClient, describedClient } from '../interaction/described-client.ts'
import { digestOfAsked, type PendingRecord } from '../interaction/pending-record.ts'
import { acrValuesOf } from '../interaction/sign-in-method.ts'
import type { Session } from '../sessions/session.ts'
import { checkRequest, identifyTarget } from './check-request.ts'
import type { CheckContext } from './checks.ts'
import { decideAccount, decideConsent, decideDemoSubject, type NextStep } from './decide.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { AuthorizationRequest, Target } from './request.ts'

/** What it takes to find the next step of an authorization request. */
export interface NextStepContext extends CheckContext {
  readonly settings: CheckContext['settings'] & Pick<Settings, 'demo' | 'pairwise_salt'>
  readonly clients: Pick<ClientRegistry, 'demand'>
  readonly consents: Pick<ConsentRegistry, 'find'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds out where the response to a request goes, and what is due for it. The request is read anew each time, so what
 * changed since the last step counts.
 * @param session finds the session of the browser; called only if the request is valid and has no demo subject
 * @param pending what the user did so far; absent for a request that was just sent
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function findNextStep(
  context: NextStepContext,
  { stage, parameters, is_signed, default_scope }: ReceivedRequest,
  session: () => Promise<Session | undefined>,
  pending?: PendingRecord,
): Promise<{ target: Target; next: NextStep }> {
  const target = await identifyTarget(stage, { parameters, clients: context.clients })
  try {
    const request = withDefaultScope(
      await checkRequest(stage, parameters, target, context, is_signed),
      default_scope,
    )
    const demo = demoStep(context, request)
    if (demo !== undefined) return { target, next: demo }
    return { target, next: await stepOfUser(context, request, await session(), pending) }
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return { target, next: { step: 'error', error } }
    throw error
  }
}

function demoStep({ settings }: NextStepContext, request: AuthorizationRequest): NextStep | undefined {
  if (!settings.demo || request.subject === undefined) return undefined
  const subject = decideDemoSubject(request.subject, request.client)
  if (subject instanceof OAuthError) return { step: 'error', error: subject }
  return { step: 'issue', request, subject }
}

async function stepOfUser(
  context: NextStepContext,
  request: AuthorizationRequest,
  session: Session | undefined,
  pending: PendingRecord | undefined,
): Promise<NextStep> {
  const { client, resources = [] } = request
  const account = decideAccount({
    request,
    expected: expectedSubjects(request),
    acr_values: acrValuesOf(context.methods),
    now: context.now(),
    ...(session && { session, subject: subjectFor(client, session.sub, context.settings) }),
    ...(pending && { pending }),
  })
  if (account.step !== 'continue') return account
  const { sid } = account.session
  if (pending?.refused === sid) return { step: 'error', error: accessDenied('The user did not agree.') }
  const names = namesToConsentTo(request, context.settings)
  const { client_id } = client
  // Users of a first-party client are asked only with prompt=consent.
  const is_asked = !client.first_party || request.prompt.has('consent')
  const remembered = is_asked ? await context.consents.find(account.session.sub, client_id) : undefined
  const described = describedClient(client, request.redirect_uri, remembered)
  const has_agreed = pending?.agreed === sid && pending.asked === digestOfAsked(names, described?.description)
  const allowed = consentedTo(remembered, described)
  const decision = has_agreed ? 'continue' : decideConsent(request, names, allowed)
  if (decision instanceof OAuthError) return { step: 'error', error: decision }
  if (decision === 'consent') {
    const consented = scopeNames(`${allowed ?? ''} ${names.join(' ')}`).join(' ')
    return { step: 'consent', client_id, names, resources, consented, ...(described && { described }) }
  }
  return { step: 'issue', request, subject: account.subject, session: account.session }
}

/** The scope names that the user allowed; undefined also if they allowed them to another description of the client. */
function consentedTo(
  remembered: ConsentRecord | undefined,
  described: DescribedClient | undefined,
): string | undefined {
  const is_as_known = described === undefined || described.history.state === 'unchanged'
  return is_as_known ? remembered?.scope : undefined
}

/** The subjects that the request says the user has (OpenID Connect Core §3.1.2.1 and §5.5.1). */
function expectedSubjects({ claims, hinted_sub }: AuthorizationRequest): string[] {
  return [claims.sub, hinted_sub].filter((sub) => sub !== undefined)
}

// The scopes that the client could obtain when the request was sent or pushed, without those that it lost since.
function withDefaultScope(
  request: AuthorizationRequest,
  default_scope: string | undefined,
): AuthorizationRequest {
  if (default_scope === undefined) return request
  return { ...request, scope: partOfScope(request.scope, scopeNames(default_scope)) }
}

/** The names of the requested scope, the scopes of the claims that are requested by name, and the resources. */
function namesToConsentTo(
  { client, scope, claims, resources = [] }: AuthorizationRequest,
  { scope_claims }: NextStepContext['settings'],
): string[] {
  const byName = scopesOfClaims(claims, scope_claims).filter((name) => client.allowed_scopes.includes(name))
  return [...new Set([...scopeNames(scope), ...byName, ...resources.map(consentName)])]
}
