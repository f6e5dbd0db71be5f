// As many people and applications as a company has: what pages and tasks are measured with. All is written through storage.

import { entryText } from '../../../src/audit/entry.ts'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { type ClientDefinition, formatClient } from '../../../src/clients/record/client-record.ts'
import { DEVICE_CODE } from '../../../src/clients/record/grant-types.ts'
import type { Origin } from '../../../src/core/audit-entries.ts'
import type { SecurityEvent } from '../../../src/core/events.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { FACTORS, formatFactors, type Passkey } from '../../../src/factors/factors-record.ts'
import { CONSENT, consentId } from '../../../src/interaction/consent.ts'
import { ISSUER as TRUSTED } from '../../../src/issuers/issuer-kind.ts'
import { PROVIDER } from '../../../src/providers/provider-record.ts'
import { USER_INVITATION } from '../../../src/self-service/invitation.ts'
import { NEWEST } from '../../../src/sessions/newest-sessions.ts'
import type { SessionRecord } from '../../../src/sessions/session-record.ts'
import { createSession, sessionListings } from '../../../src/sessions/session-store.ts'
import { noteFitted } from '../../../src/storage/indexes.ts'
import type { Kind } from '../../../src/storage/records.ts'
import { write } from '../../../src/storage/records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { userRecord } from '../accounts.ts'

/** How many there are in all, with those who were there before. */
export const MANY = { people: 503, applications: 64 } as const

/** Names in several scripts; the second is what usernames and addresses are made of. */
const FIRST = [
  ['Anna', 'anna'],
  ['Gustavo', 'gustavo'],
  ['Søren', 'soren'],
  ['Zoë', 'zoe'],
  ['Łukasz', 'lukasz'],
  ['Мария', 'maria'],
  ['Δημήτρης', 'dimitris'],
  ['فاطمة', 'fatima'],
  ['נועה', 'noa'],
  ['さくら', 'sakura'],
  ['伟', 'wei'],
  ['Priya', 'priya'],
  ['María José', 'maria.jose'],
  ['Thị Hương', 'huong'],
  ['Jean-Baptiste', 'jean-baptiste'],
] as const
const LAST = [
  ['Kowalski', 'kowalski'],
  ['García Márquez', 'garcia'],
  ['Ångström', 'angstrom'],
  ['Иванова', 'ivanova'],
  ['Παπαδόπουλος', 'papadopoulos'],
  ['الحسن', 'alhassan'],
  ['כהן', 'cohen'],
  ['田中', 'tanaka'],
  ['王', 'wang'],
  ['Nguyễn', 'nguyen'],
  ['Müller-Lüdenscheidt', 'mueller'],
  ["O'Brien", 'obrien'],
  ['van der Berg', 'vanderberg'],
] as const
const GROUPS = ['staff', 'finance', 'engineering', 'support', 'legal', 'interns', 'Geschäftsführung'] as const
const BROWSERS = ['Firefox on Linux', 'Safari on macOS', 'Chrome on Windows', 'Safari on iPhone'] as const
const DAY = 86_400_000
const APPLICATIONS = [
  ...[
    'Orders desk',
    'Intranet',
    'Payroll',
    'Time sheets',
    'Photo archive',
    'Help desk',
    'Travel',
    'Invoices',
  ],
  ...['Warehouse', 'Library', 'Übersetzungen', 'カレンダー', 'Customer portal', 'Build server'],
] as const

interface Member {
  readonly username: string
  readonly sub: string
  readonly hash: Hash
}

function memberOf(i: number): Member & { readonly claims: Hash } {
  const [first, one] = FIRST[i % FIRST.length] ?? FIRST[0]
  const [last, other] = LAST[Math.floor(i / FIRST.length) % LAST.length] ?? LAST[0]
  const round = Math.floor(i / (FIRST.length * LAST.length))
  const username = `${one}.${other}${round === 0 ? '' : round + 1}`
  const groups = GROUPS.filter((_, at) => i % (at + 2) === 0)
  const claims = {
    name: `${first} ${last}`,
    // Some have no address, as who was made from a directory.
    ...(i % 17 !== 0 && { email: `${username}@example.com`, email_verified: String(i % 11 !== 0) }),
    ...(groups.length > 0 && { 'claim:groups': JSON.stringify(groups) }),
    ...(i % 40 === 7 && { disabled: 'true' }),
    ...(i % 60 === 9 && { second_factor: 'required' }),
  }
  return { username, sub: `${i}`.padStart(22, 'subject-of-a-member-'), claims, hash: {} }
}

function applicationOf(i: number): ClientDefinition {
  const name = APPLICATIONS[i % APPLICATIONS.length] ?? 'Orders desk'
  const round = Math.floor(i / APPLICATIONS.length)
  const client_id = `${
    name
      .normalize('NFKD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase() || 'calendar'
  }${round === 0 ? '' : `-${round + 1}`}`
  const client_name = round === 0 ? name : `${name} ${round + 1}`
  const common = {
    ...{ client_id, client_name, disabled: i % 23 === 5 },
    allowed_scopes: ['openid', 'profile', 'email', ...(i % 4 === 0 ? ['offline_access', 'orders.read'] : [])],
    redirect_uris: [`https://${client_id}.example.com/callback`],
    ...(i % 5 === 1 && { allowed_groups: ['staff', 'finance'] }),
    ...(i % 9 === 2 && { required_acr: ['2'] }),
  }
  const secret = { is_public: false, client_secret_hash: Buffer.alloc(32, i).toString('base64') } as const
  switch (i % 8) {
    case 3:
      return { ...common, is_public: true, grant_types: ['authorization_code'] }
    case 5:
      return {
        ...{ ...common, is_public: true, application_type: 'native', grant_types: ['authorization_code'] },
        redirect_uris: ['http://127.0.0.1/callback'],
      }
    case 6:
      return { ...common, ...secret, grant_types: ['client_credentials'], redirect_uris: [] }
    case 7:
      return { ...common, is_public: true, grant_types: [DEVICE_CODE], redirect_uris: [] }
    default:
      return { ...common, ...secret, grant_types: ['authorization_code', 'refresh_token'] }
  }
}

const PASSKEY: Passkey = {
  ...{ name: 'iCloud Keychain', public_key: 'A'.repeat(103), counter: 0, transports: ['internal'] },
  ...{ backup_eligible: true, backed_up: true, user_verified: true },
  aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
  created_at: Date.UTC(2026, 0, 1),
}

/**
 * Adds people, applications and what belongs to them, until there are as many as in MANY with those that are listed already:
 * sessions, passkeys, consents, groups, invitations, providers, APIs, trusted issuers, and a trail of events.
 * @param now milliseconds since 1970
 */
export async function storeCrowd(storage: Storage, now = Date.now()): Promise<readonly Member[]> {
  const [people, clients] = await Promise.all(
    [USER, CLIENT].map(async (kind) => (await storage.records.page(kind, { limit: 1000 })).items),
  )
  for (const { id } of people ?? []) await indexUser(storage, id)
  const members = await Promise.all(
    Array.from({ length: MANY.people - (people?.length ?? 0) }, (_, i) => storeMember(storage, i, now)),
  )
  const given = Array.from({ length: MANY.applications - (clients?.length ?? 0) }, (_, i) => applicationOf(i))
  await Promise.all(
    given.map((client) =>
      storage.records.put({ kind: CLIENT, id: client.client_id, hash: formatClient(client) }),
    ),
  )
  await Promise.all([
    storeInvitations(storage, now),
    storeConnections(storage),
    storeEvents(storage, members, now),
  ])
  // All is in its lists, so no page says that some may be missing.
  await noteFitted(storage, now)
  return members
}

async function storeMember(storage: Storage, i: number, now: number): Promise<Member> {
  const { username, sub, claims } = memberOf(i)
  const hash = { ...(await userRecord(sub, claims)) }
  // Some never chose a password.
  if (i % 19 === 3) delete (hash as Record<string, string>).password_hash
  await storage.records.put({ kind: USER, id: username, hash })
  await indexUser(storage, username)
  if (i % 3 === 0) await storeFactors(storage, username, i)
  if (i % 4 === 0) await storeSession(storage, { username, sub }, i, now)
  if (i % 6 === 0) {
    const [client_id, until] = ['shop', now + 90 * DAY]
    const record = { scope: 'openid profile email', given_at: new Date(now - i * 60_000).toISOString() }
    const listing = { list: 'consents-of', owner: sub, id: client_id, until } as const
    await storage.records.put(
      write(CONSENT, consentId(sub, client_id), record, (until - now) / 1000, [listing]),
    )
  }
  return { username, sub, hash }
}

async function storeFactors(storage: Storage, username: string, i: number): Promise<void> {
  const passkeys = new Map([[Buffer.from(username).toString('base64url'), PASSKEY]])
  const totp = { secret: 'sealed', created_at: PASSKEY.created_at, last_step: 1, failures: 0 }
  const hash = formatFactors({ generation: 1, passkeys, ...(i % 6 === 0 && { totp }) })
  await storage.records.put({ kind: FACTORS, id: username, hash })
}

async function storeSession(storage: Storage, of: { username: string; sub: string }, i: number, now: number) {
  const id = `s${i}`.padStart(43, 'session-of-a-member-')
  const started_at = now - i * 400_000
  const session: SessionRecord = {
    ...{
      ...of,
      sid: `sid-${i}`.padStart(22, 'x'),
      amr: i % 8 === 0 ? 'pwd otp mfa' : 'pwd',
      acr: i % 8 === 0 ? '2' : '1',
    },
    ...{ auth_time: Math.floor(started_at / 1000), started_at, last_used_at: started_at },
    ends_at: started_at + 14 * DAY,
    ...{ browser: BROWSERS[i % BROWSERS.length] ?? '', address: `203.0.113.${i % 250}` },
    ...{ clients: new Set(['shop', 'wiki'].slice(0, 1 + (i % 2))), families: new Map() },
  }
  await createSession(storage, id, session, 14 * 86_400)
  await storage.lists.add(...sessionListings(id, session), { ...NEWEST, id, until: session.ends_at })
}

async function storeInvitations(storage: Storage, now: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 12 }, (_, i) => {
      const ends = now + (i - 1) * DAY + 3_600_000
      return storage.records.put(
        write(
          USER_INVITATION,
          `${i}`.padStart(16, 'abcdef0123456789'),
          {
            secret_hash: 'x'.repeat(43),
            uses_left: i % 2 === 0 ? 1 : i % 5 === 4 ? 0 : 1 + i,
            created_at: new Date(now - i * DAY).toISOString(),
            expires_at: new Date(ends).toISOString(),
            by: { kind: 'user', id: 'ada' },
            groups: GROUPS.slice(0, i % 3),
            ...(i % 2 === 0 && { email: `guest${i}@example.net` }),
            ...(i % 3 === 0 && { client: 'shop' }),
          },
          30 * 86_400,
        ),
      )
    }),
  )
}

async function storeConnections(storage: Storage): Promise<void> {
  const put = (kind: Kind<never>, id: string, hash: Hash) => storage.records.put({ kind, id, hash })
  const api = { name: 'resource', listed: true } as Kind<never>
  await put(PROVIDER as Kind<never>, 'google', {
    kind: 'google',
    client_id: 'acme-at-google',
    issuer: 'https://accounts.google.com',
  })
  await put(PROVIDER as Kind<never>, 'partner', {
    ...{ kind: 'oidc', name: 'Partner GmbH', client_id: 'acme', issuer: 'https://login.partner.example' },
  })
  await put(api, 'https://orders.example.com', {
    resource_name: 'Orders',
    scopes: 'orders.read orders.write',
  })
  await put(api, 'https://billing.example.com', { resource_name: 'Billing', scopes: 'billing.read' })
  await put(TRUSTED as Kind<never>, 'https://ci.example.com', { jwks_uri: 'https://ci.example.com/keys' })
}

async function storeEvents(storage: Storage, members: readonly Member[], now: number): Promise<void> {
  const operator: Origin = {
    ...{ channel: 'console', address: '198.51.100.7', request_id: 'a-request-of-an-operator' },
    actor: { kind: 'operator', id: 'sub-of-ada', via: 'console', client_id: 'redmint-console' },
  }
  const entries = members.slice(0, 120).flatMap(({ username, sub }, i) => {
    const at = now - (120 - i) * 1_200_000
    const told = (event: SecurityEvent, origin: Origin) => ({ text: entryText(event, sub, {}, origin, at) })
    const signed_in = {
      event: 'sign_in_succeeded',
      username,
      sub,
      method: 'password',
      amr: 'pwd',
      client_id: 'shop',
    }
    return [
      told(signed_in as SecurityEvent, { channel: 'page', address: `203.0.113.${i}` }),
      ...(i % 9 === 0 ? [told({ event: 'user_disabled', username } as SecurityEvent, operator)] : []),
    ]
  })
  await storage.trail.append('a crowd', { entries, ttl: 90 * 86_400 })
}
