// What a client sends that has keys: assertions of its own (private_key_jwt) and DPoP proofs, each for one request.
import type { ClientDefinition } from '../../../src/clients/record/client-record.ts'
import { makeDpopKey, makeProof, sha256 } from '../dpop.ts'
import { ISSUER } from '../service.ts'
import { assertionOf, CLIENT_ASSERTION_TYPE, claimsOf, issuerKey, keySetOf } from '../trusted-issuer.ts'
import type { Once } from './history.ts'

const CLIENT_KEY = issuerKey()
const TOKEN_KEY = makeDpopKey()
/** The endpoints that bind a code or tokens to the key of a proof. */
const PROVEN_PATHS = ['/oauth2/par', '/oauth2/token']

/** The fields of a client that authenticates by its key, has bound tokens, and pushes its authorization requests. */
export const WITH_KEYS = {
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: keySetOf(CLIENT_KEY),
  dpop_bound_access_tokens: true,
  require_pushed_authorization_requests: true,
} as const

/** Whether a client has the fields of WITH_KEYS. */
export function hasKeys({ token_endpoint_auth_method: method }: ClientDefinition): boolean {
  return method === WITH_KEYS.token_endpoint_auth_method
}

/** Returns a new assertion that authenticates a client. */
export function newClientAssertion(client_id: string): string {
  return assertionOf(CLIENT_KEY, claimsOf(client_id, client_id))
}

/** Returns a new DPoP proof of the key of all clients for a request, and for the access token that it presents. */
export function newProof(htm: 'GET' | 'POST', path: string, access_token?: string): string {
  const claims = { htm, htu: ISSUER + path, iat: Math.floor(Date.now() / 1000) }
  return makeProof(TOKEN_KEY, { ...claims, ...(access_token && { ath: sha256(access_token) }) })
}

/** Returns the credentials and headers of a request as a client, new unless `once` has them. */
export function authenticated(client_id: string, path: string, once: Once = {}) {
  const { client_assertion = newClientAssertion(client_id) } = once
  const credentials = { client_assertion_type: CLIENT_ASSERTION_TYPE, client_assertion }
  if (!PROVEN_PATHS.includes(path)) return { credentials, once: { client_assertion } }
  const { proof = newProof('POST', path) } = once
  return { credentials, headers: { dpop: proof }, once: { client_assertion, proof } }
}

/** Returns the headers of a request with a bound access token, with a new proof unless `once` has one. */
export function withToken(path: string, access_token: string, once: Once = {}) {
  const { proof = newProof('GET', path, access_token) } = once
  return { headers: { authorization: `DPoP ${access_token}`, dpop: proof }, once: { proof } }
}
