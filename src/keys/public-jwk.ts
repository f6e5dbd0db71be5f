import { Type } from '@sinclair/typebox'
import type { JWK } from 'jose'

/** The public keys of a key set: RFC 7518 §6, RFC 8037 §2. RFC 7517 §4 allows other members. */
export const PublicJwk = Type.Unsafe<JWK>(
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
