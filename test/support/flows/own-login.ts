// A server with LOGIN_URL alone, and an application of examples/own-login/ at that address, whatever its language.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Test } from 'tap'
import { CONSENTS, LOGINS } from '../../../src/core/admin-scopes.ts'
import { isRefused } from '../half-sent.ts'
import { freePort, ROOT, run } from '../process.ts'
import { startRedis } from '../redis-server.ts'
import { claimsIn } from '../scene/tokens.ts'
import { registerClient, startReady, visit } from '../server.ts'
import { authorizationRequest, CLIENTS, codeRequest } from '../service.ts'
import { until } from '../until.ts'
import { asDeparture, type Departure, type Visitor } from '../visitor.ts'
import { visitorAt } from './visitor-at.ts'

const CLIENT_SECRET = 'the-secret-of-the-login-page'
const EXAMPLE = join(ROOT, 'examples/own-login')

/** Holds that a person signs in at the page of the application. `args` start it in the folder of the example. */
export async function ownLoginSuite(t: Test, command: string, args: readonly string[]): Promise<void> {
  const redis = await startRedis(t)
  const port = await freePort()
  const login_url = `http://localhost:${port}/login`
  const consent_url = `http://localhost:${port}/consent`
  await registerClient(redis, { ...CLIENTS.app, first_party: true })
  await registerClient(redis, {
    ...CLIENTS.service,
    client_id: 'own-login',
    client_secret_hash: createHash('sha256').update(CLIENT_SECRET).digest('base64'),
    allowed_scopes: [LOGINS, CONSENTS],
  })
  const server = await startReady(t, { REDIS_URL: redis.url, LOGIN_URL: login_url, CONSENT_URL: consent_url })
  const issuer = `http://localhost:${server.port}`
  const program = run(t, command, args, { ISSUER: issuer, CLIENT_SECRET, PORT: String(port) }, EXAMPLE)
  await until('the page is there', async () => !(await isRefused(port)))
  const { token } = visit(issuer)
  const asked = { scope: 'openid', login_hint: 'ann' }
  const requestUrl = `/oauth2/authorize?${new URLSearchParams(authorizationRequest(asked))}`

  /** Arrives at the page of the application. */
  const arrive = async () => {
    const browser = visitorAt(issuer)
    const { location } = asDeparture(await browser.open(requestUrl))
    const page = await fetch(location)
    return { browser, location, status: page.status, text: await page.text() }
  }
  /** Sends the form there, with the challenge that the page has in a hidden field. */
  const submit = async (text: string, fields: Record<string, string>) => {
    const [, challenge = ''] = /name="login_challenge" value="([^"]*)"/.exec(text) ?? []
    const body = new URLSearchParams({ login_challenge: challenge, ...fields })
    const answer = await fetch(login_url, { method: 'POST', body, redirect: 'manual' })
    return {
      status: answer.status,
      text: await answer.text(),
      location: answer.headers.get('location') ?? '',
    }
  }
  const RIGHT = { login: 'ann', password: 'correct horse', do: 'accept' }
  const goOn = async (browser: Visitor, address: string): Promise<Departure> => {
    const { origin, pathname, search } = new URL(address)
    t.equal(origin, issuer)
    return asDeparture(await browser.open(pathname + search))
  }

  const first = await arrive()
  t.ok(first.location.href.startsWith(`${login_url}?login_challenge=`), 'nothing of redmint asks who it is')
  t.match(first, { status: 200, text: /value="ann"/ })
  const wrong = await submit(first.text, { ...RIGHT, password: 'a guess' })
  t.match(wrong, { status: 401, text: /That is not right/ })
  t.equal((await submit(first.text, { ...RIGHT, password: `${RIGHT.password} ` })).status, 401)
  const right = await submit(wrong.text, RIGHT)
  t.equal(right.status, 303, program.stderr)
  const { told } = await goOn(first.browser, right.location)
  const { json } = await token(codeRequest(told.get('code') ?? ''))
  t.match(claimsIn(json.id_token), { sub: 'u-1001', amr: ['pwd'], acr: '1' })
  t.match(await redis.cli('HGETALL', 'redmint:user:ann'), /u-1001/)

  const other = await submit(wrong.text, { do: 'refuse' })
  t.match(other, { status: 400, text: /Start again/ }, 'a challenge has one answer')
  const second = await arrive()
  const refused = await goOn(second.browser, (await submit(second.text, { do: 'refuse' })).location)
  t.equal(refused.told.get('error'), 'access_denied')
  t.equal((await fetch(`${login_url}?login_challenge=forged`)).status, 400)

  // Consent, of which a part is left out.
  const asking = { ...authorizationRequest(asked), scope: 'openid api.read api.write', prompt: 'consent' }
  const third = visitorAt(issuer)
  const signIn = asDeparture(await third.open(`/oauth2/authorize?${new URLSearchParams(asking)}`))
  const signed = await submit(await (await fetch(signIn.location)).text(), RIGHT)
  const there = await goOn(third, signed.location)
  t.ok(there.location.href.startsWith(`${consent_url}?consent_challenge=`))
  const consent = await (await fetch(there.location)).text()
  t.match(consent, /value="api.write" checked/)
  const [, consent_challenge = ''] = /name="consent_challenge" value="([^"]*)"/.exec(consent) ?? []
  const body = new URLSearchParams({ consent_challenge, scope: 'api.read', do: 'accept' })
  const allowed = await fetch(consent_url, { method: 'POST', body, redirect: 'manual' })
  const agreed = await goOn(third, allowed.headers.get('location') ?? '')
  t.equal((await token(codeRequest(agreed.told.get('code') ?? ''))).json.scope, 'openid api.read')
  const again = await fetch(consent_url, { method: 'POST', body, redirect: 'manual' })
  t.match({ status: again.status, text: await again.text() }, { status: 400, text: /Start again/ })

  t.notMatch(program.stdout + program.stderr, /(login|consent)_challenge=[\w-]{20}/)
}
