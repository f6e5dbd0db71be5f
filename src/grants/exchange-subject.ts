import type { Client } from '../clients/record/client-record.ts'
import { type Actor, actorsOf, hasOperator, isSameActor, MAX_ACTORS } from '../core/actor.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import { shownStep, tellStep } from '../core/connection-steps.ts'
import { type ExchangeReason, refusedExchange, unauthorizedClient } from '../core/grant-errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { isObject } from '../core/json.ts'
import type { Facts } from '../core/reasons.ts'
import { FieldReader, type Hash } from '../core/record-hash.ts'
import { isOpaqueToken, parseToken } from '../core/token-string.ts'
import { TOKEN_TYPE } from '../core/token-types.ts'
import type { Resource } from '../resources/resource-record.ts'
import { actorName, type ProvenToken } from '../storage/derivation.ts'
import { SIGN_IN_FIELDS } from '../storage/families.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { accountProblem, type TokenAccountContext } from '../tokens/token-account.ts'
import type { ValidAccessToken } from '../tokens/validation.ts'
import type { GrantContext } from './grant-handler.ts'

/** A token that a client may exchange, and what the new one has of it. */
export interface ExchangeSubject {
  readonly proven: ProvenToken
  readonly family: FamilyId
  readonly token: ValidAccessToken
  /** The client that the user signed in at. */
  readonly origin: Client
  readonly sign_in: GrantFacts
  /** Who acts with the new token; undefined: nobody but the client that the user signed in at. */
  readonly act: Actor | undefined
  /** Whether the exchange may do without the key that the token is bound to. */
  readonly may_lack_key: boolean
}

/**
 * Returns the subject token of an exchange, if it is an access token of this server for a user that the client may
 * exchange (RFC 8693 §2.1).
 * @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `unauthorized_client`; StorageUnavailable
 */
export async function findSubject(
  context: GrantContext,
  client: Client,
  presented: string,
  type: string,
): Promise<ExchangeSubject> {
  // First, as it is about the client alone.
  modeOf(client)
  const refuse = refusalFor(client)
  const is_jwt = !isOpaqueToken(presented)
  // RFC 8725 §3.11: what it is called and what it is must agree.
  if (type === TOKEN_TYPE.jwt && !is_jwt)
    throw refuse('exchange_subject', 'The subject_token is no JWT, as subject_token_type says.', {
      fault: 'no JWT',
    })
  const found = await validateAccessToken(context, presented, true)
  if (!found.valid)
    throw refuse(
      'exchange_subject',
      'The subject_token is no access token of this server, or not live: get a new one.',
      { fault: found.reason },
    )
  const { token } = found
  const { jti, subject, grant } = token
  // A client for itself has no grant record.
  if (grant === undefined)
    throw refuse(
      'exchange_subject_client',
      'The subject_token is for a client and not for a person: use client_credentials.',
      { client_id: token.client_id },
    )
  const origin = found.origin ?? found.client
  if (origin === undefined) throw refuse('exchange_subject', 'The subject_token has no client.')
  if (grant.ended_actors?.split(' ').includes(actorName(client.client_id)))
    throw refuse('exchange_user', 'What this client does for others in this sign-in was ended.', {
      fault: 'ended',
    })
  const sign_in = signInOf(subject, grant)
  const rights = await rightsToExchange(context, client, token, { origin, sign_in })
  // The API that exchanges it got it from the client.
  const { client_id: by } = client
  if (token.client_id !== by) tellStep(context, () => shownStep(token, { endpoint: 'token', by }))
  return {
    proven: { token: jti, is_jwt },
    family: parseToken(jti)?.family ?? '',
    token,
    origin,
    sign_in,
    ...rights,
  }
}

/** What a client may do with a token of somebody. */
type ExchangeRights = Pick<ExchangeSubject, 'act' | 'may_lack_key'>

/** What it takes to look at the rights to exchange a token. */
interface ExchangeRightsContext extends TokenAccountContext {
  readonly resources: Pick<GrantContext['resources'], 'find'>
  readonly settings: TokenAccountContext['settings'] & Pick<GrantContext['settings'], 'issuer'>
}

/**
 * Returns what a client may do with a token by exchange: it has the token itself, or acts for the API that the token is for,
 * and the person may use it.
 * @throws OAuthError `invalid_request` (RFC 8693 §2.2.2), `unauthorized_client`; StorageUnavailable
 */
export async function rightsToExchange(
  context: ExchangeRightsContext,
  client: Client,
  token: Pick<ValidAccessToken, 'client_id' | 'audience' | 'act' | 'may_act'>,
  { origin, sign_in }: Pick<ExchangeSubject, 'origin' | 'sign_in'>,
): Promise<ExchangeRights> {
  const mode = modeOf(client)
  const refuse = refusalFor(client)
  if (hasOperator(token.act))
    throw refuse('exchange_chain', 'With the subject_token an operator acts: it cannot be exchanged.')
  const api = token.client_id === client.client_id ? undefined : await actingApi(context, client, token)
  const may_exchange = token.client_id === client.client_id || (mode === 'delegate' && api !== undefined)
  if (!may_exchange)
    throw refuse(
      'exchange_tie',
      'The subject_token is neither one of this client nor for an API that this client acts for: an operator can add the client to acting_clients of the resource.',
      { client_id: token.client_id, audience: token.audience ?? [] },
    )
  const problem = await accountProblem(context, origin, sign_in, [client])
  if (problem !== undefined)
    throw refuse('exchange_user', 'The person of the subject_token may not use this client.', {
      fault: problem,
    })
  return {
    act: mode === 'delegate' ? nextActor(client, token, refuse, context.settings.issuer) : token.act,
    may_lack_key: api?.exchange_bound === true,
  }
}

/** Refuses a token that is bound to a key that the request does not prove (RFC 9449 §11, RFC 8705 §3). */
export function checkKey(
  client: Client,
  bound: KeyConfirmation | undefined,
  may_lack_key: boolean,
  proven: KeyConfirmation | undefined,
): void {
  if (bound === undefined) return
  const has_keys = BINDINGS.every((name) => bound[name] === undefined || bound[name] === proven?.[name])
  if (has_keys || (may_lack_key && proven !== undefined)) return
  throw refusalFor(client)(
    'exchange_other_key',
    may_lack_key
      ? 'The subject_token is bound to a key: send a DPoP proof, or a certificate, of a key of this client.'
      : 'The subject_token is bound to a key that this request does not prove.',
    { has_proof: proven !== undefined },
  )
}

const BINDINGS = ['jkt', 'x5t#S256'] as const

/** Returns what makes refusals of an exchange by a client. */
export const refusalFor =
  ({ client_id }: Pick<Client, 'client_id'>) =>
  (reason: ExchangeReason, description: string, received?: Facts) =>
    refusedExchange(reason, description, client_id, received)

/** Returns how a client may exchange tokens. @throws OAuthError `unauthorized_client` */
export function modeOf({ exchange_mode }: Client): NonNullable<Client['exchange_mode']> {
  if (exchange_mode !== undefined) return exchange_mode
  throw unauthorizedClient(
    'exchange_off',
    'This client may not exchange tokens: an operator can set its field exchange_mode.',
    { expected: { exchange_mode: ['delegate', 'narrow'] } },
  )
}

/** Returns an API that the token is for and that names the client as one that acts; undefined: there is none. */
async function actingApi(
  { resources }: Pick<ExchangeRightsContext, 'resources'>,
  { client_id }: Client,
  { audience = [] }: Pick<ValidAccessToken, 'audience'>,
): Promise<Resource | undefined> {
  const found = await Promise.all(audience.map((uri) => resources.find(uri)))
  return found.find((resource) => resource?.acting_clients.includes(client_id))
}

/**
 * Returns the chain of actors with the client in front (RFC 8693 §4.1 and §4.4).
 * @param own_issuer that of this server
 * @param of the issuer of the token: an actor without `iss` is one that it names
 */
export function nextActor(
  { client_id }: Client,
  { act, may_act }: Pick<ValidAccessToken, 'act' | 'may_act'>,
  refuse: ReturnType<typeof refusalFor>,
  own_issuer: string,
  of = own_issuer,
): Actor {
  const actor = { sub: client_id, client_id }
  const before = actorsOf(act)
  const chain = { actors: before.map(({ sub }) => sub) }
  const { sub, iss = of } = isObject(may_act) ? may_act : {}
  if (may_act !== undefined && !(sub === client_id && iss === own_issuer))
    throw refuse('exchange_actor', 'The subject_token says in may_act that another one may act.', {
      fault: 'may_act',
    })
  if (before.some((one) => isSameActor(one, actor)))
    throw refuse('exchange_chain', 'This client acts in the chain of the subject_token already.', chain)
  if (before.length >= MAX_ACTORS)
    throw refuse('exchange_chain', `The subject_token has ${MAX_ACTORS} actors already.`, chain)
  return act === undefined ? actor : { ...actor, act }
}

/** Returns the sign-in of a grant record. @param subject the user as the client knows them */
export function signInOf(subject: string, grant: Hash): GrantFacts {
  const fields = new FieldReader(grant)
  const auth_time = Number(fields.optional('auth_time') ?? 0)
  return {
    subject,
    ...(auth_time > 0 && { auth_time }),
    ...fields.given(['assertion_issuer', ...SIGN_IN_FIELDS]),
  }
}
