import { createHash } from 'node:crypto'
import type { ClientDefinition } from '../src/clients/record/client-record.ts'

const SECRET = 'a-secret-that-only-the-benchmark-knows'

/** The client of the measurements of growth. */
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
