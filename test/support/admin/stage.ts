// What each operation of the admin API finds in storage when the generated tables call it.

import { randomBytes } from 'node:crypto'
import type { Operation } from '../../../src/admin/operation/operation.ts'
import { APPLICATION as APPLICATION_KIND } from '../../../src/applications/application-record.ts'
import { PREVIEWS_OF } from '../../../src/clients/previews/previews-record.ts'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { INITIAL_ACCESS_TOKEN } from '../../../src/clients/registration/initial-access-token.ts'
import { DETAIL_TYPE as TYPE } from '../../../src/details/detail-type.ts'
import { saveConsent } from '../../../src/interaction/consent.ts'
import { ISSUER as TRUSTED } from '../../../src/issuers/issuer-kind.ts'
import { PROVIDER } from '../../../src/providers/provider-record.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { USER_INVITATION } from '../../../src/self-service/invitation.ts'
import { createSession } from '../../../src/sessions/session-store.ts'
import { write } from '../../../src/storage/records.ts'
import { INITIAL_ACCESS_TOKEN_TAG } from '../../../src/storage/registrations.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { CLIENTS, type Service } from '../service.ts'
import { DETAIL_TYPE, PREVIEW_URI, ROWS, type Row } from './rows.ts'

/** Values that must come out nowhere: in no answer, log or description. */
export const PLANTED = {
  sealed_secret: `kidkidki.${'s'.repeat(60)}`,
  password: `$argon2id$v=19$m=8192,t=1,p=1$${randomBytes(16).toString('base64').slice(0, 22)}$${randomBytes(32).toString('base64').slice(0, 43)}`,
  secret_hash: randomBytes(32).toString('base64'),
  old_secret_hash: randomBytes(32).toString('base64'),
  registration: randomBytes(32).toString('base64'),
  session: randomBytes(32).toString('base64url'),
  token: randomBytes(32).toString('base64url'),
}

const COMMAND = { kind: 'command', id: '' } as const

/** Returns the row of an operation. @throws Error if it has none */
export const rowOf = ({ name }: Operation): Row => {
  const row = ROWS[name]
  if (row === undefined) throw new Error(`The operation ${name} has no row in rows.ts.`)
  return row
}

/** Stores the records that the rows name, as they are before each operation. */
export async function setStage({ storage }: Pick<Service, 'storage'>): Promise<void> {
  for (const username of ['new', 'newer']) await storage.records.take(USER, username)
  await storage.records.put({
    kind: USER,
    id: 'alice',
    hash: { sub: 'sub-of-alice', password_hash: PLANTED.password, email: 'alice@example.com' },
  })
  await indexUser(storage, 'alice')
  for (const id of ['new-client', 'newer-client']) await storage.records.take(CLIENT, id)
  for (const host of ['new', 'newer']) {
    await storage.records.take(RESOURCE, `https://${host}.example.com`)
    await storage.records.take(TRUSTED, `https://${host}.example.com`)
  }
  const api = { resource: 'https://api.example.com', scopes: ['a'] }
  await storage.records.put(
    write(RESOURCE, api.resource, {
      ...api,
      id: api.resource,
      acting_clients: [],
      exchange_bound: false,
      status_list: false,
      disabled: false,
    }),
  )
  for (const host of ['new', 'newer'])
    await storage.records.take(APPLICATION_KIND, `https://${host}.example.com`)
  const application = 'https://other.example.com'
  const there = { clients: 'planted', resources: 'https://api.other.example.com' }
  await storage.records.put({ kind: APPLICATION_KIND, id: application, hash: there })
  for (const id of ['new', 'newer']) await storage.records.take(TYPE, id)
  const hash = { schema: DETAIL_TYPE.schema, text: JSON.stringify(DETAIL_TYPE.text) }
  await storage.records.put({ kind: TYPE, id: 'payment', hash })
  const issuer = 'https://idp.example.com'
  await storage.records.put({ kind: TRUSTED, id: issuer, hash: { issuer, jwks_uri: `${issuer}/jwks` } })
  for (const id of ['fresh', 'fresher']) await storage.records.take(PROVIDER, id)
  // Nobody is asked: the address is not public.
  const acme = { issuer: 'https://127.0.0.1:1', client_id: 'redmint' }
  const sealed = { client_secret_sealed: PLANTED.sealed_secret }
  await storage.records.put({ kind: PROVIDER, id: 'acme', hash: { ...acme, ...sealed } })
  await storage.records.put({
    kind: INITIAL_ACCESS_TOKEN,
    id: INITIAL_ACCESS_TOKEN_TAG + 'i'.repeat(43),
    hash: { uses_left: '1', created_at: '2026-01-01T00:00:00.000Z' },
  })
  const invitation = { secret_hash: PLANTED.registration, uses_left: 1, by: COMMAND, groups: [] }
  const times = { created_at: '2026-01-01T00:00:00.000Z', expires_at: '2100-01-01T00:00:00.000Z' }
  await storage.records.put(write(USER_INVITATION, 'i'.repeat(16), { ...invitation, ...times }, 60))
  const client = {
    ...CLIENTS.web,
    client_id: 'planted',
    client_secret_hash: PLANTED.secret_hash,
    old_secret_hash: PLANTED.old_secret_hash,
    old_secret_ends_at: '2100-01-01T00:00:00.000Z',
    registration_token_hash: PLANTED.registration,
    preview_hosts: ['preview.example.com'],
  }
  await storage.records.put({ kind: CLIENT, id: 'planted', hash: formatClient(client) })
  const preview = { client_id: `preview-${'p'.repeat(22)}`, ends: Date.parse(times.expires_at) }
  await storage.records.put(write(PREVIEWS_OF, 'planted', new Map([[PREVIEW_URI, preview]])))
  const text = JSON.stringify({ id: 'a-lockout', counter: 'sign_in_user', username: 'alice' })
  const lockout = { name: `sign-in:${'0'.repeat(64)}`, text }
  await storage.bounded.put('lockouts:user', [lockout], { ttl: 600_000, max: 5 })
  await setAccess(storage)
}

/** Stores a session, a grant and a consent of alice. */
async function setAccess(storage: Storage): Promise<void> {
  // All sessions of everybody end once a minute.
  await storage.records.take(
    { name: 'signal', format: Object, parse: () => ({ ok: true, record: {} }) },
    'sessions',
  )
  const [family, now] = ['grant-of-alice-1', Date.now()]
  const of_session = { amr: 'pwd', acr: '1', started_at: now, ends_at: now + 3_600_000 }
  const user = { username: 'alice', sub: 'sub-of-alice', auth_time: Math.floor(now / 1000) }
  const joined = { clients: new Set(['planted']), families: new Map() }
  await createSession(storage, PLANTED.session, { sid: 'a-session', ...user, ...of_session, ...joined }, 3600)
  const began = { username: 'alice', started_at: String(now) }
  await storage.families.grantOnce({
    token: `${family}.${PLANTED.token}`,
    is_jwt: false,
    single_uses: [],
    client_id: 'planted',
    scope: 'api.read',
    access_token_ttl: 600,
    user: {
      subject: 'sub-of-alice',
      fields: { ...began, sid: 'a-session', session_started_at: String(now) },
      lists: grantListings({ family, client_id: 'planted', ...began, started_at: now }, 600),
    },
  })
  await saveConsent(
    { storage, now: Date.now },
    { sub: 'sub-of-alice', client_id: 'planted', scope: 'openid' },
    60,
  )
}
