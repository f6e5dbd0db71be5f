import type { Settings } from '../../config/settings.ts'
import { keysFacts, refusedClientAssertion, tooManyAssertions } from '../../core/client-errors.ts'
import type { ClientId } from '../../core/ids.ts'
import { type JwtRefusal, refusedFor, textsOf } from '../../core/jwt-refusal.ts'
import { isText, mayBeFromBefore, timeProblem } from '../../issuers/assertion-claims.ts'
import { assertionUse } from '../../issuers/assertion-id.ts'
import type { AssertionClaims } from '../../issuers/conditions.ts'
import type { UntypedJwt, UnverifiedJwt } from '../../keys/jwt-reader.ts'
import type { KeyRing } from '../../keys/ring.ts'
import type { MinuteBudget } from '../../limits/minute-budget.ts'
import type { SingleUse } from '../../storage/single-use.ts'
import type { ClientRegistry } from '../client-registry.ts'
import { type ClientKeys, describedItself, findOwnKey, type NoKey } from '../keys/client-keys.ts'
import type { Client } from '../record/client-record.ts'
import { maySignWith, PROFILE_ALGS } from '../record/profiles.ts'

/** The dependencies of proveByKey. */
export interface OwnAssertionContext {
  readonly clients: Pick<ClientRegistry, 'cached' | 'read'>
  readonly client_keys: Pick<ClientKeys, 'find'>
  /** ListLimits the assertions of clients that described themselves. */
  readonly described_assertions: Pick<MinuteBudget, 'take'>
  readonly keys: Pick<KeyRing, 'notBefore'>
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Where an assertion was presented. */
interface Presentation {
  /** The URL of the endpoint. */
  readonly endpoint: string
  /** The parameter `client_id`, which may be missing (RFC 7521 §4.2). */
  readonly client_id: ClientId | undefined
}

/** The claims of an assertion that are valid, whoever signed it. */
interface OwnClaims {
  readonly client_id: ClientId
  readonly jti: string
  readonly exp: number
  /** Whether its audience is the URL of the endpoint, which is allowed for some clients only. */
  readonly is_for_endpoint: boolean
  /** Whether its audience is in a list, which the record of a client can forbid. */
  readonly has_list: boolean
}

/** Seconds; how far `exp` may be ahead, and by how much the clock of a client may be off. */
const LIMITS = { max_lifetime: 300, clock_skew: 30 } as const

/**
 * How many assertions of clients that described themselves a process accepts in a minute. Each leaves an id in storage
 * for some minutes, and anybody can describe a client.
 */
export const DESCRIBED_ASSERTIONS = { per_name: 600, in_all: 60_000 } as const

const TYPES = [undefined, 'JWT', 'client-authentication+jwt']

const UNPROVEN =
  'it is not signed with a key of a client that authenticates by private_key_jwt: check iss, sub, kid and alg, and that the jwks_uri of the client answers'

/**
 * Whether an assertion is one of the client itself, and not of a trusted issuer: its issuer is its subject (RFC 7523
 * §3).
 */
export function isOwnAssertion({ claims }: UntypedJwt, client_id: ClientId | undefined): boolean {
  const { iss, sub } = claims
  return typeof iss === 'string' && (iss === sub || iss === client_id)
}

/**
 * Authenticates a client by an assertion that it signed itself (private_key_jwt: OpenID Connect Core §9, RFC 7523 §3). What
 * costs most comes last: keys are fetched, and signatures verified, only of assertions whose claims are valid. A client
 * that is unknown, has other keys, or keys that cannot be fetched, gets the same answer as a wrong signature.
 * @throws OAuthError `invalid_client`; `temporarily_unavailable` as findOwnKey, or if too many assertions came from the
 * client; StorageUnavailable
 */
export async function proveByKey(
  context: OwnAssertionContext,
  assertion: UntypedJwt,
  presentation: Presentation,
): Promise<{ client: Client; single_use: SingleUse }> {
  const jwt = assertion.ofType(TYPES)
  if (typeof jwt === 'string') throw refusedClientAssertion('client_assertion_malformed', jwt)
  const own = readClaims(context, jwt.claims, presentation)
  if ('fault' in own) throw refusedClientAssertion(`client_assertion_${own.fault}`, own.text, own)
  const { client_id, is_for_endpoint } = own
  const client = context.clients.cached(client_id) ?? (await context.clients.read(client_id))
  const missing =
    client === undefined ? { problem: 'unknown client' } : await keyProblem(context, client, own, jwt)
  if (client === undefined || missing !== undefined) {
    // The same for each client, because only a valid signature shows that it is the client who asks.
    const reason = is_for_endpoint ? `${UNPROVEN}, or ${wrongAudience(context)}` : UNPROVEN
    const known = client && { client_id }
    const { problem, away = undefined } = missing ?? { problem: '' }
    const why = away === undefined ? 'client_assertion_unproven' : 'client_keys_away'
    throw refusedClientAssertion(why, reason, {
      detail: problem,
      ...(away && { received: keysFacts(away) }),
      ...known,
    })
  }
  if (describedItself(client) && !context.described_assertions.take(client_id)) {
    throw tooManyAssertions(client_id)
  }
  return { client, single_use: singleUseOf(own, context.now()) }
}

/** Returns the claims, or the problem of an assertion that can be found without its key. */
function readClaims(
  context: Pick<OwnAssertionContext, 'keys' | 'now' | 'settings'>,
  claims: AssertionClaims,
  { endpoint, client_id }: Presentation,
): OwnClaims | JwtRefusal {
  const { iss, sub, jti, iat } = claims
  // RFC 7523 §3.
  if (typeof iss !== 'string' || iss !== sub || iss !== (client_id ?? iss)) {
    return refusedFor('claims', 'its iss, its sub and the client_id are not the same')
  }
  const audience = audienceOf(claims)
  const is_for_endpoint = audience === endpoint
  if (audience !== context.settings.issuer && !is_for_endpoint) {
    return {
      fault: 'claims',
      text: wrongAudience(context),
      received: textsOf(claims, ['aud']),
      expected: { aud: context.settings.issuer },
    }
  }
  const time = timeProblem(claims, LIMITS, Math.floor(context.now() / 1000))
  if (time !== undefined) return time
  if (!isText(jti)) return refusedFor('claims', 'without a jti')
  const exp = Number(claims.exp)
  const since = Number(iat ?? exp - LIMITS.max_lifetime) - LIMITS.clock_skew
  const restored = mayBeFromBefore(since, context.keys.notBefore)
  if (restored !== undefined) return restored
  return { client_id: iss, jti, exp, is_for_endpoint, has_list: Array.isArray(claims.aud) }
}

// One value and nothing else: an assertion for two servers could be presented by the first one to the second.
function audienceOf({ aud }: AssertionClaims): unknown {
  return Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
}

/** draft-ietf-oauth-rfc7523bis: the issuer, because another server can claim that this endpoint is its own. */
const wrongAudience = ({ settings }: Pick<OwnAssertionContext, 'settings'>) =>
  `its aud must be ${settings.issuer} and nothing else`

/** Returns why an assertion does not authenticate a client, for operators; undefined if it does. */
async function keyProblem(
  { client_keys }: Pick<OwnAssertionContext, 'client_keys'>,
  client: Client,
  { is_for_endpoint, has_list }: OwnClaims,
  jwt: UnverifiedJwt,
): Promise<NoKey | undefined> {
  if (client.token_endpoint_auth_method !== 'private_key_jwt') {
    return { problem: 'the client is not registered for private_key_jwt' }
  }
  if (is_for_endpoint && client.assertion_audience !== 'endpoint') {
    return { problem: 'the assertion_audience of the client is not endpoint' }
  }
  // FAPI 2.0 Security Profile §5.3.2.1: as a string.
  if (has_list && client.assertion_audience === 'issuer') {
    return { problem: 'its aud is a list: the assertion_audience of the client is issuer' }
  }
  const { kid, alg } = jwt
  if (!maySignWith(client, alg)) return { problem: PROFILE_ALGS }
  if (alg !== (client.token_endpoint_auth_signing_alg ?? alg)) {
    return { problem: 'its alg is not the token_endpoint_auth_signing_alg of the client' }
  }
  const found = client_keys.find(client, kid, alg)
  const key = await findOwnKey(client, found, jwt.isSignedBy, 'the client has no such key')
  if ('problem' in key) return key
  return jwt.isSignedBy(key) ? undefined : { problem: 'its signature is invalid' }
}

// The id is made of three texts, and that of an assertion of a trusted issuer of two, so they are never the same.
function singleUseOf({ client_id, jti, exp }: OwnClaims, now: number): SingleUse {
  return assertionUse(['private_key_jwt', client_id, jti], exp + LIMITS.clock_skew, now)
}
