// The examples of examples/own-login/: the application in TypeScript, and the one that embeds redmint.
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { copyExample, startProgram } from '../../../support/example.ts'
import { ownLoginSuite } from '../../../support/flows/own-login.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { freePort, startServer, TYPESCRIPT } from '../../../support/process.ts'
import { claimsIn } from '../../../support/scene/tokens.ts'
import { visit } from '../../../support/server.ts'
import { authorizationRequest, codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const DEMO = { client_id: 'demo-app', redirect_uri: 'http://127.0.0.1/callback' }

t.test('an application in TypeScript', (t) =>
  ownLoginSuite(t, process.execPath, [TYPESCRIPT, 'application.ts']),
)

t.test('LOGIN_URL alone is enough', async (t) => {
  const login_url = 'https://shop.example.org/login'
  const server = await startServer(t, { LOGIN_URL: login_url })
  const request = authorizationRequest({ ...DEMO, subject: undefined })
  const found = await visitorAt(`http://localhost:${server.port}`).open(
    `/oauth2/authorize?${new URLSearchParams(request)}`,
  )
  const { location } = asDeparture(found)
  t.equal(location.origin + location.pathname, login_url)
})

t.test('an application that embeds redmint', async (t) => {
  const port = await freePort()
  const folder = await copyExample(t, 'own-login', t.testdir(), { 3000: port })
  await startProgram(t, folder, 'embedded.mjs', port)
  const address = `http://localhost:${port}`
  // A first start makes RSA keys after it listens.
  const { get } = visit(address)
  await until('its keys are there', async () => (await get(PATHS.jwks)).status === 200)
  const visitor = visitorAt(address)
  const request = authorizationRequest({ ...DEMO, scope: 'openid', subject: undefined })
  const page = await visitor.page(`/oauth2/authorize?${new URLSearchParams(request)}`)
  const wrong = asPage(await visitor.submit(page, { login: 'ann', secret: 'a guess' }))
  t.match(wrong.text, /role="alert"/)
  const consent = asPage(await visitor.submit(wrong, { login: 'ann', secret: 'correct horse' }))
  const { told } = asDeparture(await visitor.submit(consent, { decision: 'allow' }))
  const { json } = await visit(address).token(codeRequest(told.get('code') ?? '', DEMO))
  t.match(claimsIn(json.id_token), { sub: 'u-1001', amr: ['pwd'] })
})
