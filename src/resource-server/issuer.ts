import type { JWK } from 'jose'
import { verifiedAlg } from '../core/algs.ts'
import { type DevRule, isDevKid, mayBeHttp } from '../core/dev-mode.ts'
import { isObject } from '../core/json.ts'
import { isUrl } from '../core/uri.ts'
import { readVerificationKey, type VerificationKey } from '../keys/verification-key.ts'
import { fetchObject, UnexpectedStatus } from '../outbound/operator-fetch.ts'

/** Where a resource server asks the issuer of its tokens. */
export interface Endpoints {
  readonly jwks_uri: string
  readonly introspection_endpoint: string | undefined
}

/** Whether documents may be fetched from an address: https, or http on loopback, or for development of a private name. */
function isSafe(value: unknown, dev: DevRule): value is string {
  if (typeof value !== 'string' || !isUrl(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && mayBeHttp(hostname, dev))
}

/** @throws TypeError unless an issuer is an https URL without query and fragment (RFC 8414 §2); http is for loopback */
export function checkIssuer(issuer: string, dev: DevRule): void {
  if (isSafe(issuer, dev) && !/[?#]/.test(issuer)) return
  throw new TypeError(
    `The issuer ${issuer} is not an https URL without query and fragment: set it to that of the tokens.`,
  )
}

/**
 * Fetches the metadata of an issuer: by RFC 8414 §3.1, otherwise by OpenID Connect Discovery §4.1.
 * @throws Error that says what is wrong, also that the issuer is for development
 */
export async function fetchEndpoints(issuer: string, dev: DevRule): Promise<Endpoints> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const metadata = await fetchObject(`${origin}/.well-known/oauth-authorization-server${path}`).catch(
    (error) => {
      if (!(error instanceof UnexpectedStatus)) throw error
      return fetchObject(`${origin}${path}/.well-known/openid-configuration`)
    },
  )
  const { jwks_uri, introspection_endpoint } = metadata
  // RFC 8414 §3.3.
  if (metadata.issuer !== issuer)
    throw new Error(`the metadata of ${issuer} names the issuer ${metadata.issuer}`)
  if (metadata.redmint_dev === true && dev === 'refuse') throw new Error(devRefusal(issuer))
  if (!isSafe(jwks_uri, dev)) throw new Error(`the metadata of ${issuer} has no https jwks_uri`)
  return {
    jwks_uri,
    introspection_endpoint: isSafe(introspection_endpoint, dev) ? introspection_endpoint : undefined,
  }
}

/** Says why a server for development is no issuer of tokens, and what to do. */
const devRefusal = (issuer: string) =>
  `${issuer} is a server for development, which gives anybody any token: for tests, set dev: 'allow' in the options of the resource server`

/** The keys of an issuer by their names. */
export type IssuerKeys = ReadonlyMap<string, VerificationKey>

/** Returns what tells a key from others: keys that are alternatives may have one kid (RFC 7517 §4.5). */
export const nameOfKey = ({ kid, alg }: { kid: string; alg: string }) => `${alg} ${kid}`

/**
 * Fetches a key set (RFC 7517 §5). Keys without kid, those for other algorithms than redmint's, and
 * those of a server for development are left out.
 * @param previous the keys that were fetched before: those that did not change stay the same objects
 * @throws Error that says what is wrong
 */
export async function fetchKeys(jwks_uri: string, previous: IssuerKeys, dev: DevRule): Promise<IssuerKeys> {
  const { keys } = await fetchObject(jwks_uri)
  if (!Array.isArray(keys)) throw new Error(`${jwks_uri} has no keys`)
  const found = keys.flatMap((jwk) => readKey(jwk, dev) ?? [])
  return new Map(
    found.map((key) => {
      const name = nameOfKey(key)
      return [name, sameKey(previous.get(name), key)]
    }),
  )
}

function readKey(jwk: unknown, dev: DevRule): VerificationKey | undefined {
  if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) return undefined
  const alg = verifiedAlg(jwk.alg)
  if (typeof jwk.kid !== 'string' || alg === undefined) return undefined
  // Also where another issuer has copied the key set.
  if (isDevKid(jwk.kid) && dev === 'refuse') return undefined
  return readVerificationKey(jwk.kid, alg, jwk as JWK)
}

// Tokens that were verified with a key are remembered with its object.
function sameKey(before: VerificationKey | undefined, key: VerificationKey): VerificationKey {
  return before?.publicKey.equals(key.publicKey) ? before : key
}
