// Operators, at the console and by the admin API.

import type { AuditEntry } from '../../../src/audit/entry.ts'
import { ACT_AS } from '../../../src/core/admin-scopes.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { adminCalls, createAdministrator } from '../admin.ts'
import { PAYMENT_SCHEMA } from '../details.ts'
import { listUsers } from '../records.ts'
import type { TestOptions } from '../service.ts'
import { asPage, type Page, type Visitor } from '../visitor.ts'
import { signInOn } from './requests.ts'
import type { Stage } from './stage.ts'

export const CONSOLE: TestOptions = { admin_api: 'on', console: 'on', audit: 'on' }

/** Stores ada, who may do everything, and ben, who reads. */
export async function storeOperators(storage: Storage): Promise<void> {
  await createAdministrator(storage, 'ada', `redmint:read redmint:write ${ACT_AS}`)
  await createAdministrator(storage, 'ben', 'redmint:read')
}

export function operatorSteps(stage: Stage) {
  const { call, tokenOf, tokenFor } = adminCalls(stage)
  const read = async (path: string) =>
    (await call('GET', path, { token: await tokenOf('redmint:read') })).json.items
  return {
    call,
    tokenOf,
    tokenFor,
    /** Signs a browser in at the console, and returns it. */
    async operator(username = 'ada', path = '/console'): Promise<Visitor> {
      const browser = stage.visitor()
      asPage(await signInOn(browser, await browser.page(path), username))
      return browser
    },
    /** The live grants of a user, as the admin API lists them. */
    grantsOf: async (username: string) => read(`/users/${username}/grants`),
    /** The entries of the audit trail, the newest first. */
    trail: async () => (await read('/events')) as readonly AuditEntry[],
  }
}

/** Makes the indexes of users that a hand wrote, as servers do soon: entries of the trail name people by them. */
export async function indexUsers(storage: Storage): Promise<void> {
  for await (const { username, hash } of listUsers(storage)) await indexUser(storage, username, hash)
}

/** What binds the forms that every page of the console has, such as its search box, to the session. */
export const tokenOfPage = ({ text }: Page): string => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

/** The cookie of a browser for its session at the console; undefined: it has none. */
export const operatorCookie = ({ cookies }: Visitor) => cookies.get('__Secure-redmint-console')

/** Records of each kind that the pages show: kind, id and fields. */
export const SHOWN_RECORDS: readonly [kind: string, id: string, hash: Readonly<Record<string, string>>][] = [
  ['provider', 'google', { kind: 'google', client_id: 'ours' }],
  ['resource', 'https://api.example.com', { scopes: 'api.read' }],
  ['detail-type', 'payment', { schema: JSON.stringify(PAYMENT_SCHEMA), text: '{"en":"Pay {amount}"}' }],
  ['issuer', 'https://ci.example.com', { jwks_uri: 'https://ci.example.com/keys' }],
  [
    'application',
    'https://other.example.com',
    { clients: 'web', resources: 'https://api.other.example.com' },
  ],
]

/** What alice granted to an application, by its id. */
export const SHOWN_GRANT = 'a-grant-of-alice'
export const GRANTED = { username: 'alice', auth_time: '1', started_at: '1' } as const

/** Stores what the pages show. */
export async function withRecords(storage: Storage): Promise<void> {
  for (const [kind, id, hash] of SHOWN_RECORDS)
    await storage.records.put({ kind: { name: kind, listed: true }, id, hash })
  await storage.families.grantOnce({
    ...{ token: `${SHOWN_GRANT}.${'s'.repeat(43)}`, is_jwt: false, single_uses: [], access_token_ttl: 600 },
    ...{ client_id: 'web', scope: 'api.read' },
    user: { subject: 'sub-of-alice', fields: GRANTED },
  })
}

/** The address of a page or an action, with records that are there in place of its parameters. */
export const placeOf = (path: string): string =>
  `/console${path}`.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(EXAMPLES[name] ?? 'x'))

const EXAMPLES: Readonly<Record<string, string>> = {
  username: 'alice',
  client_id: 'web',
  provider: 'google',
  resource: 'https://api.example.com',
  detail_type: 'payment',
  issuer: 'https://ci.example.com',
  application: 'https://other.example.com',
  grant: SHOWN_GRANT,
}

/** The values of the fields that a form shows. */
export function fieldsOf({ text }: Page): Record<string, string> {
  const plain = (value: string) =>
    value
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
  const inputs = [...text.matchAll(/<input id="f-[^"]*" name="([^"]*)" type="[^"]*" value="([^"]*)"/g)]
  const areas = [...text.matchAll(/<textarea id="f-[^"]*" name="([^"]*)"[^>]*>\n([^<]*)<\/textarea>/g)]
  const selects = [...text.matchAll(/<select id="f-[^"]*" name="([^"]*)"[\s\S]*?<\/select>/g)].map(
    ([all, name]) => [all, name, /<option value="([^"]*)" selected>/.exec(all)?.[1] ?? ''],
  )
  const boxes = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(
    /<input type="checkbox" name="([^"]*)\[\]" value="([^"]*)" checked>/g,
  ))
    boxes.set(name, boxes.has(name) ? `${boxes.get(name)}\n${value}` : value)
  const radios = text.matchAll(/<input type="radio" name="([^"]*)" value="([^"]*)" checked>/g)
  const chosen = [...radios].map(([, name, value]) => ['', name, value])
  // A browser sends line ends as CR LF.
  return Object.fromEntries(
    [...inputs, ...areas, ...selects, ...[...boxes].map((one) => ['', ...one]), ...chosen].map(
      ([, name = '', value = '']) => [name, plain(value).replaceAll('\n', '\r\n')],
    ),
  )
}
