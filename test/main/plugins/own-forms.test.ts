import t from 'tap'
import { ADMIN_PATH, API_PATH, CONSOLE_PATH, PATHS } from '../../../src/core/paths.ts'
import { ISSUER, startService, type TestOptions } from '../../support/service.ts'

const WITH_ALL: TestOptions = {
  account_deletion: 'on',
  admin_api: 'on',
  client_registration: 'open',
  console: 'on',
  mail: { timing: { poll: 86_400 } },
  mail_from: 'login@example.com',
  sign_up: 'open',
  smtp_url: 'smtps://localhost:1',
}

/** What programs post, or other sites, as a protocol says. */
const NO_FORMS: readonly string[] = [
  ...[PATHS.token, PATHS.par, PATHS.device_authorization, PATHS.revoke, PATHS.introspect, PATHS.userinfo],
  ...[PATHS.register, PATHS.authorize, PATHS.end_session],
]
const isForm = (url: string) =>
  !NO_FORMS.includes(url) && !url.startsWith(ADMIN_PATH) && !new RegExp(`^${API_PATH}(?:/|$)`).test(url)

const FOREIGN = [
  { origin: 'https://evil.example' },
  { origin: `${ISSUER}.evil.example` },
  { origin: ISSUER.replace('https:', 'http:') },
  { origin: `${ISSUER}:8443` },
  { origin: '' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: ISSUER, 'sec-fetch-site': 'cross-site' },
]
// Ours have a referrer policy of no-referrer, so browsers send `null` with their forms.
const OWN = [
  {},
  { origin: ISSUER, 'sec-fetch-site': 'same-origin' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: 'null' },
  { 'sec-fetch-site': 'none' },
]

t.test('each form of a page is refused if a browser says that another site sent it', async (t) => {
  const posted = new Set<string>()
  const { fastify } = await startService(t, WITH_ALL, (host) => {
    host.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('POST')) posted.add(url)
    })
  })
  const forms = [...posted].filter(isForm)
  const known = [PATHS.interaction, PATHS.reset_password, PATHS.forgot_password, PATHS.sign_up]
  for (const path of [...known, PATHS.language, PATHS.demo, `${CONSOLE_PATH}/sign-out`])
    t.ok(forms.includes(path), `${path} is a form`)
  t.ok(forms.some((path) => path.startsWith(`${PATHS.account}/`)))
  const send = async (url: string, headers: Record<string, string>, payload = 'csrf=x&transaction=x') => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const path = url.replace(/:\w+/g, 'x')
    return await fastify.inject({ method: 'POST', url: path, payload, headers: { ...type, ...headers } })
  }
  const isRefused = ({ statusCode, body }: { statusCode: number; body: string }) =>
    statusCode === 403 && /Another site sent this form|This form is not of this session/.test(body)
  for (const url of forms)
    for (const headers of FOREIGN)
      t.equal(isRefused(await send(url, headers)), true, `${url} ${JSON.stringify(headers)}`)
  for (const url of [...known, `${CONSOLE_PATH}/find`]) {
    for (const headers of OWN)
      t.equal(isRefused(await send(url, headers)), false, `${url} ${JSON.stringify(headers)}`)
  }
  // The page that asks whether to sign out answers where other sites send logouts.
  for (const headers of FOREIGN)
    t.equal(isRefused(await send(PATHS.end_session, headers)), true, `logout ${JSON.stringify(headers)}`)
  for (const headers of OWN)
    t.equal(isRefused(await send(PATHS.end_session, headers)), false, `logout ${JSON.stringify(headers)}`)
  for (const url of NO_FORMS)
    t.equal(
      isRefused(
        await send(url, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, 'state=x'),
      ),
      false,
      url,
    )
})
