import type { BrowserContext } from 'playwright-core'
import { HOUR, HOURS_KEPT } from '../src/admin/day/day-counter.ts'
import { formatCounts, noCounts } from '../src/admin/day/hour-counts.ts'
import { LastOutcomes } from '../src/core/last-outcomes.ts'
import { SILENT } from '../src/core/log.ts'
import { DEMO_ADMIN, DEMO_APP } from '../src/demo/demo-clients.ts'
import { DEMO_PASSWORD, DEMO_PASSWORD_HASH } from '../src/demo/demo-user.ts'
import { OutcomeKeeper } from '../src/service/outcome-keeper.ts'
import type { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { startBrowser } from '../test/support/browser.ts'
import { changeUser } from '../test/support/records.ts'

/** Where the pictures of the console are taken. */
export interface Scene {
  readonly issuer: string
  readonly storage: MemoryStorage
  readonly browser: Awaited<ReturnType<typeof startBrowser>>
}

const PEOPLE = [
  ['ada', 'Ada Lovelace', ['engineering', 'staff']],
  ['grace', 'Grace Hopper', ['engineering', 'staff']],
  ['katherine', 'Katherine Johnson', ['finance', 'staff']],
  ['mary', 'Mary Jackson', []],
] as const

/** What operators made: by the path of the admin API. */
const RECORDS: readonly (readonly [path: string, body: object])[] = [
  ...PEOPLE.map(([username, name, groups]): [string, object] => [
    '/users',
    {
      username,
      claims: { name, email: `${username}@example.com`, email_verified: true, groups: [...groups] },
    },
  ]),
  [
    '/clients',
    {
      client_id: 'shop',
      client_name: 'Shop',
      redirect_uris: ['https://shop.example.com/callback'],
      allowed_scopes: ['openid', 'profile', 'email'],
    },
  ],
  [
    '/clients',
    {
      client_id: 'payroll',
      client_name: 'Payroll',
      redirect_uris: ['https://payroll.example.com/callback'],
      allowed_scopes: ['openid', 'email'],
      allowed_groups: ['finance'],
      required_acr: ['2'],
    },
  ],
  [
    '/providers',
    {
      provider: 'google',
      kind: 'google',
      issuer: 'https://accounts.google.com',
      client_id: 'acme-at-google',
    },
  ],
  [
    '/providers',
    { provider: 'github', kind: 'github', issuer: 'https://github.com', client_id: 'acme-at-github' },
  ],
  [
    '/resources',
    {
      resource: 'https://orders.example.com',
      resource_name: 'Orders',
      scopes: ['orders.read', 'orders.write'],
    },
  ],
  [
    '/issuers',
    {
      issuer: 'https://token.actions.githubusercontent.com',
      jwks_uri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
    },
  ],
  ['/invitations', { email: 'dorothy@example.com', groups: ['engineering'] }],
  ['/invitations', { groups: ['staff'], uses: 20, days: 14 }],
]

/** Browsers that people use. */
const AGENTS = {
  ada: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  katherine: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Makes what there is to see. Returns an access token that somebody got. */
export async function setScene(scene: Scene): Promise<string> {
  const { storage } = scene
  const call = await asOperator(scene)
  for (const [path, body] of RECORDS) await call(path, body)
  for (const [username] of PEOPLE)
    await changeUser(storage, username, { set: { password_hash: DEMO_PASSWORD_HASH } })
  await call('/users/mary/disable')
  await countDay(storage)
  await noteProviders(storage)
  await refuseSome(scene)
  await signInAt(scene, 'katherine', AGENTS.katherine)
  return signInAt(scene, 'ada', AGENTS.ada)
}

/** Presents a browser as that of a person: without a window it names none. */
export const asPerson = (context: BrowserContext) => context.setExtraHTTPHeaders({ 'user-agent': CHROME })

async function asOperator({ issuer }: Scene) {
  const api = `${issuer}/admin/v1`
  const { client_id, client_secret } = DEMO_ADMIN
  const form = { grant_type: 'client_credentials', client_id, client_secret, resource: api }
  const answer = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await answer.json()) as { access_token: string }
  return async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(api + path, { method: 'POST', headers, ...sent })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  }
}

/** Numbers of a day with its morning and evening. */
async function countDay({ bounded }: MemoryStorage): Promise<void> {
  const present = Math.floor(Date.now() / HOUR)
  for (let ago = 1; ago < HOURS_KEPT; ago++) {
    const hour = present - ago
    const busy = Math.round(60 + 50 * Math.sin((((hour % 24) - 6) / 24) * 2 * Math.PI))
    const counts = noCounts()
    Object.assign(counts.sign_ins, { succeeded: busy, failed: Math.round(busy / 12) })
    Object.assign(counts.refused, { redirect_uri_unregistered: ago % 5, code_unknown: Math.round(busy / 30) })
    counts.times.splice(0, 6, busy * 3, busy * 12, busy * 4, busy, Math.round(busy / 4), ago % 3)
    const bounds = { ttl: (HOURS_KEPT - ago) * HOUR, max: HOURS_KEPT }
    await bounded.put('day-counts', [{ name: `${hour}.one`, text: formatCounts(counts) }], bounds)
  }
}

async function noteProviders(storage: MemoryStorage): Promise<void> {
  const outcomes = new LastOutcomes()
  outcomes.succeeded({ party: 'provider', name: 'google' }, Date.now() - 4 * 60_000)
  outcomes.succeeded({ party: 'provider', name: 'github' }, Date.now() - 26 * HOUR)
  const fault = { party: 'provider', name: 'github', step: 'token', code: 'invalid_client' } as const
  outcomes.failed(fault, Date.now() - 2 * HOUR)
  await new OutcomeKeeper({ storage, outcomes, log: SILENT }).close()
}

/** Requests with likely mistakes. */
async function refuseSome({ issuer }: Scene): Promise<void> {
  const { client_id, redirect_uri } = DEMO_APP
  const asked = { response_type: 'code', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
  for (const mistake of [
    { client_id, redirect_uri: `${redirect_uri}/` },
    { client_id: 'shop', redirect_uri: 'https://shop.example.com/calback' },
    { client_id: 'shop', redirect_uri: 'https://shop.example.com/callback', scope: 'openid phone' },
  ]) {
    const query = new URLSearchParams({ ...asked, ...mistake })
    await fetch(`${issuer}/oauth2/authorize?${query}`, { redirect: 'manual' })
  }
}

/** Somebody signs in at the page of the demo; returns the access token that it got. */
async function signInAt({ issuer, browser }: Scene, username: string, agent: string): Promise<string> {
  const { context, page } = await browser.welcome()
  await context.setExtraHTTPHeaders({ 'user-agent': agent })
  await page.goto(`${issuer}/demo/sign-in`)
  await page.fill('input[name=username]', username)
  await page.fill('input[name=password]', DEMO_PASSWORD)
  await page.click('button.main')
  await page.click('button[value=allow]')
  await page.waitForURL(({ pathname }) => pathname.startsWith('/demo'))
  const token = await page
    .getByText(/^[\w-]{16}\.[\w-]{43}$/)
    .first()
    .textContent()
  await context.close()
  return token?.trim() ?? ''
}
