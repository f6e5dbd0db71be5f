import { allowedClaims, claimsOfScope, scopeOfClaim } from '../claims/claims.ts'
import { scopesOfClaims } from '../claims/claims-request.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { subjectFor } from '../clients/subject.ts'
import type { ScopeClaims } from '../config/scope-claims.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import { accessRefused, consentRefused, loginRequired, signInRefused } from '../core/request-errors.ts'
import { partOfScope, scopeNames } from '../core/scope.ts'
import { type AccessStepContext, findNoAccess } from '../interaction/access-step.ts'
import { comesBackBy } from '../interaction/come-back-step.ts'
import { type ConsentRegistry, consentName } from '../interaction/consent.ts'
import { consentStep, hasAgreed, readLeftOut } from '../interaction/consent-step.ts'
import type { LoginStep } from '../interaction/interaction.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { allowedOf, type RecentProofContext } from '../interaction/recent-proof.ts'
import { acrValuesOf } from '../interaction/sign-in-method.ts'
import type { Session } from '../sessions/session.ts'
import { checkRequest, identifyTarget } from './check-request.ts'
import type { CheckContext } from './checks.ts'
import {
  type AnswerStep,
  decideAccount,
  decideConsent,
  decideDemoSubject,
  type NextStep,
  refuse,
} from './decide.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { AuthorizationRequest, Target } from './request.ts'

/** What it takes to check a request, and to find its next step. */
export interface NextStepContext extends CheckContext, AccessStepContext, RecentProofContext {
  readonly accounts: AccessStepContext['accounts'] & RecentProofContext['accounts']
  readonly settings: CheckContext['settings'] &
    AccessStepContext['settings'] &
    Pick<Settings, 'client_registration' | 'demo' | 'pairwise_salt'>
  readonly clients: Pick<ClientRegistry, 'demand'>
  readonly consents: Pick<ConsentRegistry, 'find'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Where the response to a request goes, and the request; or its answer if nobody needs to be asked. */
type Checked = { readonly target: Target } & (
  | { readonly request: AuthorizationRequest; readonly answer?: undefined }
  | { readonly request?: undefined; readonly answer: AnswerStep }
)

/**
 * Checks a request. It is read anew each time, so what changed since the last step counts.
 * @throws OAuthError to be shown to the user and never redirected; StorageUnavailable
 */
export async function checkReceived(context: NextStepContext, received: ReceivedRequest): Promise<Checked> {
  const { clients, settings } = context
  const { stage, parameters, is_signed } = received
  const target = await identifyTarget(stage, { parameters, clients, settings })
  try {
    const checked = await checkRequest(stage, parameters, target, context, is_signed)
    const request = asAccepted(checked, received)
    if (!settings.demo || request.subject === undefined) return { target, request }
    return { target, answer: decideDemoSubject(request, request.subject, settings) }
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return { target, answer: refuse(error) }
    throw error
  }
}

/**
 * Finds out what is due for a valid request.
 * @param pending what the user did so far; absent for a request that was just sent
 * @throws OAuthError `server_error` as subjectFor, to be shown to the user; StorageUnavailable
 */
export async function findNextStep(
  context: NextStepContext,
  request: AuthorizationRequest,
  session: Session | undefined,
  pending?: PendingRecord,
): Promise<NextStep> {
  if (pending?.gave_up === 'true') return refuse(signInRefused())
  const { client, redirect_uri, resources = [] } = request
  const account = decideAccount({
    request,
    expected: expectedSubjects(request),
    acr_values: request.acr_values === undefined ? [] : acrValuesOf(context.methods),
    now: context.now(),
    ...(session && { session, subject: subjectFor(client, session.sub, context.settings) }),
    ...(pending && { pending }),
  })
  if (account.step !== 'continue') return account
  const { sid } = account.session
  const allowing = allowedOf(context, request.scope, account.session, pending)
  const { scope, step: proof } = allowing instanceof Promise ? await allowing : allowing
  const coming = comesBackBy(context, groupsMatter(request, scope, context), account.session)
  const returning = coming && (await coming)
  if (returning !== undefined && pending?.refused !== sid)
    return request.prompt.has('none') ? refuse(groupsEnded()) : returning
  const looking = findNoAccess(context, client, account.session)
  const no_access = looking && (await looking)
  if (no_access !== undefined) {
    if (pending?.refused === sid) return refuse(accessRefused(no_access.facts))
    return request.prompt.has('none')
      ? refuse(accessRefused(no_access.facts, { ...no_access.event, at: 'prompt_none' }))
      : no_access
  }
  if (pending?.refused === sid) return refuse(consentRefused(scopeNames(request.scope)))
  if (proof !== undefined) return request.prompt.has('none') ? refuse(proofRequired(proof)) : proof
  // Users of a first-party client are asked only with prompt=consent, and for details.
  const { details } = request
  const is_asked = !client.first_party || request.prompt.has('consent') || details !== undefined
  const remembered = is_asked ? await context.consents.find(account.session.sub, client.client_id) : undefined
  const names = namesToConsentTo(request, context.settings)
  const claims = namedClaims(request, context.settings)
  const step = consentStep({ client, redirect_uri, names, resources, details, claims }, remembered)
  if (hasAgreed(pending, account.session, step)) {
    const left_out = readLeftOut(step, pending?.left_out)
    const agreed = withoutScopes({ ...request, scope }, left_out, context.settings.scope_claims)
    const { subject, session } = account
    return { step: 'issue', request: agreed, subject, session, agreed_at: pending?.agreed_at }
  }
  const decision = decideConsent(request, step.names, step.allowed, details)
  if (decision instanceof OAuthError) return refuse(decision)
  if (decision === 'consent') return step
  return { step: 'issue', request: { ...request, scope }, subject: account.subject, session: account.session }
}

/** What decides whether the groups of the user matter for a request. */
function groupsMatter(
  request: AuthorizationRequest,
  scope: string,
  { settings }: Pick<NextStepContext, 'settings'>,
) {
  const { client } = request
  return {
    client,
    claims: [...claimsOfScope(scope, settings.scope_claims), ...namedClaims(request, settings)],
  }
}

const groupsEnded = () =>
  loginRequired(
    'login_required',
    'The groups that a provider said of the user have ended: the user has to sign in by it.',
  )

const proofRequired = ({ acr_values = [] }: LoginStep) =>
  loginRequired(
    'login_required',
    'The scope gives rights to change what is of others: that takes a sign-in of the last ten minutes by the strongest way of the account.',
    acr_values.length > 0 ? { expected: { acr: acr_values } } : {},
  )

/** The subjects that the request says the user has (OpenID Connect Core §3.1.2.1 and §5.5.1). */
function expectedSubjects({ claims, hinted_sub }: AuthorizationRequest): string[] {
  return [claims.sub, hinted_sub].filter((sub) => sub !== undefined)
}

/** The request with what was kept of it when it was accepted. */
function asAccepted(
  request: AuthorizationRequest,
  { default_scope, hinted_sub }: Pick<ReceivedRequest, 'default_scope' | 'hinted_sub'>,
): AuthorizationRequest {
  return {
    ...request,
    // What the client could obtain then, without what it lost since.
    ...(default_scope !== undefined && { scope: partOfScope(request.scope, scopeNames(default_scope)) }),
    ...(hinted_sub !== undefined && { hinted_sub }),
  }
}

/** The names of the requested scope, the scopes of the claims that are requested by name, and the resources. */
function namesToConsentTo(
  { client, scope, claims, resources = [] }: AuthorizationRequest,
  { scope_claims }: NextStepContext['settings'],
): string[] {
  const byName = scopesOfClaims(claims, scope_claims).filter((name) => client.allowed_scopes.includes(name))
  return [...new Set([...scopeNames(scope), ...byName, ...resources.map(consentName)])]
}

/** The claims that are requested by name, as far as the client may obtain them. */
function namedClaims(
  { client, claims: { userinfo, id_token } }: AuthorizationRequest,
  { scope_claims }: NextStepContext['settings'],
): string[] {
  // Most requests name none.
  if (userinfo.length + id_token.length === 0) return []
  return allowedClaims([...new Set([...userinfo, ...id_token])], client.allowed_scopes, scope_claims)
}

/** The request without scopes that its user left out, and without the claims of these (RFC 6749 §3.3). */
function withoutScopes(
  request: AuthorizationRequest,
  left_out: ReadonlySet<string>,
  scope_claims: ScopeClaims,
): AuthorizationRequest {
  if (left_out.size === 0) return request
  const { scope, claims } = request
  const stays = (name: string) => !left_out.has(scopeOfClaim(name, scope_claims) ?? '')
  return {
    ...request,
    scope: scopeNames(scope)
      .filter((name) => !left_out.has(name))
      .join(' '),
    claims: {
      ...claims,
      userinfo: claims.userinfo.filter(stays),
      id_token: claims.id_token.filter(stays),
    },
  }
}
