// A service with the console, and operators who are signed in there.

import type { Test } from 'tap'
import type { AuditEntry } from '../../../src/audit/entry.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { adminCalls, createAdministrator } from '../admin.ts'
import { listUsers } from '../records.ts'
import type { TestOptions } from '../service.ts'
import { asPage, type Visitor } from '../visitor.ts'
import { signInOn, startWithPeople } from './requests.ts'

/** Starts a service with the console; closed with the test. Its users are ada, who may do everything, and ben, who reads. */
export async function startConsole(t: Test, options: TestOptions = {}) {
  const service = await startWithPeople(t, { admin_api: 'on', console: 'on', audit: 'on', ...options })
  await createAdministrator(service.storage, 'ada', 'redmint:read redmint:write')
  await createAdministrator(service.storage, 'ben', 'redmint:read')
  /** Signs a browser in at the console, and returns it. */
  const signIn = async (username = 'ada', path = '/console'): Promise<Visitor> => {
    const visitor = service.visitor()
    const login = await visitor.page(path)
    asPage(await signInOn(visitor, login, username))
    return visitor
  }
  const { call, tokenOf } = adminCalls(service)
  /** The live grants of a user, as the admin API lists them. */
  const grantsOf = async (username: string) =>
    (await call('GET', `/users/${username}/grants`, { token: await tokenOf('redmint:read') })).json.items
  /** Moves the clock forward by seconds; keys that were not read for so long would count for nothing. */
  const pass = async (seconds: number) => {
    service.pass(seconds)
    await service.fastify.redmint.keys.reload()
  }
  /** The entries of the audit trail, the newest first. */
  const trail = async () =>
    (await call('GET', '/events', { token: await tokenOf('redmint:read') })).json
      .items as readonly AuditEntry[]
  return { ...service, signIn, grantsOf, pass, trail, tokenOf }
}

/** Makes the indexes of users that a hand wrote, as servers do soon: entries of the trail name people by them. */
export async function indexUsers(storage: Storage): Promise<void> {
  for await (const { username, hash } of listUsers(storage)) await indexUser(storage, username, hash)
}

/** The cookie of a browser for its session at the console; undefined: it has none. */
export const operatorCookie = ({ cookies }: Visitor) => cookies.get('__Secure-redmint-console')

/** Records of each kind that the pages show. */
export async function withRecords(storage: Storage): Promise<void> {
  for (const [kind, id, hash] of [
    ['provider', 'google', { kind: 'google', client_id: 'ours' }],
    ['resource', 'https://api.example.com', { scopes: 'api.read' }],
    ['issuer', 'https://ci.example.com', { jwks_uri: 'https://ci.example.com/keys' }],
  ] as const)
    await storage.records.put({ kind: { name: kind, listed: true }, id, hash })
}

/** The address of a page or an action, with records that are there in place of its parameters. */
export const placeOf = (path: string): string =>
  `/console${path}`.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(EXAMPLES[name] ?? 'x'))

const EXAMPLES: Readonly<Record<string, string>> = {
  username: 'alice',
  client_id: 'web',
  provider: 'google',
  resource: 'https://api.example.com',
  issuer: 'https://ci.example.com',
}
