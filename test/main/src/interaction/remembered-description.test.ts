// What a person decides by is what is remembered: of a client that a document describes, and of one that registered itself,
// on every path to a consent.
import t, { type Test } from 'tap'
import { CLIENT_URL, fetched, startWithDocuments } from '../../../support/clients/document-clients.ts'
import { DEVICE_GRANT, deviceOf } from '../../../support/device.ts'
import { changeClient, readConsent } from '../../../support/records.ts'
import { ANSWERED_BY_PAGE, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { authorizationRequest, bearer } from '../../../support/service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const KINDS = ['document', 'registration'] as const
type Kind = (typeof KINDS)[number]
type Metadata = Readonly<Record<string, unknown>>

const HOST = 'https://tool.example.net'
const CALLBACK = `${HOST}/callback`
const EVIL = 'https://evil.test/cb'
const SAID: Metadata = {
  client_name: 'Example Tool',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
}
const ALLOW = { decision: 'allow' }

const textOf = (page: { text: string }) => page.text.replace(/<[^>]*>/g, '').replaceAll('&#39;', "'")

/** A service with a client of this kind. `change` gives it another description. */
async function startWith(t: Test, kind: Kind, said: Metadata = SAID) {
  const service = await startWithDocuments(t, { client_registration: 'open', par_ttl: 300 })
  const { host, fastify, pass } = service
  const started = (client_id: string, change: (next: Metadata) => Promise<void>) => ({
    ...service,
    client_id,
    change,
    request: (overrides: Record<string, string> = {}) =>
      requestUrl({ client_id, redirect_uri: CALLBACK, scope: 'openid', ...overrides }),
  })
  if (kind === 'document') {
    const describe = (next: Metadata) => {
      host.answer = () => fetched({ client_id: CLIENT_URL, ...next })
    }
    describe(said)
    return started(CLIENT_URL, async (next) => {
      describe(next)
      pass(61)
    })
  }
  const { client_id, registration_access_token } = (
    await fastify.inject({ method: 'POST', url: '/oauth2/register', payload: said })
  ).json()
  return started(client_id, async (next) => {
    const url = `/oauth2/register/${client_id}`
    const payload = { client_id, ...next }
    const headers = bearer(registration_access_token)
    const { statusCode, body } = await fastify.inject({ method: 'PUT', url, payload, headers })
    if (statusCode !== 200) throw new Error(body)
  })
}

type Started = Awaited<ReturnType<typeof startWith>>

/** Signs alice in and lets her allow the client. */
async function agree({ request }: Started, alice: Visitor): Promise<Page> {
  const page = asPage(await signInOn(alice, await alice.page(request())))
  asDeparture(await alice.submit(page, ALLOW))
  return page
}

const silently = async ({ request }: Started, alice: Visitor, overrides: Record<string, string> = {}) => {
  const { told } = asDeparture(await alice.open(request({ prompt: 'none', ...overrides })))
  return told.get('error') ?? 'code'
}

/** Each is another description than the one before. */
const CHANGES: readonly Metadata[] = [
  { client_name: 'Your Bank' },
  { logo_uri: `${HOST}/logo.svg` },
  { client_uri: `${HOST}/` },
  { policy_uri: `${HOST}/policy` },
  { tos_uri: `${HOST}/terms` },
  { redirect_uris: [CALLBACK, EVIL] },
  { redirect_uris: [CALLBACK, 'com.example.tool:/cb'] },
  {},
  { grant_types: ['authorization_code', 'refresh_token'] },
]

/** Ways to a consent: each begins before the description changes, and returns what goes on after it. */
const PATHS: Record<string, (service: Started, alice: Visitor) => Promise<() => Promise<unknown>>> = {
  'a new request':
    async ({ request }, alice) =>
    async () =>
      alice.open(request()),
  'a pushed request': async ({ client_id, post }, alice) => {
    const asked = { client_id, redirect_uri: CALLBACK, scope: 'openid' }
    const { json } = await post('/oauth2/par', authorizationRequest(asked))
    const pushed = new URLSearchParams({ client_id, request_uri: String(json.request_uri) })
    return async () => alice.open(`/oauth2/authorize?${pushed}`)
  },
  'the account chooser': async ({ request }, alice) => {
    const chooser = asPage(await alice.open(request({ prompt: 'select_account' })))
    const [account = ''] = chooser.buttons.flatMap((button) => /^account=(.*)$/.exec(button)?.[1] ?? [])
    return async () => alice.submit(chooser, { account })
  },
  'an open consent page': async ({ request }, alice) => {
    const page = asPage(await alice.open(request({ prompt: 'consent' })))
    return async () => alice.submit(page, ALLOW)
  },
  'an answer that waits': async ({ request }, alice) => {
    const page = asPage(await alice.open(request({ ...ANSWERED_BY_PAGE, prompt: 'consent' })))
    const form = new URLSearchParams({ ...page.hidden, ...ALLOW }).toString()
    const { headers } = await alice.request('POST', '/oauth2/interaction', form)
    return async () => alice.open(String(headers.location))
  },
}

/** Runs a test for each kind of client. */
function forEachKind(title: string, run: (t: Test, kind: Kind) => Promise<void>): void {
  for (const kind of KINDS) t.test(`${kind}: ${title}`, (t) => run(t, kind))
}

forEachKind('each change of what the page says asks again, once', async (t, kind) => {
  const service = await startWith(t, kind)
  const alice = service.visitor()
  await agree(service, alice)
  for (const changed of CHANGES) {
    const what = JSON.stringify(changed)
    t.equal(await silently(service, alice), 'code', `remembered before ${what}`)
    await service.change({ ...SAID, ...changed })
    t.equal(await silently(service, alice), 'consent_required', what)
    asDeparture(await alice.submit(asPage(await alice.open(service.request())), ALLOW))
  }
  t.equal(await silently(service, alice), 'code')
})

forEachKind('who agreed to one recipient is asked about another one', async (t, kind) => {
  const others: [uri: string, shown: string][] = [
    [EVIL, 'evil.test'],
    [`${HOST}:8443/callback`, 'tool.example.net:8443'],
    ['http://127.0.0.1:4711/cb', 'a program on your device'],
    ['com.example.tool:/cb', 'an app on your device named com.example.tool'],
  ]
  const redirect_uris = [CALLBACK, `${HOST}/other`, ...others.map(([uri]) => uri)]
  const service = await startWith(t, kind, { ...SAID, redirect_uris })
  const alice = service.visitor()
  const shown = others.map(([, text]) => text)
  t.match(textOf(await agree(service, alice)), `does not apply to them:\n\n${shown.join('\n')}\n`)
  t.equal(await silently(service, alice, { redirect_uri: `${HOST}/other` }), 'code', 'the same origin')
  for (const [other] of others) {
    t.equal(await silently(service, alice, { redirect_uri: other }), 'consent_required', other)
  }
  const page = asPage(await alice.open(service.request({ redirect_uri: EVIL })))
  t.match(textOf(page), 'does not apply to them:\n\ntool.example.net\n')
  asDeparture(await alice.submit(page, ALLOW))
  t.equal(await silently(service, alice, { redirect_uri: EVIL }), 'code')
  t.equal(await silently(service, alice), 'consent_required', 'nor is the second one the first')
})

forEachKind('every path to a consent sees the change', async (t, kind) => {
  const service = await startWith(t, kind)
  const alice = service.visitor()
  await agree(service, alice)
  for (const [path, start] of Object.entries(PATHS)) {
    const go = await start(service, alice)
    await service.change({ ...SAID, client_name: path })
    const page = asPage((await go()) as Page)
    t.equal(page.title, `Allow ${path} to access your account?`)
    t.match(textOf(page), 'its name, which was', path)
    asDeparture(await alice.submit(page, ALLOW))
  }
})

forEachKind('the page says that access lasts, wherever a refresh token comes', async (t, kind) => {
  const lasts = 'Keep access while you are away'
  const service = await startWith(t, kind)
  const alice = service.visitor()
  t.notMatch(textOf(await agree(service, alice)), lasts)
  await service.change({ ...SAID, grant_types: ['authorization_code', 'refresh_token'] })
  const page = asPage(await alice.open(service.request()))
  t.match(textOf(page), lasts)
  asDeparture(await alice.submit(page, ALLOW))
  t.equal(await readConsent(service.storage, 'sub-of-alice', service.client_id), 'openid offline_access')
})

forEachKind('only what is proven to be its own is shown as its own', async (t, kind) => {
  const bank = 'https://bank.example.com'
  const said = {
    ...SAID,
    logo_uri: `${bank}/logo.svg`,
    client_uri: `${bank}/`,
    policy_uri: `${bank}/policy`,
    tos_uri: `${bank}/terms`,
  }
  const service = await startWith(t, kind)
  const alice = service.visitor()
  await agree(service, alice)
  for (const other of [EVIL, 'http://127.0.0.1/cb', 'com.example.tool:/cb']) {
    await service.change({ ...said, redirect_uris: [`${bank}/cb`, other] })
    const page = asPage(await alice.open(service.request({ redirect_uri: `${bank}/cb` })))
    t.match(page.title, 'Allow')
    t.notMatch(page.text, `${bank}/`, other)
    t.notMatch(String(page.headers['content-security-policy']), bank)
  }
})

t.test(
  'a device of a client that registered itself: the same is said, remembered and asked anew',
  async (t) => {
    const service = await startWith(t, 'registration')
    const { client_id, storage, visitor, change, request } = service
    const devices = deviceOf(service)
    const grant_types = `authorization_code ${DEVICE_GRANT}`
    const letDevices = () => changeClient(storage, client_id, { set: { grant_types } })
    await letDevices()
    const { verification_uri_complete } = await devices.codes({ client_id, scope: 'openid' })
    const alice = visitor()
    const path = verification_uri_complete.replace(/^https?:\/\/[^/]*/, '')
    const asked = asPage(await signInOn(alice, await alice.page(path)))
    t.match(textOf(asked), 'This application registered itself on')
    await change({ ...SAID, client_name: 'Your Bank' })
    await letDevices()
    const again = asPage(await alice.submit(asked, ALLOW))
    t.equal(again.title, 'Connect Your Bank?', 'it changed while the page was open')
    t.equal(asPage(await alice.submit(again, ALLOW)).title, 'The device is connected')
    t.equal(await readConsent(storage, 'sub-of-alice', client_id), 'openid')
    t.equal(
      await silently(service, alice),
      'consent_required',
      'what a device may is not what an address may',
    )
    t.match(textOf(asPage(await alice.open(request()))), 'where you are sent back to')
  },
)
