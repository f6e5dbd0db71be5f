import { readActor } from '../core/actor.ts'
import { issuerUnavailable } from '../core/bearer-errors.ts'
import { readConfirmation } from '../core/confirmation.ts'
import type { DevRule } from '../core/dev-mode.ts'
import { isObject } from '../core/json.ts'
import { resourceKey } from '../core/resource-uri.ts'
import { looksLikeJwt, readJwt } from '../keys/jwt-reader.ts'
import { VerifiedTokens } from '../keys/verified-jws.ts'
import { readAccessClaims } from '../tokens/access-jwt.ts'
import { UNKNOWN_KEY, type VerifyingKeys } from '../tokens/jws.ts'
import { type ExpectedClaims, verifyJwt } from '../tokens/jwt.ts'
import type { Validation } from '../tokens/validation.ts'
import type { TokenFacts } from './access-token.ts'
import type { VerifyToken } from './check-access.ts'
import { IntrospectionClient, type IntrospectionOptions } from './introspection-client.ts'
import { checkIssuer, fetchEndpoints, fetchKeys, type IssuerKeys, nameOfKey } from './issuer.ts'
import { Kept } from './kept.ts'
import { StatusLists, type StatusRule } from './status-lists.ts'

/** How access tokens are verified. */
export interface VerifierOptions {
  /** The issuer of the tokens. Its metadata says where its key set and its introspection endpoint are. */
  readonly issuer: string
  /** A token must be for one of these (`aud`). */
  readonly audience: readonly string[]
  /** Without it opaque tokens are refused. */
  readonly introspection?: IntrospectionOptions | undefined
  /** Whether the issuer may be a server for development. Default: `refuse`. */
  readonly dev?: DevRule
  /** Which JWTs are looked up in their status list. Default: `ignore`. */
  readonly status_lists?: StatusRule
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The longest status list, in characters: a million bits that cannot be compressed, twice in base64. */
const MAX_STATUS_LIST = 256 * 1024

/** Verifies access tokens, and spends those that count once: of all requests one gets true. */
export type Verifier = VerifyToken & {
  /** @throws OAuthError `temporarily_unavailable` */
  spend(token: string): Promise<boolean>
}

type Claims = Readonly<Record<string, unknown>>
type Verification = Validation<TokenFacts>
type Expected = Pick<ExpectedClaims, 'audience' | 'required'>

// RFC 6750 §2.1.
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
// RFC 9068 §2.2.
const REQUIRED = ['sub', 'aud', 'client_id', 'exp', 'iat', 'jti']

const refused = (reason: string): Verification => ({ valid: false, reason })

/** Whether an active token is an access token by its `token_type`, if any. `DPoP` needs `cnf` (RFC 9449 §6.2). */
function isAccessTokenType({ token_type = 'Bearer', cnf }: Claims): boolean {
  const type = String(token_type).toLowerCase()
  return type === 'bearer' || (type === 'dpop' && isObject(cnf) && Object.hasOwn(cnf, 'jkt'))
}

/**
 * Returns a function that verifies access tokens by the documents of their issuer: a JWT by its key set (RFC 9068 §4),
 * any other token by introspection (RFC 7662 §2). It rejects with an OAuthError `temporarily_unavailable` if the issuer
 * does not answer. Nothing is fetched before the first token.
 * @throws TypeError if the issuer cannot be one
 */
export function createVerifier({
  issuer,
  audience,
  introspection,
  dev = 'refuse',
  status_lists = 'ignore',
  now,
}: VerifierOptions): Verifier {
  checkIssuer(issuer, dev)
  const isForUs = audienceCheck(audience)
  const endpoints = new Kept(() => fetchEndpoints(issuer, dev), now)
  let known: IssuerKeys = new Map()
  const documents = new Kept(async () => {
    known = await fetchKeys((await endpoints.read()).jwks_uri, known, dev)
    return known
  }, now)
  const keys: VerifyingKeys = {
    verified: new VerifiedTokens(),
    notBefore: 0,
    verificationKey: (kid, alg) => known.get(nameOfKey({ kid, alg })),
  }

  /** Reads the claims that both formats share. */
  function read(claims: Claims, facts: Omit<TokenFacts, 'claims'>): Verification {
    if (!isForUs(claims.aud)) return refused('for another audience')
    const { acr, auth_time, cnf } = claims
    const confirmation = readConfirmation(cnf)
    if (confirmation === 'unknown') return refused('bound in a way that is not known')
    const signed_in = {
      acr: typeof acr === 'string' ? acr : undefined,
      auth_time: Number.isFinite(auth_time) ? Number(auth_time) : undefined,
    }
    return { valid: true, token: { ...facts, ...signed_in, confirmation, claims } }
  }

  /** Verifies a JWT of the issuer with its keys, which are fetched again if one is unknown. */
  async function verifySigned(jwt: string, typ: 'at+jwt' | 'token-introspection+jwt', expected: Expected) {
    const verifyNow = () => verifyJwt(keys, jwt, typ, { issuer, ...expected, now: now() })
    const before = known
    const read = await documents.read()
    const verified = verifyNow()
    // Another fetch would find no more in what was fetched for this very token.
    if (verified.ok || verified.reason !== UNKNOWN_KEY || read !== before) return verified
    await documents.renew()
    return verifyNow()
  }

  /** Verifies the signature of a status list, and returns its claims (draft-ietf-oauth-status-list §8.3). */
  async function openList(jwt: string): Promise<Claims> {
    const jws = readJwt(jwt, MAX_STATUS_LIST)
    const list = typeof jws === 'string' ? jws : jws.ofType(['statuslist+jwt'])
    if (typeof list === 'string') throw new Error(`the status list is refused: ${list}`)
    const { kid, alg, claims } = list
    const find = () => (kid === undefined ? undefined : keys.verificationKey(kid, alg))
    await documents.read()
    if (find() === undefined) await documents.renew()
    const key = find()
    if (key === undefined || !list.isSignedBy(key))
      throw new Error('the status list is not signed by a key of its issuer')
    return claims
  }
  const lists = new StatusLists({ issuer, open: openList, now })

  async function verifyByKeys(token: string): Promise<Verification> {
    const verified = await verifySigned(token, 'at+jwt', { required: REQUIRED })
    if (!verified.ok) return refused(verified.reason)
    const facts = readAccessClaims(verified.claims, issuer)
    if (facts === undefined) return refused('claims of a wrong type')
    const found = read(verified.claims, facts)
    if (!found.valid || status_lists === 'ignore') return found
    // Last, so that no list is fetched for a token that is refused anyway.
    const ended = await lists.refusalOf(verified.claims, status_lists === 'require')
    return ended === undefined ? found : refused(ended)
  }

  /** Reads the answer of introspection (RFC 7662 §2.2). */
  function readAnswer(answer: Claims): Verification {
    if (answer.active !== true) return refused('not active')
    const { iss = issuer, aud = issuer, sub = '', scope = '', client_id, exp, token_type, token_use } = answer
    if (iss !== issuer) return refused('of another issuer')
    // Introspection by the client of a refresh token reports it as active.
    if (token_use !== undefined && token_use !== 'access_token') return refused(`of type ${token_use}`)
    if (!isAccessTokenType(answer)) return refused(`of type ${token_type}`)
    if (typeof client_id !== 'string' || typeof sub !== 'string' || typeof scope !== 'string') {
      return refused('claims of a wrong type')
    }
    if (typeof exp !== 'number' || !(exp * 1000 > now())) return refused('expired')
    const act = answer.act === undefined ? undefined : readActor(answer.act)
    // Without its actor it would pass for a token of the user alone.
    if (answer.act !== undefined && act === undefined) return refused('claims of a wrong type')
    const subject = sub === client_id ? '' : sub
    // RFC 9068 §3: a token that was issued for no resource is for the default one, which is the issuer.
    const expires_at = new Date(exp * 1000)
    return read({ aud, ...answer }, { client_id, subject, scope, expires_at, act })
  }

  /** Returns the answer in a signed one (RFC 9701 §5). */
  async function openAnswer(jwt: string, audience: string): Promise<Claims> {
    const required = ['iss', 'aud', 'iat', 'token_introspection']
    const verified = await verifySigned(jwt, 'token-introspection+jwt', { required, audience })
    if (!verified.ok) throw new Error(`the signed answer of ${issuer} is not valid: ${verified.reason}`)
    const { token_introspection } = verified.claims
    if (isObject(token_introspection)) return token_introspection
    throw new Error(`the signed answer of ${issuer} has no object token_introspection`)
  }

  const reader = { read: readAnswer, open: openAnswer }
  const client = introspection && new IntrospectionClient(introspection, reader, now)

  /** Asks the introspection endpoint. @throws OAuthError `temporarily_unavailable` */
  async function ask<T>(question: (endpoint: string) => Promise<T>): Promise<T> {
    const { introspection_endpoint } = await endpoints.read()
    if (introspection_endpoint === undefined) {
      throw issuerUnavailable(`the metadata of ${issuer} has no https introspection_endpoint`)
    }
    return await question(introspection_endpoint).catch((error) => {
      throw issuerUnavailable(error)
    })
  }

  async function introspect(token: string): Promise<Verification> {
    if (client === undefined) return refused('opaque, and introspection is not configured')
    return await ask((endpoint) => client.verify(endpoint, token))
  }

  const verify: VerifyToken = async (token) => {
    if (!TOKEN.test(token)) return refused('not the syntax of a token')
    return looksLikeJwt(token) ? await verifyByKeys(token) : await introspect(token)
  }
  const spend = async (token: string) =>
    client !== undefined && (await ask((endpoint) => client.spend(endpoint, token)))
  return Object.assign(verify, { spend })
}

/**
 * Returns a function that says whether the `aud` of a token (RFC 7519 §4.1.3) names one of these audiences. Resource
 * identifiers are compared by their normalised form; any other audience must be equal.
 */
export function audienceCheck(accepted: readonly string[]): (aud: unknown) => boolean {
  const exact = new Set(accepted)
  const normalised = new Set(accepted.map(formOf))
  const names = (audience: unknown) =>
    typeof audience === 'string' && (exact.has(audience) || normalised.has(formOf(audience)))
  return (aud) => (Array.isArray(aud) ? aud.some(names) : names(aud))
}

const formOf = (audience: string) => resourceKey(audience) ?? audience
