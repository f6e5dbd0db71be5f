import { claimsOfScope } from '../claims/claims.ts'
import type { Client } from '../clients/record/client-record.ts'
import { clashWithClient, subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { acrForAll } from '../core/acr.ts'
import { givesChange } from '../core/admin-scopes.ts'
import { OAuthError } from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import { type CheckedDetail, checkDetails } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { type AccessStepContext, findNoAccess } from '../interaction/access-step.ts'
import { comesBackBy } from '../interaction/come-back-step.ts'
import { type ConsentRegistry, consentName } from '../interaction/consent.ts'
import { type AskedConsent, consentStep, hasAgreed, readLeftOut } from '../interaction/consent-step.ts'
import type { Due } from '../interaction/flow.ts'
import type { Interaction, InteractionReply, LoginStep } from '../interaction/interaction.ts'
import type { PendingProgress } from '../interaction/pending-record.ts'
import { allowedOf, type RecentProofContext } from '../interaction/recent-proof.ts'
import type { SignInMethods } from '../interaction/sign-in-method.ts'
import { destinationOf } from '../pages/destination.ts'
import type { Resource } from '../resources/resource-record.ts'
import type { TargetContext } from '../resources/target.ts'
import type { Session } from '../sessions/session.ts'
import type { WaitingCode } from '../tokens/waiting-code.ts'
import type { Agreed, OpenQuestion, StoredAnswerContext } from './answer-waiting.ts'

/** What it takes to find out what is due for a code that waits. */
export type WaitingDueContext = StoredAnswerContext &
  AccessStepContext &
  RecentProofContext &
  TargetContext &
  DetailsContext & {
    readonly consents: Pick<ConsentRegistry, 'find'>
    readonly methods: SignInMethods
    readonly settings: Pick<Settings, 'scope_claims'>
  }

/** How a kind of codes that wait is asked about, and answered. */
export interface WaitingPage {
  /** The acr values of which the sign-in must have one, besides what the client and the details demand; absent: any. */
  readonly acr_values?: readonly string[] | undefined
  /** Whether a session that is there is not enough. @param demands what the types of the details demand */
  signsInAnew?(demands: readonly (readonly string[] | undefined)[]): boolean
  /** The host of its client, as far as it is known. */
  readonly host?: string | undefined
  /** What the page shows of it. @param gives_change whether it gives rights to change what is of others */
  shown(gives_change: boolean): Pick<AskedConsent, 'device' | 'ask'>
  allow(agreed: Agreed): Promise<InteractionReply>
  deny(): Promise<InteractionReply>
}

/**
 * Finds out what is due for a code that waits: the person signs in as its client demands, is asked, and the answer is
 * stored. It is always asked, whatever was agreed to before: the code may be that of somebody else (RFC 8628 §5.4).
 * @throws StorageUnavailable
 */
export async function dueFor<Code extends WaitingCode>(
  context: WaitingDueContext,
  { pending }: Interaction,
  { session, code, client }: OpenQuestion<Code>,
  page: WaitingPage,
): Promise<Due<never>> {
  const destination = destinationOf(client, page.host)
  const details = await detailsOf(context, client, code)
  const demands = details?.map(({ type }) => type.required_acr) ?? []
  const signing_in = signInFor(
    pending,
    session,
    acrForAll(client.required_acr, ...demands, page.acr_values),
    {
      is_anew: page.signsInAnew?.(demands) ?? false,
    },
  )
  if (signing_in !== undefined) return { due: 'user', step: signing_in, destination }
  const subject = subjectFor(client, session.sub, context.settings)
  const is_refused = pending.refused === session.sid || clashWithClient(subject, client) !== undefined
  const claims = claimsOfScope(code.scope, context.settings.scope_claims)
  const returning = is_refused ? undefined : await comesBackBy(context, { client, claims }, session)
  if (returning !== undefined) return { due: 'user', step: returning, destination }
  const no_access = is_refused ? undefined : await findNoAccess(context, client, session)
  if (no_access !== undefined) return { due: 'user', step: no_access, destination }
  const resources = await resourcesOf(context, code)
  if (is_refused || resources === undefined || details === undefined)
    return { due: 'answer', answer: () => page.deny() }
  // Without the scopes that the client lost since it asked.
  const scope = scopeNames(code.scope).filter((name) => client.allowed_scopes.includes(name))
  const names = [...scope, ...resources.map(consentName)]
  const allowed = await allowedOf(context, scope.join(' '), session, pending)
  if (allowed.step !== undefined) return { due: 'user', step: allowed.step, destination }
  const granted = scopeNames(allowed.scope)
  const consent = { client, names, resources, details, ...page.shown(givesChange(granted)) }
  const step = consentStep(consent)
  if (hasAgreed(pending, session, step)) {
    const left_out = readLeftOut(step, pending.left_out)
    const agreed_to = granted.filter((name) => !left_out.has(name))
    const { agreed_at } = pending
    return { due: 'answer', answer: () => page.allow({ subject, names: agreed_to, agreed_at }) }
  }
  const remembered = await context.consents.find(session.sub, client.client_id)
  return { due: 'user', step: consentStep(consent, remembered), destination }
}

/** The sign-in that has to come first; undefined: none. */
function signInFor(
  { signed_in }: Pick<PendingProgress, 'signed_in'>,
  session: Session,
  acr_values: readonly string[] | undefined,
  { is_anew }: { readonly is_anew: boolean },
): LoginStep | undefined {
  const is_strong = acr_values === undefined || acr_values.includes(session.acr)
  const is_fresh = !is_anew || signed_in === session.sid
  if (is_strong && is_fresh) return undefined
  return {
    step: 'login',
    is_step_up: true,
    ...(acr_values && { acr_values }),
    ...(is_anew && { max_age: 0 }),
  }
}

/** What was asked for in detail; undefined if the client may not have it any more. @throws StorageUnavailable */
async function detailsOf(
  context: DetailsContext,
  client: Client,
  { authorization_details }: WaitingCode,
): Promise<readonly CheckedDetail[] | undefined> {
  if (authorization_details === undefined) return []
  try {
    return await checkDetails(context, client, authorization_details)
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return undefined
    throw error
  }
}

/**
 * The resources that were asked for; undefined if one was removed or disabled. It may come back, and the client would get
 * tokens for what its person was not shown.
 */
async function resourcesOf(
  { resources }: TargetContext,
  { resource = '' }: WaitingCode,
): Promise<Resource[] | undefined> {
  const found: Resource[] = []
  for (const uri of resource.split(' ').filter((id) => id !== '')) {
    const one = await resources.find(uri)
    if (one === undefined) return undefined
    found.push(one)
  }
  return found
}
