import { createHash } from 'node:crypto'
import type { ClientDefinition } from '../src/clients/client-record.ts'

const SECRET = 'a-secret-that-only-the-benchmark-knows'

/** The client that is registered at every measured server. */
export const CLIENT: ClientDefinition = {
  client_id: 'bench',
  client_secret_hash: createHash('sha256').update(SECRET).digest('base64'),
  client_name: 'Benchmark',
  redirect_uris: [],
  allowed_scopes: ['api.read'],
  grant_types: ['client_credentials'],
  is_public: false,
  disabled: false,
}

/** The measured request: client_credentials with Basic. */
export const TOKEN_REQUEST = {
  method: 'POST',
  headers: {
    authorization: `Basic ${Buffer.from(`${CLIENT.client_id}:${SECRET}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials&scope=api.read',
} as const

/** The client of the sign-ins during the measurement, and its request. */
export const APP: ClientDefinition = {
  client_id: 'bench-app',
  client_name: 'Benchmark app',
  redirect_uris: ['http://127.0.0.1/callback'],
  allowed_scopes: ['openid'],
  grant_types: ['authorization_code'],
  is_public: true,
}

/** The query of its authorization request; the challenge is from RFC 7636 Appendix B. */
export const SIGN_IN_QUERY = new URLSearchParams({
  response_type: 'code',
  client_id: APP.client_id,
  redirect_uri: APP.redirect_uris[0] ?? '',
  scope: 'openid',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}).toString()
