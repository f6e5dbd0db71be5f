import { type Static, Type } from '@sinclair/typebox'
import type { JWK } from 'jose'
import { PublicJwk } from '../keys/public-jwk.ts'

/** The public signing keys (RFC 7517 §5). */
export const JwkSet = Type.Object(
  { keys: Type.Array(PublicJwk) },
  { $id: 'redmint:JwkSet', description: 'The public signing keys (RFC 7517 §5)' },
)
export type JwkSet = Static<typeof JwkSet>

/** Returns the key set of those public keys of the ring that have one of these algorithms (RFC 7517 §5). */
export function publicKeySet(keys: readonly JWK[], algs: readonly string[]): JwkSet {
  return { keys: keys.filter(({ alg = '' }) => algs.includes(alg)) }
}
