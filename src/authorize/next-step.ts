import { scopesOfClaims } from '../claims/claims-request.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import { accessDenied } from '../core/request-errors.ts'
import { partOfScope, scopeNames } from '../core/scope.ts'
import { type ConsentRegistry, consentName } from '../interaction/consent.ts'
import { consentStep, hasAgreed } from '../interaction/consent-step.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { acrValuesOf } from '../interaction/sign-in-method.ts'
import type { Session } from '../sessions/session.ts'
import { checkRequest, identifyTarget } from './check-request.ts'
import type { CheckContext } from './checks.ts'
import { decideAccount, decideConsent, decideDemoSubject, type NextStep } from './decide.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { AuthorizationRequest, Target } from './request.ts'

/** What it takes to find the next step of an authorization request. */
export interface NextStepContext extends CheckContext {
  readonly settings: CheckContext['settings'] &
    Pick<Settings, 'client_registration' | 'demo' | 'pairwise_salt'>
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
 * @returns also the subject that its id_token_hint is about
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function findNextStep(
  context: NextStepContext,
  { stage, parameters, is_signed, default_scope, hinted_sub }: ReceivedRequest,
  session: () => Promise<Session | undefined>,
  pending?: PendingRecord,
): Promise<{ target: Target; next: NextStep; hinted_sub?: string }> {
  const { clients, settings } = context
  const target = await identifyTarget(stage, { parameters, clients, settings })
  try {
    const checked = await checkRequest(stage, parameters, target, context, is_signed)
    const request = withDefaultScope(
      hinted_sub === undefined ? checked : { ...checked, hinted_sub },
      default_scope,
    )
    const demo = demoStep(context, request)
    if (demo !== undefined) return { target, next: demo }
    const next = await stepOfUser(context, request, await session(), pending)
    const { hinted_sub: hinted } = request
    return { target, next, ...(hinted !== undefined && { hinted_sub: hinted }) }
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
  const { client, redirect_uri, resources = [] } = request
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
  // Users of a first-party client are asked only with prompt=consent.
  const is_asked = !client.first_party || request.prompt.has('consent')
  const remembered = is_asked ? await context.consents.find(account.session.sub, client.client_id) : undefined
  const names = namesToConsentTo(request, context.settings)
  const step = consentStep({ client, redirect_uri, names, resources }, remembered)
  const decision = hasAgreed(pending, account.session, step)
    ? 'continue'
    : decideConsent(request, step.names, step.allowed)
  if (decision instanceof OAuthError) return { step: 'error', error: decision }
  if (decision === 'consent') return step
  return { step: 'issue', request, subject: account.subject, session: account.session }
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
