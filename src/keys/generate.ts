import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { SigningAlg } from '../core/algs.ts'
import type { SigningKeyRecord } from './key-record.ts'
import { storedPrivateKey } from './wrap.ts'

/** Makes a key pair for an algorithm. */
export type NewKeyPair = (alg: SigningAlg) => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>

/** The algorithms whose keys are made in a moment; an RSA key takes a tenth of a second, or several. */
export const QUICK_ALGS: readonly SigningAlg[] = ['ES256', 'EdDSA']

const generate = promisify(generateKeyPair)
const RSA = { modulusLength: 2048 }

/** Makes a key pair in a thread of libuv, so that this one goes on serving. */
export const newKeyPair: NewKeyPair = (alg) => {
  switch (alg) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' })
    case 'EdDSA':
      return generate('ed25519')
    case 'RS256':
    case 'PS256':
      return generate('rsa', RSA)
  }
}

/**
 * Returns a new key with the status `next`, which may sign from `usable_at` on. Its kid is its JWK thumbprint
 * (RFC 7638), after `kid_prefix`. With a key encryption key its private part is wrapped.
 */
export async function generateSigningKey(
  alg: SigningAlg,
  now: Date,
  usable_at: Date,
  key_encryption_key: Uint8Array | undefined,
  make: NewKeyPair,
  kid_prefix: string,
): Promise<SigningKeyRecord> {
  const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint')
  const { publicKey, privateKey } = await make(alg)
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const kid = kid_prefix + (await calculateJwkThumbprint(jwk))
  const private_jwk = privateKey.export({ format: 'jwk' }) as JWK
  return {
    kid,
    alg,
    status: 'next',
    created_at: now.toISOString(),
    usable_at: usable_at.toISOString(),
    public_jwk: { ...jwk, kid, alg, use: 'sig' },
    ...(await storedPrivateKey(private_jwk, kid, key_encryption_key)),
  }
}
