import { readJwt } from '../keys/jwt-reader.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { VerificationKey } from '../keys/verification-key.ts'
import type { VerifiedJws } from '../keys/verified-jws.ts'

/** What verifying needs of the key ring. */
export interface VerifyingKeys extends Pick<KeyRing, 'verified' | 'notBefore'> {
  /** Returns the key with this kid, if there is one; of several, the one for this algorithm. */
  verificationKey(kid: string, alg: string): VerificationKey | undefined
}

/** Why a JWS is refused if no known key has its `kid`. */
export const UNKNOWN_KEY = 'its key is unknown'

/** Why a JWS is refused if its key is known and its signature is invalid. */
export const INVALID_SIGNATURE = 'its signature is invalid'

/**
 * The longest JWT that this server signs, in characters: the custom claims and the standard claims of an id_token (8,192
 * bytes each), nonce and client_id (4,096 bytes of the authorization request), the other claims and a signature of 512
 * bytes. Every endpoint that reads one from a form takes it.
 */
export const MAX_JWT = 32 * 1024

const ACCESS_TOKEN_TYPE = 'at+jwt'

/**
 * Verifies a JWS of this server with the key that its `kid` names, and only with the algorithm of that key. Returns its
 * content, or the reason for the log why it is invalid. The claims are not checked.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyJws(keys: VerifyingKeys, token: string, typ: string): VerifiedJws | string {
  // Other types are presented once or twice, and have claims about a user.
  if (typ !== ACCESS_TOKEN_TYPE) return readJws(keys, token, typ)
  const known = keys.verified.find(token)
  // The key may have been removed or replaced since.
  if (known !== undefined && keys.verificationKey(known.key.kid, known.key.alg) === known.key) return known
  const jws = readJws(keys, token, typ)
  if (typeof jws === 'object') keys.verified.keep(token, jws)
  return jws
}

function readJws(keys: VerifyingKeys, token: string, typ: string): VerifiedJws | string {
  const read = readJwt(token, MAX_JWT)
  const jwt = typeof read === 'string' ? read : read.ofType([typ])
  if (typeof jwt === 'string') return jwt
  const { kid, alg, claims } = jwt
  const key = kid === undefined ? undefined : keys.verificationKey(kid, alg)
  if (key === undefined) return UNKNOWN_KEY
  return jwt.isSignedBy(key) ? { key, claims } : INVALID_SIGNATURE
}
