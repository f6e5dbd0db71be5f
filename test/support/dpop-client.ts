// A client that sends DPoP proofs to a service of a test.
import { type DpopKey, makeDpopKey, makeProof, sha256 } from './dpop.ts'
import { type Answer, ISSUER, type Service } from './service.ts'

/** The claims of a proof that a test replaces; `undefined` removes one. */
type Claims = Readonly<Record<string, unknown>>

export interface DpopClient {
  readonly key: DpopKey
  /** A proof for a POST request to a path. */
  proof(path: string, claims?: Claims): string
  /** The headers of a request with an access token. */
  withToken(token: unknown, path?: string, claims?: Claims): { authorization: string; dpop: string }
  /** Posts to the token endpoint, with a new proof. */
  token(form: Record<string, string>, headers?: Record<string, string>, claims?: Claims): Promise<Answer>
  /** Gets a path with an access token. */
  get(path: string, token: unknown, claims?: Claims): Promise<Answer>
}

/** @param now milliseconds since 1970 */
export function dpopClient(
  service: Pick<Service, 'get' | 'token'>,
  { key = makeDpopKey(), now = Date.now }: { key?: DpopKey; now?: () => number } = {},
): DpopClient {
  const iat = () => Math.floor(now() / 1000)
  const proof = (path: string, claims: Claims = {}) =>
    makeProof(key, { htm: 'POST', htu: ISSUER + path, iat: iat(), ...claims })
  const withToken = (token: unknown, path = '/api/resource', claims: Claims = {}) => ({
    authorization: `DPoP ${token}`,
    dpop: proof(path, { htm: 'GET', ath: sha256(String(token)), ...claims }),
  })
  return {
    key,
    proof,
    withToken,
    token: (form, headers = {}, claims = {}) =>
      service.token(form, { ...headers, dpop: proof('/oauth2/token', claims) }),
    get: (path, token, claims) => service.get(path, withToken(token, path, claims)),
  }
}
