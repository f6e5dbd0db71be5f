// Every random value of ours, at every place that takes one: it is refused unless it was made for that place.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { DEVICE_GRANT, deviceOf, storeDevices } from '../../../support/device.ts'
import { pushedUrl, requestUriOf } from '../../../support/pushing.ts'
import { createClient } from '../../../support/records.ts'
import { requestUrl, signInAndAgree } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { FLOWS } from '../../../support/self-service/flows.ts'
import { basic, bearer, CLIENTS, codeRequest } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

t.test('A22 no value counts where it was not made for', async (t) => {
  const service = await scene(t, { ...WITH_MAIL, sign_up: 'open' })
  const { redmint, visitor, token, get, post, storage } = { ...service, redmint: service.fastify.redmint }
  await storeDevices(storage)
  const gateway = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }
  await createClient(storage, 'gateway', formatClient(gateway))

  const alice = visitor()
  const departure = await signInAndAgree(alice, { scope: 'openid profile' })
  const tokens = await token(codeRequest(departure.told.get('code') ?? '', { client_id: 'shop' }))
  const fresh = asDeparture(await alice.open(requestUrl())).told.get('code') ?? ''
  const waiting = await visitor().page(requestUrl())
  const codes = await deviceOf(service).codes()
  const links = new Map<string, string>()
  for (const { name, give } of FLOWS)
    links.set(name, new URL(await give(redmint, 'alice')).searchParams.get('link') ?? '')
  const reset = FLOWS.find(({ path }) => path === '/reset-password')
  const opened = visitor()
  const form = await opened.page(`/reset-password?link=${links.get(reset?.name ?? '')}`)
  const VALUES: readonly (readonly [name: string, value: string, made_for: readonly string[]])[] = [
    ...FLOWS.map(({ name, path }) => [`the link of ${name}`, links.get(name) ?? '', [path]] as const),
    ['a code', fresh, ['code']],
    ['an access token', String(tokens.json.access_token), ['bearer', 'introspection']],
    ['a refresh token', String(tokens.json.refresh_token), ['refresh token']],
    ['a device code', codes.device_code, ['device code']],
    ['a user code', codes.user_code, ['user code']],
    ['a request_uri', await requestUriOf(service), ['request_uri']],
    ['the csrf of a link', form.hidden.csrf ?? '', ['csrf of a link']],
    ['the csrf of a sign-in', waiting.hidden.csrf ?? '', []],
    ['the id of a request', new URL(waiting.url, 'https://x').search.slice(1), []],
    ...[...alice.cookies].map(([name, value]) => [`the cookie ${name}`, value, [`cookie ${name}`]] as const),
  ]
  for (const [name, value] of VALUES) t.ok(value.length > 7, name)

  const is_page = async (path: string, value: string) =>
    (await visitor().page(`${path}?${new URLSearchParams({ link: value })}`)).status === 200
  const granted = async (form: Record<string, string>) => (await token(form)).status === 200
  const session = [...alice.cookies.keys()].find((name) => name.includes('session')) ?? ''
  const PLACES: readonly (readonly [name: string, counts: (value: string) => Promise<boolean>])[] = [
    ...[...new Set(FLOWS.map(({ path }) => path))].map(
      (path) => [path, (value: string) => is_page(path, value)] as const,
    ),
    ['bearer', async (value) => (await get('/userinfo', bearer(value))).status === 200],
    [
      'introspection',
      async (value) =>
        (await post('/oauth2/introspect', { token: value }, basic('gateway'))).json.active === true,
    ],
    [
      'csrf of a link',
      async (value) =>
        asPage(await opened.submit(form, { csrf: value, password: 'x' })).text.includes('id="problem"'),
    ],
    [
      `cookie ${session}`,
      async (value) => {
        const { headers } = await get(requestUrl({ prompt: 'none' }), { cookie: `${session}=${value}` })
        return String(headers.location).includes('code=')
      },
    ],
    ['request_uri', async (value) => (await visitor().page(pushedUrl(value))).status === 200],
    [
      'user code',
      async (value) => {
        const page = await alice.page(`/device?${new URLSearchParams({ user_code: value })}`)
        return page.buttons.length > 1
      },
    ],
    // What is used up comes last.
    [
      'device code',
      async (value) => {
        const { json } = await token({ grant_type: DEVICE_GRANT, client_id: 'tv', device_code: value })
        return json.error === 'authorization_pending'
      },
    ],
    ['code', (value) => granted(codeRequest(value, { client_id: 'shop' }))],
    [
      'refresh token',
      (value) => granted({ grant_type: 'refresh_token', client_id: 'shop', refresh_token: value }),
    ],
  ]
  for (const [place, counts] of PLACES)
    for (const [name, value, made_for] of VALUES)
      t.equal(await counts(value), made_for.includes(place), `${name} as ${place}`)
})
