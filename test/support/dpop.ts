// DPoP proofs (RFC 9449 §4.2) of a client, right and wrong ones.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import type { SigningAlg } from '../../src/core/algs.ts'
import { signJws } from '../../src/keys/compact-jws.ts'

/** The key of a client. */
export interface DpopKey {
  readonly alg: SigningAlg
  readonly privateKey: KeyObject
  /** The public key. */
  readonly jwk: Readonly<Record<string, unknown>>
  /** Its SHA-256 thumbprint (RFC 7638 §3). */
  readonly jkt: string
}

export function makeDpopKey(alg: SigningAlg = 'ES256', rsa = { modulusLength: 2048 }): DpopKey {
  const { privateKey, publicKey } = generatePair(alg, rsa)
  const { crv, e, kty, n, x, y } = publicKey.export({ format: 'jwk' })
  const jwk = JSON.parse(JSON.stringify({ crv, e, kty, n, x, y }))
  return { alg, privateKey, jwk, jkt: sha256(JSON.stringify(jwk)) }
}

function generatePair(alg: SigningAlg, rsa: { modulusLength: number }) {
  switch (alg) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'EdDSA':
      return generateKeyPairSync('ed25519')
    case 'RS256':
    case 'PS256':
      return generateKeyPairSync('rsa', rsa)
  }
}

/** Returns a proof for a request; `undefined` removes a claim or a header parameter. */
export function makeProof(
  key: DpopKey,
  claims: { htm: string; htu: string; iat: number } & Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  return signProof(
    key,
    { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header },
    { jti: randomUUID(), ...claims },
  )
}

/** Returns a JWS with exactly this header and these claims. */
export function signProof(
  key: Pick<DpopKey, 'alg' | 'privateKey'>,
  header: unknown,
  claims: unknown,
): string {
  return signJws(key, `${encode(header)}.${encode(claims)}`)
}

/** Returns the SHA-256 of a text in base64url, such as the `ath` of an access token. */
export const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('base64url')

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
