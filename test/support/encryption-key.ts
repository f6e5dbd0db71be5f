// The keys that clients decrypt with.

import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { compactDecrypt } from 'jose'
import type { EncryptionAlg } from '../../src/core/algs.ts'

const MAKE = {
  'ECDH-ES': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'RSA-OAEP-256': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

/** A key that a client decrypts with, and its public part for a key set. */
export interface DecryptionKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: Record<string, unknown>
}

/** Makes a key for one of the algorithms. */
export function decryptionKey(kid: string, alg: EncryptionAlg = 'ECDH-ES'): DecryptionKey {
  const { privateKey } = MAKE[alg]()
  return { kid, privateKey, jwk: { ...publicJwk(privateKey), kid, use: 'enc', alg } }
}

/** Returns the public part of a key as a JWK. */
export const publicJwk = (privateKey: KeyObject) => createPublicKey(privateKey).export({ format: 'jwk' })

/** Returns the key set with these keys as JSON. */
export const keySetWith = (...keys: readonly Pick<DecryptionKey, 'jwk'>[]) =>
  JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

/** Decrypts a JWE as its client does. Returns its header and content. */
export async function decrypted({ privateKey }: DecryptionKey, jwe: string) {
  const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey)
  return { header: protectedHeader, jwt: new TextDecoder().decode(plaintext) }
}
