import { newCode } from '../../../src/authorize/new-code.ts'
import type { Client } from '../../../src/clients/record/client-record.ts'
import { grantsOf, signInGrants } from '../../../src/clients/record/grant-types.ts'
import { subjectFor } from '../../../src/clients/subject.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import type { SigningAlg } from '../../../src/core/algs.ts'
import type { KeyConfirmation } from '../../../src/core/confirmation.ts'
import { newFamilyId, randomText } from '../../../src/core/token-string.ts'
import { checkDetails } from '../../../src/details/check-details.ts'
import { authorizationCode } from '../../../src/grants/authorization-code.ts'
import { clientCredentials } from '../../../src/grants/client-credentials.ts'
import type { Grant, Granted, GrantHandler } from '../../../src/grants/grant-handler.ts'
import { tokenAnswer } from '../../../src/grants/token-answer.ts'
import {
  findResources,
  findTarget,
  ownTarget,
  scopeOf,
  type TokenTarget,
} from '../../../src/resources/target.ts'
import { joinFor } from '../../../src/sessions/join-session.ts'
import { findSession } from '../../../src/sessions/session.ts'
import { write } from '../../../src/storage/records.ts'
import { CODE } from '../../../src/tokens/code-record.ts'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { planTokens, type TokenPlan } from '../../../src/tokens/plan.ts'
import { accountProblem } from '../../../src/tokens/token-account.ts'
import type { TokenResponse } from '../../../src/tokens/token-response.ts'
import { scopeOfUser } from '../../../src/users/admin-rights.ts'
import type { User } from '../../../src/users/user-record.ts'
import type { DevParts } from '../../parts.ts'
import { ControlError } from '../control-error.ts'
import { type SignInWay, startSessionOf } from '../sign-in.ts'

/** What tokens are to be. */
export interface WantedTokens extends SignInWay {
  readonly client: Client
  readonly scope?: string | undefined
  /** The APIs, separated by spaces. */
  readonly resource?: string | undefined
  readonly expires_in?: number | undefined
  readonly format?: AccessTokenFormat | undefined
  readonly alg?: SigningAlg | undefined
  readonly nonce?: string | undefined
  readonly confirmation?: KeyConfirmation | undefined
  /** What the person allows in detail. */
  readonly authorization_details?: readonly object[] | undefined
}

// A client of devices has no address of its own, and its code never leaves this file.
const NO_ADDRESS = 'urn:redmint:dev'

/**
 * Issues tokens for a person by the steps of the authorization code grant, without its requests: a session, a code, and what
 * the token endpoint writes and answers for it.
 * @throws ControlError, OAuthError if the person cannot have them; StorageUnavailable
 */
export async function issueForUser(
  parts: DevParts,
  wanted: WantedTokens,
  user: User,
): Promise<TokenResponse> {
  const context = parts.fastify.redmint
  const { storage } = context
  const client = asWanted(wanted)
  const { client_id } = client
  if (signInGrants(client.grant_types).length === 0)
    throw new ControlError(
      `Nobody signs in at the client ${client_id}: leave user out, or name another client.`,
    )
  const target = await targetOf(parts, client, wanted)
  const scope = await scopeOfUser(context, scopeOf(target, client, wanted.scope), user.username)
  const cookie = await startSessionOf(parts, user, wanted)
  const session = await findSession(context, { session: cookie }, client_id)
  const family = newFamilyId()
  if (session === undefined || (await joinFor(context, session, client, scope, family)) === 'missing')
    throw new ControlError(`The session of ${user.username} ended at once.`, 409)
  const verifier = randomText(32)
  const redirect_uri = client.redirect_uris[0] ?? NO_ADDRESS
  const request = {
    ...{ client, redirect_uri, scope },
    code_challenge: s256Challenge(verifier),
    prompt: new Set<never>(),
    claims: { userinfo: [], id_token: [] },
    ...(wanted.nonce !== undefined && { nonce: wanted.nonce }),
    ...(wanted.resource !== undefined && { resources: await findResources(context, wanted.resource) }),
    ...(wanted.authorization_details !== undefined && {
      details: await checkDetails(context, client, JSON.stringify(wanted.authorization_details)),
    }),
  }
  const subject = subjectFor(client, user.sub, context.settings)
  const { code, record, ttl, lists } = newCode(context, { step: 'issue', request, subject, session }, family)
  await storage.records.put(write(CODE, code, record, ttl, lists))
  // Keys can be missing at the start.
  await context.keys.firstKeys()
  const plan = planTokens(context, client, family, authorizationCode.issues, {
    target,
    confirmation: wanted.confirmation,
  })
  const presented = authorizationCode.parse({ code, redirect_uri, code_verifier: verifier })
  const granted = await written(parts, presented, client, plan)
  const problem = granted.user && (await accountProblem(context, client, granted.user.sign_in))
  if (problem !== undefined) {
    await storage.families.revokeFamily(family)
    throw new ControlError(`${user.username} cannot have tokens of ${client_id}: ${PROBLEMS[problem]}.`, 403)
  }
  return await answered(parts, authorizationCode, client, plan, granted)
}

const PROBLEMS = {
  account: 'the account is disabled, gone or changed',
  access: 'the person is in none of the groups that may use this client',
  acr: 'the sign-in is weaker than this client demands, give acr',
  ended: 'all of the person, the session or the client was ended',
} as const

/** As issueForUser, for a client itself, by the client credentials grant. @throws as issueForUser */
export async function issueForClient(parts: DevParts, wanted: WantedTokens): Promise<TokenResponse> {
  const context = parts.fastify.redmint
  const client = asWanted(wanted)
  if (wanted.authorization_details !== undefined)
    throw new ControlError('authorization_details need a person who allows them: give user.')
  if (grantsOf('client', client.grant_types).length === 0)
    throw new ControlError(
      `The client ${client.client_id} gets no tokens for itself: give user, or name a client with client_credentials.`,
    )
  const target = await targetOf(parts, client, wanted)
  await context.keys.firstKeys()
  const family = context.storage.families.newClientFamily()
  const { confirmation, scope } = wanted
  const plan = planTokens(context, client, family, clientCredentials.issues, { target, confirmation })
  const granted = await written(parts, clientCredentials.parse({ scope }), client, plan)
  return await answered(parts, clientCredentials, client, plan, granted)
}

/** Returns a client whose record says what is wanted. */
function asWanted({ client, expires_in, format, alg }: WantedTokens): Client {
  return {
    ...client,
    ...(expires_in !== undefined && { access_token_ttl: expires_in, id_token_ttl: expires_in }),
    ...(format !== undefined && { access_token_format: format }),
    ...(alg !== undefined && { access_token_signed_response_alg: alg, id_token_signed_response_alg: alg }),
  }
}

/** Returns what the tokens are for: what is wanted goes before what the API says. @throws OAuthError; StorageUnavailable */
export async function targetOf(
  { fastify }: DevParts,
  client: Client,
  { resource, expires_in, format, alg }: WantedTokens,
): Promise<TokenTarget> {
  const found =
    resource === undefined ? ownTarget(client) : await findTarget(fastify.redmint, client, resource)
  return {
    ...found,
    ...(expires_in !== undefined && { ttl: expires_in }),
    ...(format !== undefined && { format }),
    ...(alg !== undefined && { alg }),
  }
}

/** Writes what a grant presents, with the tokens of a plan. @throws OAuthError; StorageUnavailable */
export async function written(
  { fastify }: DevParts,
  presented: ReturnType<GrantHandler['parse']>,
  client: Client,
  plan: TokenPlan,
): Promise<Granted> {
  const granted =
    'write' in presented ? await (presented satisfies Grant).write(fastify.redmint, client, plan) : undefined
  if (granted !== undefined && 'scope' in granted) return granted
  throw new TypeError('the grant is not for what was planned')
}

/** Returns what the token endpoint answers. @throws as written */
export function answered(
  { fastify }: DevParts,
  handler: GrantHandler,
  client: Client,
  plan: TokenPlan,
  granted: Granted,
): Promise<TokenResponse> {
  return tokenAnswer(fastify.redmint, handler, { client, plan, granted, recipient: undefined })
}
