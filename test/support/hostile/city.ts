// Two replicas on one Redis behind a proxy, with people, an operator and clients: what they get, round after round.

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { addPasskey, creationOptions } from '../../../src/factors/passkeys/create-passkey.ts'
import { beginTotp, confirmTotp } from '../../../src/factors/totp.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { CHEAP, storeUsers, userRecord } from '../accounts.ts'
import { adminCalls } from '../admin.ts'
import { appCode } from '../authenticator.ts'
import { storeDevices } from '../device.ts'
import { BROWSER, optionsOn } from '../factors/passkeys/owners.ts'
import { behindProxy } from '../forward-auth.ts'
import { federate, leave, type Person, signInThere } from '../providers/federation.ts'
import { createClient, createUser } from '../records.ts'
import type { RedisServer } from '../redis-server.ts'
import { redisStorage } from '../redis-storage.ts'
import { requestUrl, signInOn, visitorOf } from '../scene/requests.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  callers,
  codeRequest,
  ISSUER,
  startService,
  type TestOptions,
} from '../service.ts'
import { startSmtp } from '../smtp.ts'
import { SoftwarePasskey } from '../software-authenticator.ts'
import { until } from '../until.ts'
import { asPage, type Departure, type Page, type Visitor } from '../visitor.ts'

const STEP = 30
const AGAIN = requestUrl({ client_id: 'own', prompt: 'login' })

/** Whose names strangers know: people who sign in by a password, with an app, and one whom all of them guess at. */
export const KNOWN_NAMES = { password: 'alice', app: 'bob', guessed: 'vic', thug: 'thug' } as const

const settings = {
  ...CHEAP,
  demo: false,
  trusted_proxies: ['127.0.0.1'],
  client_auth_failures: 10,
  sign_in: 'providers',
  sign_up: 'open',
  mail_from: 'Example <login@example.com>',
  admin_api: 'on',
  audit: 'on',
  // Little room, so that it is full soon.
  audit_max: 1000,
  explain_max: 200,
  device_requests: 5,
  par_requests: 5,
  explain: { delay: 100 },
  forward_auth_clients: ['intranet'],
} as const satisfies TestOptions

/** What became of a sign-in. */
const outcomeOf = (found: Page | Departure) =>
  'location' in found && found.told.has('code')
    ? 'ok'
    : JSON.stringify([found.status, 'title' in found && found.title])

export async function startCity(t: Test, server: RedisServer) {
  const smtp = await startSmtp(t)
  const open = () => {
    const storage = redisStorage(t, server)
    return storage
  }
  const mail = { smtp_url: `smtp://localhost:${smtp.port}`, mail: { ca: smtp.ca, timing: { poll: 1 } } }
  const record = { creates_users: true, name: 'Acme' }
  const one = await federate(t, record, { ...settings, ...mail, storage: open() })
  const { storage, redmint } = one
  const other = await startService(t, {
    ...settings,
    ...mail,
    provider_fetch: one.fetch,
    now: redmint.now,
    storage: open(),
  })
  const replicas = [one.fastify, other.fastify] as const
  let turns = 0
  /** The replica whose turn it is. */
  const next = (): FastifyInstance => replicas[turns++ % 2 === 0 ? 0 : 1]
  const browserAt = (address: string): Visitor => {
    const visitor = visitorOf(next)
    visitor.headers['x-forwarded-for'] = address
    return visitor
  }
  await storeDevices(storage)
  await createClient(storage, 'intranet', formatClient(behindProxy('https://intranet.example.org')))
  await one.upstream.setFields('alice', { email: 'ann@example.org' })
  await storeUsers(storage)
  const settle = async (username: string) => {
    await createUser(storage, username, {
      ...(await userRecord(`sub-of-${username}`)),
      email: `${username}@example.org`,
      email_verified: 'true',
    })
    await indexUser(storage, username)
  }
  for (const username of ['ben', 'carol', 'vic', 'thug']) await settle(username)

  /** When the apps show the codes of a round, and the step of it. */
  let used = 0
  let at = 0
  const passStep = () => {
    const step = () => Math.floor(redmint.now() / (STEP * 1000))
    while (step() <= used) for (const { pass } of [one, one.upstream]) pass(STEP)
    used = step()
    at = redmint.now()
  }
  const appOf = async (username: string) => {
    const { begun, key } = await beginTotp(redmint, username)
    await confirmTotp(redmint, username, begun, appCode(key, redmint.now() - STEP * 1000))
    return key
  }
  const keys = { bob: await appOf('bob'), ben: await appOf('ben'), thug: await appOf('thug') }
  const carol = await readAccount(redmint, 'carol')
  const passkey = new SoftwarePasskey(ISSUER)
  if (carol === undefined) throw new Error('carol')
  const creation = passkey.create((await creationOptions(redmint, carol, BROWSER)) ?? {})
  await addPasskey(redmint, carol, creation, BROWSER)

  let addresses = 0
  /** An address that nobody used before. */
  const elsewhere = () => `198.18.${Math.floor(++addresses / 250)}.${addresses % 250}`
  const byPassword = async (browser: Visitor, username: string) =>
    signInOn(browser, await browser.page(AGAIN), username)
  const byApp = async (browser: Visitor, username: 'bob' | 'ben') => {
    const page = asPage(await byPassword(browser, username))
    return browser.submit(page, { code: appCode(keys[username], at) })
  }
  const byPasskey = async (browser: Visitor) => {
    const page = await browser.page(AGAIN)
    return browser.submit(page, { method: 'passkey', credential: passkey.get(optionsOn(page)) })
  }
  const byProvider = async (person: Person) =>
    person.here.open(await signInThere(person, await leave(person, 'acme', AGAIN)))
  const personAt = (address: string): Person => ({ ...one.person(), here: browserAt(address) })
  const homes = {
    alice: browserAt('198.51.100.1'),
    // Of two sign-ins at once in one browser, one may have to be made again.
    phone: browserAt('198.51.100.6'),
    bob: browserAt('198.51.100.2'),
    carol: browserAt('198.51.100.3'),
    vic: browserAt('198.51.100.4'),
    dora: personAt('198.51.100.5'),
  }
  // The first sign-in makes the account.
  await byProvider(homes.dora)
  const operator = adminCalls(one)
  const made: string[] = []
  const refused: string[] = []

  const tokens = async () => {
    const { get, token } = callers(next())
    const own = await token({ grant_type: 'client_credentials' }, basic('service'))
    const found = await byPassword(homes.phone, 'alice')
    if (!('location' in found)) return found.title
    const redeemed = await token(codeRequest(found.told.get('code') ?? '', { client_id: 'own' }))
    const refresh_token = String(redeemed.json.refresh_token)
    const refreshed = await token({ grant_type: 'refresh_token', client_id: 'own', refresh_token })
    const { status } = await get('/userinfo', bearer(String(refreshed.json.access_token)))
    const statuses = [own.status, redeemed.status, refreshed.status, status]
    return statuses.every((one) => one === 200) ? 'ok' : statuses.join()
  }
  let readers = 0
  /** Somebody asks for a link to a new password, and gets it. */
  const mailed = async () => {
    readers += 1
    const username = `reader-${readers}`
    await settle(username)
    const { status } = await browserAt(elsewhere()).request(
      'POST',
      '/forgot-password',
      `username=${username}`,
    )
    const arrived = () => smtp.mails.some(({ to }) => to.includes(`${username}@example.org`))
    await until(`a mail for ${username} arrives`, arrived)
    return status === 200 ? 'ok' : String(status)
  }
  const operates = async () => {
    const client_id = `made-${made.length}`
    const token = await operator.tokenOf('redmint:read', 'redmint:clients:write', 'api.read')
    const body = {
      client_id,
      client_name: 'Made',
      grant_types: ['client_credentials'],
      allowed_scopes: ['api.read'],
    }
    const { status, text } = await operator.call('POST', '/clients', { token, body })
    made.push(client_id)
    return status === 201 ? 'ok' : text
  }
  /** A registered client makes a mistake. */
  const isRefused = async () => {
    // One whose name strangers know, as often as its share has room for, and then others.
    const client_id = refused.length < 4 ? 'web' : made.at(-2)
    const asked = authorizationRequest({ client_id, redirect_uri: 'https://wrong.example/' })
    const found = await browserAt(elsewhere()).page(`/oauth2/authorize?${new URLSearchParams(asked)}`)
    refused.push(String(found.headers['x-request-id']))
    return found.status === 400 ? 'ok' : String(found.status)
  }
  const ways: Readonly<Record<string, () => Promise<string>>> = {
    'a password in a known browser': async () => outcomeOf(await byPassword(homes.alice, 'alice')),
    'a password in a new browser': async () => outcomeOf(await byPassword(browserAt(elsewhere()), 'alice')),
    'a password that is guessed at': async () => outcomeOf(await byPassword(homes.vic, 'vic')),
    'an app in a known browser': async () => outcomeOf(await byApp(homes.bob, 'bob')),
    'an app in a new browser': async () => outcomeOf(await byApp(browserAt(elsewhere()), 'ben')),
    'a passkey in a known browser': async () => outcomeOf(await byPasskey(homes.carol)),
    'a passkey in a new browser': async () => outcomeOf(await byPasskey(browserAt(elsewhere()))),
    'a provider in a known browser': async () => outcomeOf(await byProvider(homes.dora)),
    'a provider in a new browser': async () => outcomeOf(await byProvider(personAt(elsewhere()))),
    'a mail': mailed,
    tokens,
    'a change of an operator': operates,
    'a refusal of a registered client': isRefused,
  }
  return {
    ...one,
    replicas,
    logs: [one.log, other.log],
    next,
    browserAt,
    /** The ids of the clients that the operator made, and of the requests that were refused, in all rounds. */
    made,
    refused,
    /** Everybody does once what they do: what came of it, by what it was. */
    async round(): Promise<Readonly<Record<string, string>>> {
      passStep()
      const outcomes = Object.entries(ways).map(async ([way, go]) => [
        way,
        await go().catch((error: unknown) => String(error)),
      ])
      return Object.fromEntries(await Promise.all(outcomes))
    },
  }
}

export type City = Awaited<ReturnType<typeof startCity>>
