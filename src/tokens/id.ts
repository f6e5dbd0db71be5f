import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import type { SigningAlg } from '../keys/algs.ts'
import type { SigningKey } from '../keys/ring.ts'
import { signJwt } from './jwt.ts'

export interface IdTokenFacts {
  client_id: string
  subject: string
  /** When the user signed in, in seconds since 1970. */
  auth_time: number
  nonce?: string
  access_token: string
}

/** A signed id_token (OpenID Connect Core §2). */
export function signIdToken(
  { settings, now }: Pick<Context, 'settings' | 'now'>,
  key: SigningKey,
  facts: IdTokenFacts,
): string {
  const iat = Math.floor(now() / 1000)
  return signJwt(key, 'JWT', {
    iss: settings.issuer,
    sub: facts.subject,
    aud: facts.client_id,
    exp: iat + settings.id_token_ttl,
    iat,
    auth_time: facts.auth_time,
    ...(facts.nonce === undefined ? {} : { nonce: facts.nonce }),
    at_hash: accessTokenHash(facts.access_token, key.alg),
  })
}

// OpenID Connect Core §3.1.3.6: the left half of the digest that the signature uses; Ed25519's is SHA-512.
function accessTokenHash(access_token: string, alg: SigningAlg): string {
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(access_token, 'ascii')
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
