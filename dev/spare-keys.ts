import { createPublicKey } from 'node:crypto'
import type { JWK } from 'jose'
import type { SigningAlg } from '../src/core/algs.ts'
import { DEV_KID } from '../src/core/dev-mode.ts'
import { newKeyPair } from '../src/keys/generate.ts'
import type { KeyRing } from '../src/keys/ring.ts'
import type { Signer } from './forge.ts'

/** The keys besides those that the server signs with. */
type Spare =
  /** Published from the start, and not used before. */
  | 'next'
  /** Has its `kid` with a key of another type, before it in the key set and behind it: who takes the first or last fails. */
  | 'second-twin'
  | 'first-twin'
  /** Published when it is used first. */
  | 'sudden'
  /** Published never. */
  | 'unknown'

/** Keys besides those that the server signs with. */
export interface SpareKeys {
  /** The keys that the key set of the server has besides. */
  readonly published: readonly JWK[]
  /** Returns one that signs by an algorithm. */
  signer(spare: Spare, alg: SigningAlg): Signer
  /** Returns a public one, as a key set has it. */
  jwk(spare: Spare, alg: SigningAlg): JWK
}

/** Makes keys that a server publishes besides its own, for the algorithms that it signs with. */
export async function makeSpareKeys(algs: readonly SigningAlg[]): Promise<SpareKeys> {
  const [rsa, ec, ed] = await Promise.all([newKeyPair('RS256'), newKeyPair('ES256'), newKeyPair('EdDSA')])
  const pairs = { RS256: rsa, PS256: rsa, ES256: ec, EdDSA: ed }
  const kidOf = (spare: Spare, alg: SigningAlg) => `${DEV_KID}${spare}-${alg}`
  const publicKey = (alg: SigningAlg, kid: string): JWK => ({
    ...(pairs[alg].publicKey.export({ format: 'jwk' }) as JWK),
    ...{ kid, alg, use: 'sig' },
  })
  const jwk = (spare: Spare, alg: SigningAlg) => publicKey(alg, kidOf(spare, alg))
  const twin = (spare: Spare, alg: SigningAlg) =>
    publicKey(alg === 'ES256' ? 'RS256' : 'ES256', kidOf(spare, alg))
  return {
    jwk,
    signer: (spare, alg) => ({ ...pairs[alg], alg, kid: kidOf(spare, alg) }),
    published: algs.flatMap((alg) => [
      jwk('next', alg),
      ...[jwk('first-twin', alg), twin('first-twin', alg)],
      ...[twin('second-twin', alg), jwk('second-twin', alg)],
    ]),
  }
}

/** Returns the key with which a server signs by an algorithm. @throws StorageUnavailable if there is none */
export function signerOf(keys: Pick<KeyRing, 'signingKey'>, alg: SigningAlg): Signer {
  const key = keys.signingKey(alg)
  return { ...key, publicKey: createPublicKey(key.privateKey) }
}
