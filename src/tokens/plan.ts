import { endOfPreview } from '../clients/previews/original.ts'
import type { Client } from '../clients/record/client-record.ts'
import { maySignWith } from '../clients/record/profiles.ts'
import type { AccessTokenFormat } from '../config/environment.ts'
import type { Settings } from '../config/settings.ts'
import type { SigningAlg } from '../core/algs.ts'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import { serverError } from '../core/errors.ts'
import { invalidTarget } from '../core/grant-errors.ts'
import type { FamilyId } from '../core/ids.ts'
import { newToken } from '../core/token-string.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import { ownTarget, type TokenTarget } from '../resources/target.ts'
import type { TokenDetails } from '../storage/families.ts'
import type { StatusBit } from '../storage/noted-jwts.ts'
import type { SingleUse } from '../storage/single-use.ts'

/** The key that signs a token, and the lifetime of the token in seconds. */
export interface Signing {
  key: SigningKey
  ttl: number
}

/**
 * The tokens that a token request gets if it succeeds. The plan is made before a code or refresh token is spent, and is
 * the only source of the formats, keys and lifetimes of the tokens. Lifetimes are in seconds.
 */
export interface TokenPlan {
  format: AccessTokenFormat
  /** What the access token is for. */
  target: TokenTarget
  /** What the tokens are bound to; absent: nothing. */
  confirmation?: KeyConfirmation
  /** What the request says of the details of its access token; absent: nothing. */
  details?: TokenDetails
  /** The ids of its assertions and DPoP proof, which the request uses up. */
  single_uses: readonly SingleUse[]
  /** The opaque access token, or the jti of the JWT. */
  jti: string
  /** Where the status of the JWT is; absent: in no list. */
  status?: StatusBit
  /** Seconds since 1970; the `iat` of signed tokens. */
  issued_at: number
  /** From the issue of the access token to its `exp`; also `expires_in`. */
  access_token_ttl: number
  /** How long storage keeps the access token: `access_token_ttl` by the slowest clock. */
  access_token_kept: number
  /** Signs the access token; absent if it is opaque. */
  access_token_key?: SigningKey
  /** Signs the id_token; absent if no user is involved. */
  id_token?: Signing
  /** The first refresh token of a family; absent if the grant or the client gets none. */
  refresh_token?: string
  /** The scope that must be granted for a refresh token; absent: none is needed. */
  refresh_scope?: string
  /** From the redemption of the code until no refresh token of the family can be used. */
  refresh_token_ttl: number
  /** The lifetime of an unused refresh token; absent: until the end of its family. */
  refresh_token_idle_ttl?: number
}

/** What planning tokens needs. */
export interface PlanContext {
  settings: Pick<
    Settings,
    | 'access_token_alg'
    | 'access_token_format'
    | 'access_token_ttl'
    | 'id_token_alg'
    | 'id_token_ttl'
    | 'refresh_token_idle_ttl'
    | 'refresh_token_ttl'
    | 'signing_algs'
  >
  keys: Pick<KeyRing, 'signingKey'>
  /** Milliseconds since 1970. */
  now: () => number
}

type ClientChoices = Pick<
  Client,
  | 'client_id'
  | 'access_token_format'
  | 'access_token_signed_response_alg'
  | 'access_token_ttl'
  | 'allowed_scopes'
  | 'document_host'
  | 'id_token_signed_response_alg'
  | 'id_token_ttl'
  | 'lapses_at'
  | 'preview_of'
  | 'profile'
  | 'refresh_token_ttl'
  | 'refresh_tokens'
  | 'registered_at'
>

/** What a grant may issue besides an access token. */
export interface Issues {
  /** An id_token, if `openid` is granted. Only a grant that acts for a user may issue one. */
  readonly id_token: boolean
  /** The first refresh token of a family. */
  readonly first_refresh_token: boolean
}

/** What a request says about its tokens. */
export interface Purpose {
  /** Absent: this server. */
  readonly target?: TokenTarget | undefined
  readonly confirmation?: KeyConfirmation | undefined
  readonly single_uses?: readonly SingleUse[]
  readonly details?: TokenDetails | undefined
  /** The opaque access token, or the jti of the JWT; absent: a random one of the family. */
  readonly jti?: string | undefined
  /** When what the access token comes from ends, in seconds since 1970: no token outlives it. */
  readonly ends_by?: number | undefined
  /** Where the status of the JWT is; absent: in no list. */
  readonly status?: StatusBit | undefined
}

/**
 * Plans the tokens of a request. Fields of the target override those of the client, and these the settings.
 * @throws StorageUnavailable if no key can sign; OAuthError `server_error` if client or target have an algorithm that
 * SIGNING_ALGS lacks, `invalid_target` if the target has one that the profile of the client forbids
 */
export function planTokens(
  { settings, keys, now }: PlanContext,
  client: ClientChoices,
  family_id: FamilyId,
  issues: Issues,
  {
    target = ownTarget(client),
    confirmation,
    single_uses = [],
    details,
    jti = newToken(family_id),
    ends_by = Number.POSITIVE_INFINITY,
    status,
  }: Purpose = {},
): TokenPlan {
  const { format, ttl } = accessTokenShape(settings, client, target)
  const issued_at = Math.floor(now() / 1000)
  const left = endOfPreview(client) - issued_at
  const access_token_ttl = Math.min(ttl, ends_by - issued_at, left)
  const plan: TokenPlan = {
    format,
    target,
    single_uses,
    jti,
    issued_at,
    access_token_ttl,
    // An opaque token expires by the clock of storage, a JWT by the clock of each resource server.
    access_token_kept: format === 'jwt' ? access_token_ttl + CLOCK_SKEW : access_token_ttl,
    refresh_token_ttl: Math.min(client.refresh_token_ttl ?? settings.refresh_token_ttl, left),
  }
  if (confirmation !== undefined) plan.confirmation = confirmation
  if (details !== undefined) plan.details = details
  if (status !== undefined) plan.status = status
  if (format === 'jwt') plan.access_token_key = accessTokenKey({ settings, keys }, client, target)
  if (issues.id_token) {
    const { id_token_signed_response_alg: own, client_id } = client
    const alg = publishedAlg(settings, own, `The client ${client_id}`) ?? settings.id_token_alg
    plan.id_token = {
      key: keys.signingKey(alg),
      ttl: Math.min(client.id_token_ttl ?? settings.id_token_ttl, left),
    }
  }
  if (issues.first_refresh_token && client.refresh_tokens !== 'never')
    plan.refresh_token = newToken(family_id)
  if (client.refresh_tokens === 'offline_access') plan.refresh_scope = 'offline_access'
  if (settings.refresh_token_idle_ttl !== undefined)
    plan.refresh_token_idle_ttl = settings.refresh_token_idle_ttl
  return plan
}

/**
 * Returns the format of an access token, and its lifetime in seconds: the target decides, then the client, then the
 * settings.
 */
export function accessTokenShape(
  settings: Pick<Settings, 'access_token_format' | 'access_token_ttl'>,
  client: Pick<ClientChoices, 'access_token_format' | 'access_token_ttl'>,
  target: Pick<TokenTarget, 'format' | 'ttl'>,
): { format: AccessTokenFormat; ttl: number } {
  return {
    format: target.format ?? client.access_token_format ?? settings.access_token_format,
    ttl: target.ttl ?? client.access_token_ttl ?? settings.access_token_ttl,
  }
}

/** Returns the key that signs the JWT access tokens of a client for a target. @throws as planTokens */
export function accessTokenKey(
  {
    settings,
    keys,
  }: Pick<PlanContext, 'keys'> & { settings: Pick<Settings, 'access_token_alg' | 'signing_algs'> },
  client: ClientChoices,
  { alg: of_target, resource }: TokenTarget,
): SigningKey {
  const { client_id, access_token_signed_response_alg } = client
  // The fields of the client itself are checked with its record.
  if (of_target !== undefined && !maySignWith(client, of_target)) {
    throw invalidTarget(
      'resource_not_granted',
      `Tokens for ${resource} are signed with ${of_target}, which the profile of this client forbids (FAPI 2.0 Security Profile, section 5.4.1): an operator can change the algorithm of the resource.`,
      { received: { resource, alg: of_target } },
    )
  }
  const alg =
    publishedAlg(settings, of_target, `The resource ${resource}`) ??
    publishedAlg(settings, access_token_signed_response_alg, `The client ${client_id}`)
  return keys.signingKey(alg ?? settings.access_token_alg)
}

/**
 * Returns the algorithm that an owner chose; undefined: none. Nobody could verify a token whose key is not published.
 * @param owner who chose it, as the beginning of a sentence
 * @throws OAuthError `server_error` if SIGNING_ALGS lacks it
 */
export function publishedAlg(
  { signing_algs }: Pick<Settings, 'signing_algs'>,
  alg: SigningAlg | undefined,
  owner: string,
): SigningAlg | undefined {
  if (alg === undefined || signing_algs.includes(alg)) return alg
  throw serverError(`${owner} has the algorithm ${alg}: add it to SIGNING_ALGS, or change it.`)
}

/**
 * Returns the seconds until an unused refresh token expires, rounded down, at least 0: the rest of its idle lifetime,
 * of which `unused_for` seconds are over, but at most `family_ends_in`, the rest of the lifetime of its family.
 */
export function refreshTokenExpiresIn(
  { refresh_token_idle_ttl = Number.POSITIVE_INFINITY }: Pick<TokenPlan, 'refresh_token_idle_ttl'>,
  family_ends_in: number,
  unused_for = 0,
): number {
  return Math.max(0, Math.floor(Math.min(family_ends_in, refresh_token_idle_ttl - unused_for)))
}

/**
 * Returns when a token of a client for itself is issued, if its record has to say it: a client with the id of a removed one
 * does not inherit the tokens of that one.
 */
export function issuedAt(
  { tokens_end_before }: Pick<Client, 'tokens_end_before'>,
  { issued_at }: Pick<TokenPlan, 'issued_at'>,
): { readonly issued_at?: number } {
  return tokens_end_before === undefined ? NOT_SAID : { issued_at }
}

const NOT_SAID = {}
