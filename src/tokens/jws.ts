import { hasExtension, isSignedBy, mediaType, readJwsPart, splitJws } from '../keys/compact-jws.ts'
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

const ACCESS_TOKEN_TYPE = 'application/at+jwt'

/**
 * Verifies a JWS of this server with the key that its `kid` names, and only with the algorithm of that key. Returns its
 * content, or the reason for the log why it is invalid. The claims are not checked.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function verifyJws(keys: VerifyingKeys, token: string): VerifiedJws | string {
  const known = keys.verified.find(token)
  // The key may have been removed or replaced since.
  if (known !== undefined && keys.verificationKey(known.key.kid, known.key.alg) === known.key) return known
  const jws = readJws(keys, token)
  // Other types are presented once or twice, and have claims about a user.
  if (typeof jws === 'object' && jws.typ === ACCESS_TOKEN_TYPE) keys.verified.keep(token, jws)
  return jws
}

function readJws(keys: VerifyingKeys, token: string): VerifiedJws | string {
  const parts = splitJws(token)
  if (parts === undefined) return 'not three parts in canonical base64url'
  const header = readJwsPart(parts[0])
  if (header === undefined) return 'its header is not a JSON object'
  const { alg, kid, typ } = header
  if (hasExtension(header)) return 'its header has an extension'
  const key = typeof kid === 'string' ? keys.verificationKey(kid, String(alg)) : undefined
  if (key === undefined) return UNKNOWN_KEY
  if (key.alg !== alg) return 'its algorithm is not that of its key'
  if (!isSignedBy(key, token, parts[2])) return INVALID_SIGNATURE
  const claims = readJwsPart(parts[1])
  if (claims === undefined) return 'its claims are not a JSON object'
  return { key, typ: typeof typ === 'string' ? mediaType(typ) : undefined, claims }
}
