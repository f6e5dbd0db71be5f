import { proveClient } from '../clients/authentication/client-auth.ts'
import { keyOfTokens, type ProvingCaller } from '../clients/authentication/client-proof.ts'
import type { Client } from '../clients/record/client-record.ts'
import { isConfidential } from '../clients/record/grant-types.ts'
import { keepRegistered } from '../clients/registration/lifetime.ts'
import { withEntries } from '../core/commit.ts'
import { confirmationOf } from '../core/confirmation.ts'
import { tellStep } from '../core/connection-steps.ts'
import { OAuthError } from '../core/errors.ts'
import {
  invalidDetails,
  invalidGrant,
  notRegisteredFor,
  unauthorizedClient,
  unsupportedGrantType,
} from '../core/grant-errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { type Parameters, required } from '../core/parameters.ts'
import type { Reason, RequestStep } from '../core/reasons.ts'
import { type CheckedDetail, checkDetails, narrowDetails } from '../details/check-details.ts'
import { findTarget, ungrantedTarget } from '../resources/target.ts'
import type { TokenDetails } from '../storage/families.ts'
import { familyOfUses } from '../storage/family-ids.ts'
import type { SingleUse } from '../storage/single-use.ts'
import { planTokens } from '../tokens/plan.ts'
import { findRecipient } from '../tokens/signed-answer.ts'
import { bitsFor } from '../tokens/status-bits.ts'
import { type AccountProblem, accountProblem, findAccount } from '../tokens/token-account.ts'
import type { TokenResponse } from '../tokens/token-response.ts'
import type { GrantContext, GrantedUser, GrantHandler, GrantSettings, TokenGrant } from './grant-handler.ts'
import { HANDLERS, isEnabled, PRESENTED, supportedGrantTypes } from './handlers.ts'
import { certificateBinding } from './planned-tokens.ts'
import { isGoneElsewhere } from './still-there.ts'
import { tokenAnswer } from './token-answer.ts'

/** The steps of `issueTokens` that can refuse a request, in their order. A request has one of those that are `PRESENTED`. */
export const TOKEN_STEPS: readonly RequestStep[] = [
  ...(['grant_type', 'parameters', 'client', 'client_grant_types', 'proof', 'encryption_key'] as const),
  ...(['authorization_details', 'resource', ...PRESENTED, 'scope', 'account'] as const),
]

/**
 * Answers a token request (RFC 6749 §3.2). Every grant runs through these steps in this order.
 * @throws OAuthError; StorageUnavailable
 */
export async function issueTokens(
  context: GrantContext,
  parameters: Parameters,
  caller: ProvingCaller,
): Promise<TokenResponse> {
  const handler = findHandler(context.settings, required(parameters, 'grant_type'))
  const { grant_type, issues, renews } = handler
  const presented = handler.parse(parameters)
  const proven =
    'authenticate' in presented
      ? await presented.authenticate(context, caller)
      : { grant: presented, ...(await proveClient(context, caller, parameters)) }
  const { client, grant } = proven
  checkGrantType(handler, client)
  if (grant.check !== undefined) await grant.check(context, client)
  const key = keyOfTokens(context, caller, client)
  const single_uses = key === undefined ? proven.single_uses : [...proven.single_uses, key.single_use]
  const confirmation = confirmationOf(key?.jkt, certificateBinding(client, caller))
  if ('issue' in grant) return await grant.issue(context, client, { confirmation, single_uses })
  const family = familyFor(context, grant, single_uses)
  // Keys can be missing: fail before a code or refresh token is spent.
  const first = issues.id_token ? context.keys.firstKeys() : undefined
  if (first !== undefined) await first
  const finding = issues.id_token ? findRecipient(context, client, 'id_token') : undefined
  const recipient = finding && (await finding)
  const asking = askedDetails(context, handler, client, parameters)
  const asked = asking && (await asking)
  const attempt = async (resource: string | undefined, details: TokenDetails | undefined) => {
    const target = resource === undefined ? undefined : await findTarget(context, client, resource)
    const bits = bitsFor(context, client, target)
    const status = bits && (await bits.take())
    const purpose = { single_uses, confirmation, target, details, status, ...grant.purpose?.() }
    try {
      const plan = planTokens(context, client, family, issues, purpose)
      const granted = await grant.write(context, client, plan)
      // Nothing was issued.
      if (status !== undefined && ('target' in granted || 'details' in granted)) bits?.giveBack(status)
      return { plan, granted }
    } catch (error) {
      // Otherwise requests that are refused would use up lists. Of what storage may have written nobody knows.
      if (status !== undefined && error instanceof OAuthError) bits?.giveBack(status)
      throw error
    }
  }
  let { resource } = parameters
  let details: TokenDetails | undefined = asked && 'asked'
  let { plan, granted } = await attempt(resource, details)
  // RFC 8707 §2.2: without a resource the tokens are for those of the grant, which only storage knows.
  if (resource === undefined && 'target' in granted) {
    resource = granted.target
    ;({ plan, granted } = await attempt(resource, details))
  }
  // RFC 9396 §6.1: as with resources, only storage knows those of the grant.
  if (asked !== undefined && 'details' in granted) {
    details = { text: narrowDetails(asked, granted.details) }
    ;({ plan, granted } = await attempt(resource, details))
  }
  if ('target' in granted) throw ungrantedTarget(parameters.resource, granted.target)
  if ('details' in granted) throw new TypeError('nobody asked for details')
  if (granted.user !== undefined && granted.user.origin === undefined)
    await checkAccount(context, client, family, granted.user, renews)
  // A preview lapses whatever it does.
  if (client.lapses_at !== undefined && client.preview_of === undefined)
    await keepRegistered(context, client, client.lapses_at)
  const { format } = granted.issued ?? plan
  context.counts.tokens[grant_type][format] += 1
  const sign_in = granted.user?.sign_in
  tellStep(context, () => ({
    step: 'token',
    client_id: client.client_id,
    format,
    from: caller.address(),
    grant: sign_in && family,
    sub: sign_in?.subject,
    resource: plan.target.audience || undefined,
  }))
  return tokenAnswer(context, handler, { client, plan, granted, recipient })
}

/**
 * Returns the details that a request asks for; undefined: it asks for none.
 * @throws OAuthError `invalid_authorization_details`; StorageUnavailable
 */
function askedDetails(
  context: GrantContext,
  { narrows_details, grant_type }: GrantHandler,
  client: Client,
  { authorization_details }: Parameters,
): Promise<readonly CheckedDetail[]> | undefined {
  if (authorization_details === undefined) return undefined
  if (narrows_details) return checkDetails(context, client, authorization_details)
  // Nobody was asked.
  throw invalidDetails(
    'details_without_person',
    `authorization_details need a person who allows them: leave them out with ${grant_type}.`,
    { received: { grant_type } },
  )
}

function findHandler(settings: GrantSettings, grant_type: string): GrantHandler {
  const handler = HANDLERS.find((candidate) => candidate.grant_type === grant_type)
  if (handler === undefined || !isEnabled(handler, settings)) {
    const supported = supportedGrantTypes(settings)
    throw unsupportedGrantType(`grant_type must be one of ${supported.join(', ')}.`, {
      received: { grant_type },
      expected: { grant_types: supported },
    })
  }
  return handler
}

/** @throws OAuthError `unauthorized_client` if a client may not use a grant */
export function checkGrantType(
  { grant_type, registered_as = [grant_type] }: Pick<GrantHandler, 'grant_type' | 'registered_as'>,
  client: Client,
): void {
  if (client.is_public && isConfidential(grant_type)) {
    throw unauthorizedClient('grant_type_needs_secret', `A public client cannot use ${grant_type}.`, {
      received: { grant_type, is_public: true },
      expected: { is_public: false },
    })
  }
  if (!registered_as.some((one) => client.grant_types.includes(one))) {
    throw notRegisteredFor(registered_as[0] ?? grant_type, client.grant_types)
  }
}

/**
 * Returns the id of the token family of a request. If its grant names none, it is that of the proof or assertion that the
 * request uses up, so that a Redis Cluster changes both in one step.
 */
function familyFor(
  { storage }: GrantContext,
  grant: TokenGrant,
  single_uses: readonly SingleUse[],
): FamilyId {
  return grant.familyId?.() ?? familyOfUses(single_uses) ?? storage.families.newClientFamily()
}

/**
 * Refuses tokens for a user whose account is disabled, gone or of another user now, or who may not use the client. Only
 * the record of the grant names the account, so it is checked when the tokens are written and before they leave; they end
 * with their family.
 * @throws OAuthError `invalid_grant`; StorageUnavailable
 */
async function checkAccount(
  context: GrantContext,
  client: Client,
  family: FamilyId,
  { sign_in }: GrantedUser,
  renews: true | undefined,
): Promise<void> {
  const problem = await accountProblem(context, client, sign_in)
  const is_gone =
    problem === undefined && renews === true && (await isGoneElsewhere(context, client, sign_in))
  const reason = is_gone ? 'account' : problem
  if (reason === undefined) return
  const { client_id } = client
  const { username } = sign_in
  const event = { event: 'grant_ended', reason, client_id, username } as const
  // Only an audit trail needs to know whose it was.
  const user = context.report.entriesOf && (await findAccount(context, client, sign_in))
  const outcome = await withEntries(context, [event], { sub: user?.sub }, (told) =>
    context.storage.families.revokeFamily(family, told),
  )
  const { why, ...ended } = ENDED[reason]
  throw invalidGrant(why, ended.description, {
    cause: ended.cause,
    // If it was ended before, or is without a record, the step took no entry along: the same event again has its own.
    event: outcome === 'ok' ? event : { ...event },
  })
}

interface Ended {
  readonly why: Reason
  readonly description: string
  readonly cause: string
}

const ENDED: Readonly<Record<AccountProblem, Ended>> = {
  account: {
    why: 'account_gone',
    description: 'The user of this grant cannot sign in any more.',
    cause: 'account disabled, gone or changed',
  },
  access: {
    why: 'access_by_group',
    description: 'The user of this grant may not use this client any more.',
    cause: 'the user is in none of the groups that may use the client',
  },
  acr: {
    why: 'acr_too_weak',
    description: 'The sign-in of this grant is weaker than this client demands by now: sign in again.',
    cause: 'its acr is none of required_acr of the client',
  },
  ended: {
    why: 'grant_ended',
    description: 'What the user granted was ended.',
    cause: 'all of the user, the session or the client was ended',
  },
}
