// An API that answers who has a token for it, and the scope orders.read.
import express from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'

/** Returns the API. Tokens are of this issuer, and name this audience. */
export function createApp(issuer, audience) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
  const checks = { issuer, audience, typ: 'at+jwt', algorithms: ['ES256'], requiredClaims: ['exp'] }
  const app = express()
  app.get('/orders', async (request, response) => {
    const [, token = ''] = /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '') ?? []
    const claims = await jwtVerify(token, keys, checks).then(
      ({ payload }) => payload,
      () => undefined,
    )
    if (claims === undefined) return response.status(401).json({ error: 'invalid_token' })
    if (!String(claims.scope).split(' ').includes('orders.read'))
      return response.status(403).json({ error: 'insufficient_scope' })
    response.json({ client: claims.client_id })
  })
  return app
}
