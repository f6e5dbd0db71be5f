import type { JWK } from 'jose'
import { type Static, Type } from '../core/schema.ts'

// RFC 7518 §6, RFC 8037 §2. RFC 7517 §4 allows other members.
const PublicJwk = Type.Unsafe<JWK>(
  Type.Object(
    {
      kty: Type.String(),
      kid: Type.Optional(Type.String()),
      use: Type.Optional(Type.String()),
      alg: Type.Optional(Type.String()),
      crv: Type.Optional(Type.String()),
      x: Type.Optional(Type.String()),
      y: Type.Optional(Type.String()),
      n: Type.Optional(Type.String()),
      e: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
)

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
