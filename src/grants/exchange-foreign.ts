import { verifyPresented } from '../clients/authentication/client-assertion.ts'
import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import { type Actor, actorsOf, readForeignActor } from '../core/actor.ts'
import { withEntries } from '../core/commit.ts'
import { invalidRequest, type OAuthError } from '../core/errors.ts'
import type { SecurityEvent } from '../core/events.ts'
import { isGrantedTarget } from '../core/resource-uri.ts'
import { TOKEN_TYPE } from '../core/token-types.ts'
import { singleUseOf } from '../issuers/assertion-id.ts'
import { type Assertion, readAssertion } from '../issuers/verify-assertion.ts'
import { ungrantedTarget } from '../resources/target.ts'
import type { SingleUse } from '../storage/single-use.ts'
import type { TokenPlan } from '../tokens/plan.ts'
import { findAccount } from '../tokens/token-account.ts'
import { grantAsserted } from './asserted-grant.ts'
import type { ExchangeActor } from './exchange-actor.ts'
import { exchangeScope } from './exchange-scope.ts'
import { checkKey, modeOf, nextActor, refusalFor } from './exchange-subject.ts'
import type { GrantContext, Granted, GrantedDetails } from './grant-handler.ts'
import { assertedScopes, assertedSignIn, type RefuseAssertion, statedTarget } from './identity-assertion.ts'

/** A JWT of a trusted issuer that a client may exchange. */
export interface ForeignSubject {
  readonly assertion: Assertion
  /** What makes it usable once; undefined: its issuer allows reuse. */
  readonly single_use: SingleUse | undefined
  /** The client, in front of those that its issuer names. */
  readonly act: Actor
  /** Since when it is judged, in milliseconds since 1970: an end that comes meanwhile ends what is granted. */
  readonly judged_since: number
}

/**
 * Returns the subject token of an exchange if it is a JWT of a trusted issuer about a person, which the client may exchange
 * (RFC 8693 §2.1); undefined if it does not say that another issuer made it.
 * @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `unauthorized_client`, `temporarily_unavailable`;
 * StorageUnavailable
 */
export async function findForeignSubject(
  context: GrantContext,
  client: Client,
  presented: string,
  type: string,
): Promise<ForeignSubject | undefined> {
  const { settings, now } = context
  const read = type === TOKEN_TYPE.jwt && settings.trusted_issuers ? readAssertion(presented) : ''
  if (typeof read === 'string' || read.claims.iss === settings.issuer) return undefined
  const judged_since = now()
  const refuse = refusalFor(client)
  if (modeOf(client) !== 'delegate')
    throw refuse(
      'exchange_tie',
      'A token of another issuer is exchanged by clients with exchange_mode delegate only.',
    )
  const verified = await verifyPresented(context, presented, 'exchange')
  if (!verified.ok)
    throw refuse('exchange_subject', `The subject_token is refused: ${verified.text}.`, {
      fault: verified.detail ?? verified.text,
    })
  const { issuer, claims } = verified
  const act = claims.act === undefined ? undefined : readForeignActor(claims.act, issuer.issuer)
  if (claims.act !== undefined && act === undefined)
    throw refuse('exchange_chain', 'The act of the subject_token is malformed, or has too many actors.')
  // Another issuer cannot know who acted here, and an API could take its word for ours.
  if (actorsOf(act).some(({ iss }) => iss === settings.issuer))
    throw refuse('exchange_chain', 'The act of the subject_token names an actor of this server.')
  const token = { ...(act && { act }), may_act: claims.may_act }
  return {
    assertion: verified,
    single_use: singleUseOf(verified, now()),
    act: nextActor(client, token, refuse, settings.issuer, issuer.issuer),
    judged_since,
  }
}

/**
 * Grants a token for the person of a JWT of a trusted issuer: of a family of its own, as the JWT bearer grant makes it.
 * @throws OAuthError; StorageUnavailable
 */
export async function exchangeForeign(
  context: GrantContext,
  client: Client,
  plan: TokenPlan,
  { assertion, single_use, act, judged_since }: ForeignSubject,
  actor: ExchangeActor | undefined,
  requested: string | undefined,
): Promise<Granted | GrantedDetails> {
  // It has none.
  if (plan.details === 'asked') return { details: '' }
  const refuse = refusalFor(client)
  if (actor?.proven !== undefined)
    throw refuse(
      'exchange_actor',
      'With a subject_token of another issuer the actor_token is an assertion, or left out.',
    )
  checkKey(client, assertion.confirmation, false, plan.confirmation)
  const refuseAssertion: RefuseAssertion = (reason, text) =>
    refuse(
      USER_REASONS.includes(reason) ? 'exchange_user' : 'exchange_subject',
      `The subject_token is refused: ${text}.`,
      {
        fault: text,
      },
    )
  const sign_in = await assertedSignIn(context, client, assertion, judged_since, refuseAssertion)
  await checkStatedTarget(context, assertion, plan, refuseAssertion)
  const { target } = plan
  const held = assertedScopes(assertion, target)
  const scope = exchangeScope(context.settings, client, requested, { target, act, held })
  const single_uses = [single_use, ...plan.single_uses, actor?.single_use].filter((one) => one !== undefined)
  if (new Set(single_uses.map(({ id }) => id)).size < single_uses.length)
    throw refuse('exchange_subject', 'One assertion cannot be more than one of the tokens of a request.')
  const granted = { scope, act, user: { sign_in } }
  const event: SecurityEvent = {
    event: 'token_exchanged',
    client_id: client.client_id,
    of_client: client.client_id,
    resource: plan.target.resource,
    actors: actorsOf(act).length,
    username: sign_in.username,
    issuer: assertion.issuer.issuer,
  }
  // Only an audit trail needs to know whose it is.
  const user = context.report.entriesOf && (await findAccount(context, client, sign_in))
  const outcome = await withEntries(context, [event], { sub: user?.sub }, (told) =>
    grantAsserted(context, client, plan, granted, single_uses, told),
  )
  if (outcome !== 'ok')
    throw outcome.kind === 'proof' ? usedBefore(outcome, client.client_id) : replayed(client, assertion)
  context.report(event)
  return granted
}

/**
 * Refuses a resource that a token of another issuer does not name, if it names some (RFC 8707 §2.2).
 * @throws OAuthError `invalid_target`; what `refuse` makes; StorageUnavailable
 */
async function checkStatedTarget(
  context: GrantContext,
  { claims }: Assertion,
  { target: { resource } }: TokenPlan,
  refuse: RefuseAssertion,
): Promise<void> {
  if (claims.resource === undefined) return
  const stated = await statedTarget(context, claims, refuse)
  if (!isGrantedTarget(stated, resource)) throw ungrantedTarget(resource, stated)
}

function replayed({ client_id }: Client, { issuer: { issuer } }: Assertion): OAuthError {
  return invalidRequest(
    'exchange_subject',
    'The subject_token, or an assertion beside it, was used before: get a new one.',
    {
      event: { event: 'assertion_replayed', issuer, client_id },
    },
  )
}

const USER_REASONS: readonly string[] = ['assertion_user', 'access_by_group', 'acr_too_weak']
