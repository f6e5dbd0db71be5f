// Answers of a service as JWTs, verified by jose as a client does.

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyOptions, jwtVerify } from 'jose'
import { PATHS } from '../../src/core/paths.ts'
import { ISSUER, type Service } from './service.ts'

/** Verifies a JWT with the published keys of a service. Returns its header and claims. */
export async function verified(service: Pick<Service, 'get'>, jwt: string, options: JWTVerifyOptions) {
  const { json } = await service.get(PATHS.jwks)
  const keys = createLocalJWKSet(json as unknown as JSONWebKeySet)
  const { payload, protectedHeader } = await jwtVerify(jwt, keys, { issuer: ISSUER, ...options })
  return { header: protectedHeader, claims: payload }
}
