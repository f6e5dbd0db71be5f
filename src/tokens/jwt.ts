import { constants, type KeyObject, sign } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { SIGNING_ALGS, type SigningAlg } from '../core/signing-algs.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'

/** The claims of a JWT, or the reason for the log why it is invalid. */
export type Verified = { ok: true; claims: JWTPayload } | { ok: false; reason: string }

/**
 * Returns a signed JWT in JWS compact form (RFC 7515 §3.1) with `alg`, `kid` and `typ` in its header.
 * Signing with node:crypto and a parsed key takes less than half the time of a general JOSE library.
 */
export function signJwt(key: SigningKey, typ: 'at+jwt' | 'JWT' | 'logout+jwt', claims: object): string {
  const header = encode({ alg: key.alg, kid: key.kid, typ })
  const input = `${header}.${encode(claims)}`
  return `${input}.${signature(key.alg, key.privateKey, Buffer.from(input)).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

// RFC 7518 §3.3 to §3.5 and RFC 8037 §3.1.
function signature(alg: SigningAlg, key: KeyObject, input: Buffer): Buffer {
  switch (alg) {
    case 'ES256':
      return sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' })
    case 'RS256':
      return sign('sha256', input, key)
    case 'PS256':
      return sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
    case 'EdDSA':
      return sign(null, input, key)
  }
}

/** Whether a JWS is canonical base64url. Decoders also accept other spellings of the same bytes. */
export function isCanonicalJws(jws: string): boolean {
  const parts = jws.split('.')
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  )
}

/**
 * Verifies a JWT of this server with the key that its `kid` names, and only with the algorithm of that key. `expected`
 * are the required claims.
 * @throws StorageUnavailable if the key ring is out of date
 */
export async function verifyJwt(
  keys: Pick<KeyRing, 'verificationKey'>,
  token: string,
  typ: 'at+jwt' | 'JWT',
  expected: JWTVerifyOptions,
): Promise<Verified> {
  if (!isCanonicalJws(token)) return { ok: false, reason: 'not in canonical base64url' }
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid, alg }) => {
        const key = typeof kid === 'string' ? keys.verificationKey(kid) : undefined
        if (key?.alg !== alg || key === undefined) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      { ...expected, typ, algorithms: [...SIGNING_ALGS] },
    )
    return { ok: true, claims: payload }
  } catch (error) {
    if (error instanceof errors.JOSEError) return { ok: false, reason: describe(error) }
    throw error
  }
}

// Not the library's message, which may quote the token.
function describe(error: errors.JOSEError): string {
  return error instanceof errors.JWTClaimValidationFailed ? `${error.code} ${error.claim}` : error.code
}
