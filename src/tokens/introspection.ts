import { type Static, Type } from '@sinclair/typebox'
import {
  authenticateClient,
  type Caller,
  type ClientAuthContext,
} from '../clients/authentication/client-auth.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/actor.ts'
import { invalidClient } from '../core/client-errors.ts'
import { commit } from '../core/commit.ts'
import { schemeOf } from '../core/confirmation.ts'
import { type SeenToken, type StepContext, shownStep, tellStep } from '../core/connection-steps.ts'
import type { CustomClaims } from '../core/custom-claims.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { type Parameters, required } from '../core/parameters.ts'
import type { Reason } from '../core/reasons.ts'
import { FieldReader } from '../core/record-hash.ts'
import { isOpaqueToken, parseToken } from '../core/token-string.ts'
import { countOnce, usableDetails } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import type { Detail } from '../details/read-details.ts'
import type { TargetContext } from '../resources/target.ts'
import type { EndOutcome, TokenFamilies } from '../storage/families.ts'
import { customClaimsOf } from '../users/custom-claims.ts'
import { oneOrMore } from './access-jwt.ts'
import { findLiveToken, validateAccessToken } from './access-token.ts'
import { findAnswerKeys, type SignedAnswerContext, writeAnswer } from './signed-answer.ts'
import { findAccount } from './token-account.ts'
import type { TokenType } from './token-record.ts'
import type { ValidAccessToken, ValidationContext } from './validation.ts'

/** The response to an introspection request (RFC 7662 §2.2). If `active` is false, it has no other member. */
export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String({ description: "The user; absent for a client's own token" })),
    token_type: Type.Optional(
      Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')], {
        description: 'Absent for a refresh token',
      }),
    ),
    cnf: Type.Optional(
      Type.Object(
        {
          jkt: Type.Optional(Type.String({ description: 'The thumbprint of a DPoP key (RFC 9449 §6.2)' })),
          'x5t#S256': Type.Optional(
            Type.String({ description: 'The thumbprint of a client certificate (RFC 8705 §3.2)' }),
          ),
        },
        { description: 'What the token is bound to; absent: nothing' },
      ),
    ),
    token_use: Type.Optional(
      Type.Union([Type.Literal('access_token'), Type.Literal('refresh_token')], {
        description: 'Only its own client sees a refresh token as active',
      }),
    ),
    act: Type.Optional(
      Type.Unsafe<Actor>({
        type: 'object',
        additionalProperties: true,
        description:
          'Who acts for the user: `sub`, `client_id`, and `act` of whoever acted before (RFC 8693 §4.1)',
      }),
    ),
    authorization_details: Type.Optional(
      Type.Array(Type.Unsafe<Detail>({ type: 'object', additionalProperties: true }), {
        description: 'What it is for in detail (RFC 9396 §9.2); absent: nothing',
      }),
    ),
    once: Type.Optional(
      Type.Literal(true, {
        description: 'What it is for can be done once: the API spends it with spend=true',
      }),
    ),
    spent: Type.Optional(
      Type.Literal(true, {
        description: 'This request spent it: the API may do it now. No other one gets this',
      }),
    ),
    auth_time: Type.Optional(Type.Integer({ description: 'When the user signed in, in seconds since 1970' })),
    acr: Type.Optional(Type.String({ description: 'How strongly the user signed in (RFC 9470 §6.2)' })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    iss: Type.Optional(Type.String()),
    aud: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'The resources that it is for; absent: this server',
      }),
    ),
  },
  {
    $id: 'redmint:Introspection',
    description: 'The state of a token (RFC 7662 §2.2), and the custom claims that a JWT of the client has',
    additionalProperties: true,
  },
)
export type Introspection = Static<typeof Introspection>

type IntrospectionContext = ValidationContext &
  ClientAuthContext &
  TargetContext &
  DetailsContext &
  StepContext &
  SignedAnswerContext & {
    readonly settings: Pick<Settings, 'scope_claims'>
    readonly storage: { readonly families: Pick<TokenFamilies, 'revokeFamily'> }
    /** Told of a token that is spent. */
    readonly report: ReportEvent
  }

const INACTIVE: Introspection = { active: false }

/**
 * Answers an introspection request (RFC 7662 §2), with a signed JWT if the request or the record of the client asks for
 * one (RFC 9701 §4 and §6).
 * @param accepts_jwt whether the request accepts the media type INTROSPECTION_JWT
 * @throws OAuthError; as findAnswerKeys; StorageUnavailable
 */
export async function introspect(
  context: IntrospectionContext,
  parameters: Parameters,
  caller: Caller,
  accepts_jwt: boolean,
): Promise<Introspection | string> {
  const token = required(parameters, 'token')
  const client = await authenticateClient(context, caller, parameters)
  // RFC 7662 §2.1: the endpoint must not allow token scanning.
  if (client.is_public) throw invalidClient('client_is_public', 'a public client cannot introspect')
  const spends = parameters.spend === 'true'
  if (!accepts_jwt && !getsJwts(client)) return await stateOf(context, client, token, spends)
  const keys = await findAnswerKeys(context, client, 'introspection')
  // RFC 9701 §5: without `sub` and `exp`, so that it does not pass as an access token.
  return await writeAnswer(keys, 'token-introspection+jwt', {
    iss: context.settings.issuer,
    aud: client.client_id,
    iat: Math.floor(context.now() / 1000),
    token_introspection: await stateOf(context, client, token, spends),
  })
}

// RFC 9701 §6. Such a client never gets plain JSON: an attacker could ask for it (§8.2).
function getsJwts({
  introspection_signed_response_alg: signed,
  introspection_encrypted_response_alg: encrypted,
}: Client): boolean {
  return signed !== undefined || encrypted !== undefined
}

/**
 * Returns the state of a token for a client. It may introspect its own tokens, with `can_introspect` all access tokens.
 * Any other token is reported as inactive.
 * @param spends whether a token that counts once is spent: the grant that it came from ends in one step, which succeeds once
 * @throws StorageUnavailable
 */
async function stateOf(
  context: IntrospectionContext,
  client: Client,
  token: string,
  spends: boolean,
): Promise<Introspection> {
  const found = isOpaqueToken(token)
    ? await findLiveToken(context, token)
    : await validateAccessToken(context, token, true)
  if (!found.valid) {
    if (found.shown !== undefined) told(context, client, found.shown, 'token_invalid', found.reason)
    return INACTIVE
  }
  const { client_id, subject, scope, expires_at, audience, auth_time, acr, confirmation, act } = found.token
  const is_refresh_token = 'type' in found.token && found.token.type === 'refresh_token'
  const token_use: TokenType = is_refresh_token ? 'refresh_token' : 'access_token'
  const refuse = (reason: Reason, fault?: string) => {
    told(context, client, found.token, reason, fault)
    return INACTIVE
  }
  if (!mayIntrospect(client, client_id, token_use))
    return refuse(
      'token_of_other_audience',
      is_refresh_token ? 'of type refresh_token' : 'can_introspect of the client that asks is false',
    )
  if (audience !== undefined) {
    const found = await Promise.all(audience.map((uri) => context.resources.find(uri)))
    // Every resource that it is for is registered and enabled.
    if (found.includes(undefined)) return refuse('resource_unknown')
    // Nobody else is to take a token for the admin API for one of theirs.
    if (client.client_id !== client_id && found.some((resource) => resource?.is_admin))
      return refuse('token_of_other_audience')
  }
  const owner = found.client
  // The custom claims that a JWT gets if it is issued now, so that both formats say the same.
  const ofUser = owner?.custom_claims_in_access_token && !is_refresh_token
  const claims = ofUser ? await claimsOfUser(context, found.origin ?? owner, found.token) : undefined
  const state: Introspection = {
    active: true,
    scope,
    client_id,
    token_use,
    exp: Math.floor(expires_at.getTime() / 1000),
    iss: context.settings.issuer,
  }
  if (subject !== '') state.sub = subject
  if (confirmation !== undefined) state.cnf = { ...confirmation }
  if (audience !== undefined) state.aud = oneOrMore(audience)
  if (act !== undefined) state.act = act
  const finding = owner && usableDetails(context, owner, found.token.authorization_details)
  const details = finding && (await finding)
  if (details !== undefined) state.authorization_details = [...details]
  if (!is_refresh_token) {
    state.token_type = schemeOf(confirmation)
    if (auth_time !== undefined) state.auth_time = auth_time
    if (acr !== undefined) state.acr = acr
  }
  const counting = !is_refresh_token && countOnce(context, details)
  if (counting && (await counting)) {
    state.once = true
    if (spends && !client.can_introspect)
      return refuse('token_of_other_audience', 'can_introspect of the client that asks is false')
    // Whoever comes second finds an ended grant.
    if (spends && (await spend(context, client, { ...found, owner }, details)) !== 'ok')
      return refuse('token_invalid', 'spent before')
    if (spends) state.spent = true
  }
  if (!is_refresh_token) told(context, client, found.token)
  const custom = subject === '' ? owner?.claims : claims
  // Most have none, and a spread takes as long as the rest (decision 76).
  return custom === undefined ? state : { ...custom, ...state }
}

/** A token that counts once, and its client. */
interface Spent {
  readonly token: Pick<ValidAccessToken, 'jti' | 'subject' | 'client_id' | 'grant'>
  readonly owner: Client | undefined
  /** The client that its user signed in at; absent: the owner. */
  readonly origin?: Client | undefined
}

/** Ends all that a person allowed together with a token, which succeeds once. @throws StorageUnavailable */
async function spend(
  context: IntrospectionContext,
  { client_id }: Client,
  { token, owner, origin = owner }: Spent,
  details: readonly Detail[] = [],
): Promise<EndOutcome> {
  const named = new FieldReader(token.grant ?? {}).given(['username'])
  const event: SecurityEvent = {
    event: 'token_spent',
    client_id,
    of_client: token.client_id,
    types: details.map(({ type }) => type),
    ...named,
  }
  // Only an audit trail needs to know whose it was.
  const knows = context.report.entriesOf !== undefined && origin !== undefined
  const user = knows ? await findAccount(context, origin, { ...named, subject: token.subject }) : undefined
  return commit(context, [event], { sub: user?.sub }, (told) =>
    context.storage.families.revokeFamily(parseToken(token.jti)?.family ?? '', told),
  )
}

/** Tells that an API asked about a token, and if it was told that it does not count, by which rule. */
function told(
  context: StepContext,
  { client_id, can_introspect }: Client,
  shown: SeenToken,
  reason?: Reason,
  fault?: string,
): void {
  // Who looks at its own token is no API, unless it asks as one.
  if (shown.client_id === client_id && !can_introspect) return
  const place = { endpoint: 'introspect', by: client_id } as const
  tellStep(context, () => shownStep(shown, place, reason && { reason, fault }))
}

/** Returns the custom claims about the user of a token; undefined without an account. @throws StorageUnavailable */
async function claimsOfUser(
  context: IntrospectionContext,
  client: Client,
  { subject, scope, grant = {} }: Pick<ValidAccessToken, 'subject' | 'scope' | 'grant'>,
): Promise<CustomClaims | undefined> {
  const user = await findAccount(context, client, { ...new FieldReader(grant).given(['username']), subject })
  return user && customClaimsOf(user.custom_claims, scope, context.settings.scope_claims)
}

// RFC 7662 §2.2: active means usable by the caller. Nobody but its client can use a refresh token (RFC 6749 §6).
function mayIntrospect(client: Client, owner: string, token_use: TokenType): boolean {
  return client.client_id === owner || (client.can_introspect && token_use === 'access_token')
}
