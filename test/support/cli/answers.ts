// Records as operations answer them, for commands that print them.

import type { Answers } from './recorded.ts'

/** Of each type: one as lists and reads have it, and what it is called. */
export const RECORDS = {
  client: {
    client_id: 'shop',
    client_name: 'The Shop',
    is_public: false,
    redirect_uris: ['https://shop.example/cb', 'https://shop.example/other'],
    allowed_scopes: ['openid', 'a'],
    grant_types: ['authorization_code'],
    state: 'active',
    secret: 'set',
    old_secret: 'none',
    registration_token: 'none',
  },
  user: {
    username: 'alice',
    sub: 'sub-of-alice',
    state: 'active',
    password: 'set',
    claims: { name: 'Alice', email_verified: true, level: { a: 1 } },
    last_sign_in_at: '2026-11-28T10:00:00.000Z',
  },
  resource: {
    resource: 'https://api.example.com',
    resource_name: 'Orders',
    scopes: ['a', 'b'],
    state: 'active',
  },
  issuer: { issuer: 'https://idp.example.com', conditions: ['tenant=acme'], state: 'active' },
  provider: {
    provider: 'google',
    kind: 'google',
    issuer: 'https://accounts.google.com',
    client_id: 'ours',
    state: 'active',
  },
} as const

/** What a malformed record of each type has in common. */
export const MALFORMED = {
  state: 'malformed',
  problems: [{ field: 'disabled', detail: 'disabled must be true or false' }],
  fields: { disabled: 'maybe' },
}

const LATER = '2026-12-01T12:00:00.000Z'

/** What the operations answer that commands need more of than their schemas say. */
export const ANSWERS: Answers = {
  ...Object.fromEntries(
    Object.entries(RECORDS).flatMap(([noun, record]) =>
      ['create', 'change', 'read'].map((verb) => [`${verb}_${noun}`, record]),
    ),
  ),
  read_settings: { items: [{ name: 'issuer', value: '"https://login.example.com"', source: 'environment' }] },
  create_user_invitation: { id: 'x', url: 'https://login.example.com/join/x', expires_at: LATER },
  create_reset_link: { url: 'https://login.example.com/reset/x', sets: 'password', expires_at: LATER },
}
