import { createHash } from 'node:crypto'
import type { ClientDefinition } from '../src/records/client.ts'

export const SECRET = 'a-secret-that-only-the-benchmark-knows'

/** The client that every measured server knows. */
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

/** The request that is measured: client_credentials by Basic. */
export const TOKEN_REQUEST = {
  method: 'POST',
  headers: {
    authorization: `Basic ${Buffer.from(`${CLIENT.client_id}:${SECRET}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: 'grant_type=client_credentials&scope=api.read',
} as const
