// Users with accounts, and clients that they sign in to.

import { hash } from '@node-rs/argon2'
import type { ClientDefinition } from '../../src/clients/record/client-record.ts'
import { formatClient } from '../../src/clients/record/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { createClient, createUser } from './records.ts'
import { CLIENTS, REDIRECT_URI } from './service.ts'

/** The lowest cost parameters that the configuration accepts. */
export const CHEAP = { argon2_memory: 8192, argon2_iterations: 1, argon2_parallelism: 1 } as const
export const PASSWORD = 'correct horse battery staple'
/** What people choose instead. */
export const NEW_PASSWORD = 'seven wet umbrellas at noon'

const password_hash = hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })

/** The record of a user whose password is PASSWORD. */
export async function userRecord(sub: string, claims: Hash = {}): Promise<Hash> {
  return { sub, password_hash: await password_hash, ...claims }
}

/** Stores alice, with standard claims of every type, and bob. */
export async function storeUsers(storage: RecordStore): Promise<void> {
  await createUser(
    storage,
    'alice',
    await userRecord('sub-of-alice', {
      name: 'Alice Example',
      given_name: 'Alice',
      email: 'alice@example.com',
      email_verified: 'true',
      phone_number: '+49 30 1234',
      phone_number_verified: 'false',
      updated_at: '1700000000',
      address: '{"locality":"Berlin","country":"DE"}',
      zoneinfo: 'Europe/Berlin',
    }),
  )
  await createUser(storage, 'bob', await userRecord('sub-of-bob', { name: 'Bob' }))
}

const scopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'api.read'] as const

// With it a client can use a sid, so that tests see which session an id_token is of.
const post_logout_redirect_uris = ['https://app.example.com/signed-out']

/** Clients that users sign in to, each with its special settings. */
export const RELYING_PARTIES = {
  shop: {
    ...CLIENTS.app,
    client_id: 'shop',
    client_name: 'The Shop',
    allowed_scopes: scopes,
    post_logout_redirect_uris,
  },
  wiki: {
    ...CLIENTS.web,
    client_id: 'wiki',
    client_name: 'The Wiki',
    redirect_uris: ['https://wiki.example.org/cb?tenant=a%20b'],
    allowed_scopes: scopes,
    post_logout_redirect_uris,
  },
  own: {
    ...CLIENTS.app,
    client_id: 'own',
    client_name: 'Our own',
    allowed_scopes: scopes,
    first_party: true,
  },
  plain: {
    ...CLIENTS.web,
    client_id: 'plain',
    client_name: 'A plain relying party',
    allowed_scopes: scopes,
    require_pkce: false,
  },
} satisfies Record<string, ClientDefinition>

export async function storeRelyingParties(storage: RecordStore): Promise<void> {
  for (const client of Object.values(RELYING_PARTIES)) {
    await createClient(storage, client.client_id, formatClient(client))
  }
}

/** The parameters of an authorization request that a user must answer, without the demo parameter subject. */
export const ASKS: Record<string, string | undefined> = {
  client_id: 'shop',
  redirect_uri: REDIRECT_URI,
  scope: 'openid profile',
  subject: undefined,
}
