// The account page and what it leads to, for the gallery.

import { DETAIL_TYPE } from '../../src/details/detail-type.ts'
import { NO_FACTORS } from '../../src/factors/factors-record.ts'
import type { View } from '../../src/pages/layout.ts'
import { addressPage } from '../../src/self-service/pages/address.ts'
import { dataPage } from '../../src/self-service/pages/data.ts'
import { deletedPage, deletePage, signedOutPage } from '../../src/self-service/pages/ends.ts'
import { noticesPage } from '../../src/self-service/pages/notices.ts'
import { overviewPage } from '../../src/self-service/pages/overview.ts'
import type { OverviewProps } from '../../src/self-service/pages/own-account.ts'
import { passkeyRemovedPage, passkeysPage } from '../../src/self-service/pages/passkeys.ts'
import { passwordPage } from '../../src/self-service/pages/password.ts'
import { profilePage } from '../../src/self-service/pages/profile.ts'
import { providersPage } from '../../src/self-service/pages/providers.ts'
import { recoveryCodesPage, secondStepPage } from '../../src/self-service/pages/second-step.ts'
import type { User } from '../../src/users/user-record.ts'
import { PAYMENT, PAYMENT_SCHEMA } from './details.ts'

/** The time of the pages. */
export const KNOWN_AT = Date.UTC(2026, 10, 26, 12)
const NOW = KNOWN_AT
const HOUR = 3_600_000
const links = { base: '/account', csrf: 'a-csrf-token-of-32-characters-..' }
const user = {
  username: 'alice',
  sub: 'a-1',
  password_hash: '$argon2id$',
  claims: { name: 'Alice Liddell', email: 'alice@example.com', email_verified: 'true' },
  custom_claims: { department: 'Research' },
} as unknown as User
const factors = {
  ...NO_FACTORS,
  totp: { secret: '', created_at: NOW, last_step: 0, failures: 0 },
  recovery: { digests: ['a', 'b', 'c'], used: [], created_at: NOW },
}
const session = {
  sid: 'session-1',
  username: 'alice',
  sub: 'a-1',
  auth_time: 0,
  amr: 'pwd',
  acr: '1',
  started_at: NOW - 26 * HOUR,
  ends_at: NOW + HOUR,
  last_used_at: NOW - 120_000,
  browser: 'Firefox on Linux',
  address: '192.0.2.7',
  clients: new Set<string>(),
  families: new Map(),
}
const CODES = Array.from({ length: 10 }, (_, i) => `${i}BCDEF-GHJKMN-PQRSTV-WXYZ23`)
const begun = {
  begun: 'sealed',
  uri: 'otpauth://totp/redmint:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=redmint',
  key: 'JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP',
}
/** Passkeys of somebody. */
export const KNOWN_PASSKEYS = [
  { id: 'p1', name: '1Password', created_at: NOW - 72 * HOUR, last_used_at: NOW - HOUR, is_synced: true },
  {
    id: 'p2',
    name: 'Blue key',
    created_at: NOW - 720 * HOUR,
    is_synced: false,
    browser: 'Safari on macOS',
  },
]
const PROVIDERS = [
  { provider: 'google', name: 'Google', is_linked: true },
  { provider: 'acme', name: 'login.acme.example', is_linked: false },
]
const passkeys = {
  ...links,
  passkeys: KNOWN_PASSKEYS,
  options: { challenge: 'x' },
  signals: { rpId: 'auth.example.com' },
  script: '/oauth2/passkeys.js',
  now: NOW,
}
const notices = {
  ...links,
  browsers: [
    { id: 'a', browser: 'Firefox on Linux', added_at: NOW - 72 * HOUR },
    { id: 'b', added_at: NOW - HOUR },
  ],
  public_key: 'B'.repeat(87),
  script: '/oauth2/notices.js',
  worker: '/oauth2/notices-worker.js',
}
const profile = {
  ...links,
  fields: ['name', 'given_name', 'family_name', 'nickname', 'locale'],
  values: { name: 'Alice Liddell', locale: 'de' },
  locale: 'de',
  is_wrong: false,
} as const
/** A payment that was allowed. */
const payment = (amount: number, creditor: string) => {
  const text =
    '{"en":"Pay {amount} {currency} to {creditor}","de":"{amount} {currency} an {creditor} zahlen"}'
  const type = DETAIL_TYPE.parse(
    { schema: JSON.stringify(PAYMENT_SCHEMA), text, remember: 'true' },
    'payment',
  )
  if (!type.ok) throw new Error(JSON.stringify(type.problems))
  return { detail: { ...PAYMENT, amount, creditor, purpose: 'photo prints' }, type: type.record }
}
const overview: OverviewProps = {
  ...links,
  user,
  groups: ['staff'],
  changeable: ['name', 'locale'],
  factors,
  own_sid: 'session-1',
  sessions: [
    { id: '1', session, applications: ['Photo Album', 'wiki.example.com'] },
    { id: '2', session: { ...session, sid: 'session-2', browser: 'Chrome on Windows' }, applications: [] },
  ],
  applications: [
    {
      client_id: 'photos',
      client_name: 'Photo Album',
      scopes: ['openid', 'email'],
      details: [
        { ...payment(12.5, 'Merchant A'), is_live: true, is_remembered: false },
        { ...payment(3, 'Corner Shop'), is_live: false, is_remembered: true },
      ],
      since: NOW - 240 * HOUR,
      last_used_at: NOW - HOUR,
    },
  ],
  asks: [
    {
      client_name: 'Trip Planner',
      message: 'Ticket 4711',
      asked_at: NOW - HOUR / 60,
      address: '/asked?ask=abc',
    },
  ],
  muted: [{ client_id: 'games', client_name: 'Games' }],
  acting: [
    {
      client_id: 'planner',
      client_name: 'Trip Planner',
      places: [
        { api: 'Calendar', via: ['Photo Album'], details: [payment(12.5, 'Merchant A')] },
        { api: 'mail.example.com', via: ['Photo Album', 'Calendar'], details: [] },
      ],
    },
  ],
  support: [{ grant: 'g'.repeat(16), api: 'Billing', until: NOW + HOUR / 10 }],
  activities: [
    { event: 'password_changed', at: NOW - HOUR, by_operator: true },
    {
      event: 'sign_in_succeeded',
      at: NOW - 2 * HOUR,
      browser: 'Firefox on Linux',
      address: '192.0.2.7',
      client_id: 'photos',
      client_name: 'Photo Album',
    },
  ],
  scope_texts: new Map(),
  scope_claims: new Map(),
  has_mail: true,
  has_notices: true,
  has_second_step: true,
  has_passkeys: true,
  has_only_passkeys: false,
  has_passwords: true,
  providers: [
    { provider: 'google', name: 'Google', is_linked: true },
    { provider: 'acme', name: 'login.acme.example', is_linked: false },
  ],
  can_delete: true,
  change_password: '/account/password',
  now: NOW,
}

/** Somebody who was made with an address alone, where there is not much. */
const bare: OverviewProps = {
  ...overview,
  user: {
    username: 'bob',
    sub: 'b-1',
    claims: { email: 'bob@example.com' },
    custom_claims: {},
  } as unknown as User,
  ...{ groups: [], changeable: [], factors: NO_FACTORS, applications: [], activities: [], providers: [] },
  ...{ has_mail: false, has_notices: false, has_second_step: false, has_passkeys: false, can_delete: false },
}

/** The pages by their names. */
export const ACCOUNT_PAGES: Readonly<Record<string, (view: View) => string>> = {
  account: (view) => overviewPage(overview, view),
  'account-done': (view) => overviewPage({ ...overview, done: 'password', factors: NO_FACTORS }, view),
  'account-data': (view) => dataPage({ ...overview, base: '/account', notices: notices.browsers }, view),
  'account-bare': (view) => overviewPage(bare, view),
  'account-pending': (view) => overviewPage({ ...overview, pending: 'alice@example.org' }, view),
  'account-address': (view) => addressPage({ ...links, email: '' }, view),
  'account-address-pending': (view) =>
    addressPage({ ...links, email: 'alice@', pending: 'alice@example.org', problem: 'form' }, view),
  'account-profile': (view) => profilePage(profile, view),
  'account-profile-wrong': (view) => profilePage({ ...profile, is_wrong: true }, view),
  'account-profile-elsewhere': (view) => profilePage({ ...profile, fields: [] }, view),
  'account-password': (view) => passwordPage({ ...links, username: 'alice', min_length: 15 }, view),
  'account-password-short': (view) =>
    passwordPage({ ...links, username: 'alice', min_length: 15, problem: 'short' }, view),
  'account-second-step': (view) => secondStepPage({ ...links, factors, begun, has_failed: false }, view),
  'account-second-step-set-up': (view) =>
    secondStepPage({ ...links, factors: NO_FACTORS, begun, has_failed: true }, view),
  'account-codes': (view) =>
    recoveryCodesPage({ codes: CODES, sealed: 'sealed', file: '/sent' }, links, view),
  'account-passkeys': (view) => passkeysPage(passkeys, view),
  'account-passkey-last': (view) => passkeysPage({ ...passkeys, problem: 'last' }, view),
  'account-providers': (view) => providersPage({ ...links, providers: PROVIDERS }, view),
  'account-provider-last': (view) => providersPage({ ...links, providers: PROVIDERS, problem: 'last' }, view),
  'account-passkey-removed': (view) => passkeyRemovedPage(passkeys, view),
  'account-notices': (view) => noticesPage(notices, view),
  'account-notices-none': (view) => noticesPage({ ...notices, browsers: [] }, view),
  'account-delete': (view) => deletePage(links, false, view),
  'account-delete-operator': (view) => deletePage(links, true, view),
  'account-deleted': (view) => deletedPage(view),
  'account-signed-out': (view) => signedOutPage('/account', view),
}
