import { type ClientKeys, findClientKey } from '../clients/client-keys.ts'
import type { Client } from '../clients/client-record.ts'
import { maySignWith, PROFILE_ALGS } from '../clients/profiles.ts'
import type { Settings } from '../config/settings.ts'
import type { Parameters } from '../core/parameters.ts'
import { invalidRequestObject } from '../core/request-errors.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'
import {
  hasExtension,
  isKidOrAbsent,
  isSignedBy,
  mediaType,
  readJwsPart,
  splitJws,
} from '../keys/compact-jws.ts'
import { MAX_ID_TOKEN } from '../tokens/id-token.ts'
import { objectProblem, parametersOf } from './request-object-claims.ts'

/** Whether a request object says that it is not signed (OpenID Connect Core §6.1). Such objects are not supported. */
export function isUnsigned(jwt: string): boolean {
  const [header] = splitJws(jwt) ?? []
  return header !== undefined && readJwsPart(header)?.alg === 'none'
}

/** What it takes to verify a request object. */
export interface RequestObjectContext {
  readonly client_keys: Pick<ClientKeys, 'find'>
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The longest request object, in characters: all parameters that may wait for a user, a signature of 512 bytes, and the
 * longest id_token in base64url.
 */
const MAX_LENGTH = 8192 + Math.ceil((MAX_ID_TOKEN * 4) / 3)

// RFC 9101 §10.8 and RFC 8725 §3.11: an assertion that says what it is does not pass as a request.
const TYPES: readonly unknown[] = [undefined, 'application/jwt', 'application/oauth-authz-req+jwt']

/**
 * Returns the parameters in a request object that this client signed (RFC 9101 §6). What costs most comes last: keys are
 * fetched, and signatures verified, only of objects whose claims are valid. An object may be presented again until it
 * expires: each time makes a new request with its own code and, if it is pushed, its own request_uri.
 * @throws OAuthError `invalid_request_object`; `temporarily_unavailable` if the keys of the client cannot be fetched;
 * StorageUnavailable
 */
export async function readRequestObject(
  context: RequestObjectContext,
  jwt: string,
  client: Client,
): Promise<Parameters> {
  const { header, claims, signature } = readParts(jwt)
  const { kid, typ, alg: named } = header
  // RFC 9101 §10.1: neither unsigned nor signed with a secret. RFC 8725 §3.1: the algorithm is that of the client.
  const alg = SIGNING_ALGS.find((known) => known === named)
  if (alg === undefined) throw invalidRequestObject(`its algorithm must be of ${SIGNING_ALGS.join(', ')}`)
  if (!maySignWith(client, alg)) throw invalidRequestObject(PROFILE_ALGS)
  if (alg !== (client.request_object_signing_alg ?? alg)) {
    throw invalidRequestObject('its algorithm is not the request_object_signing_alg of the client')
  }
  if (!TYPES.includes(typeof typ === 'string' ? mediaType(typ) : typ)) {
    throw invalidRequestObject('its typ must be oauth-authz-req+jwt')
  }
  if (!isKidOrAbsent(kid)) throw invalidRequestObject('its kid is not a string')
  const problem = objectProblem(claims, {
    client_id: client.client_id,
    issuer: context.settings.issuer,
    now: Math.floor(context.now() / 1000),
  })
  if (problem !== undefined) throw invalidRequestObject(problem)
  const parameters = parametersOf(claims)
  // RFC 8725 §3.10: no key and no address of the header is used.
  const key = await findClientKey(context.client_keys, client, kid, alg)
  if (key === undefined)
    throw invalidRequestObject('the client has no such key: see its fields jwks and jwks_uri')
  if (!isSignedBy(key, jwt, signature)) throw invalidRequestObject('its signature is invalid')
  return parameters
}

function readParts(jwt: string) {
  if (jwt.length > MAX_LENGTH) throw invalidRequestObject(`it is longer than ${MAX_LENGTH} characters`)
  const parts = splitJws(jwt)
  if (parts === undefined) throw invalidRequestObject('it is not a JWS of three parts in base64url')
  const [header, claims] = [readJwsPart(parts[0]), readJwsPart(parts[1])]
  if (header === undefined || claims === undefined) {
    throw invalidRequestObject('its header or its claims are not a JSON object')
  }
  if (hasExtension(header)) throw invalidRequestObject('its header has an extension')
  return { header, claims, signature: parts[2] }
}
