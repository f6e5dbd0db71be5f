import { type ClientKeys, findClientKey } from '../clients/keys/client-keys.ts'
import type { Client } from '../clients/record/client-record.ts'
import { maySignWith, PROFILE_ALGS } from '../clients/record/profiles.ts'
import type { Settings } from '../config/settings.ts'
import { refusedFor } from '../core/jwt-refusal.ts'
import type { Parameters } from '../core/parameters.ts'
import { invalidRequestObject } from '../core/request-errors.ts'
import { MAX_DETAILS_BYTES } from '../details/read-details.ts'
import { decodeJwt, readJwt } from '../keys/jwt-reader.ts'
import { MAX_JWT } from '../tokens/jws.ts'
import { SIGNED_PARAMETERS } from './request.ts'
import { objectProblem, parametersOf } from './request-object-claims.ts'

/** Whether a request object says that it is not signed (OpenID Connect Core §6.1). Such objects are not supported. */
export function isUnsigned(jwt: string): boolean {
  return decodeJwt(jwt)?.header.alg === 'none'
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
 * longest details and the longest id_token in base64url.
 */
const MAX_LENGTH = 8192 + Math.ceil(((MAX_DETAILS_BYTES + MAX_JWT) * 4) / 3)

const OF_AUTHORIZATION = [...SIGNED_PARAMETERS, 'registration']

// RFC 9101 §10.8: an assertion that says what it is does not pass as a request.
const TYPES = [undefined, 'JWT', 'oauth-authz-req+jwt']

/**
 * Returns the parameters in a request object that this client signed (RFC 9101 §6). What costs most comes last: keys are
 * fetched, and signatures verified, only of objects whose claims are valid. An object may be presented again until it
 * expires: each time makes a new request with its own code and, if it is pushed, its own request_uri.
 * @param names those that are read; absent: those of an authorization request
 * @throws OAuthError `invalid_request_object`; `temporarily_unavailable` if the keys of the client cannot be fetched;
 * StorageUnavailable
 */
export async function readRequestObject(
  context: RequestObjectContext,
  jwt: string,
  client: Client,
  names: readonly string[] = OF_AUTHORIZATION,
): Promise<Parameters> {
  const read = readJwt(jwt, MAX_LENGTH)
  const unverified = typeof read === 'string' ? read : read.ofType(TYPES)
  if (typeof unverified === 'string') throw invalidRequestObject(refusedFor('malformed', unverified))
  const { alg, kid, claims } = unverified
  if (!maySignWith(client, alg)) throw invalidRequestObject(refusedFor('claims', PROFILE_ALGS))
  if (alg !== (client.request_object_signing_alg ?? alg)) {
    throw invalidRequestObject({
      fault: 'claims',
      text: 'its algorithm is not the request_object_signing_alg of the client',
      received: { alg },
      expected: { alg: client.request_object_signing_alg ?? '' },
    })
  }
  const problem = objectProblem(claims, {
    client_id: client.client_id,
    issuer: context.settings.issuer,
    now: Math.floor(context.now() / 1000),
  })
  if (problem !== undefined) throw invalidRequestObject(problem)
  const parameters = parametersOf(claims, names)
  const key = await findClientKey(context.client_keys, client, kid, alg)
  if (key === undefined)
    throw invalidRequestObject(
      refusedFor('unproven', 'the client has no such key: see its fields jwks and jwks_uri'),
    )
  if (!unverified.isSignedBy(key))
    throw invalidRequestObject(refusedFor('unproven', 'its signature is invalid'))
  return parameters
}
