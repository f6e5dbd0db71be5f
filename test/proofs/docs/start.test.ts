// The ways at the head of docs/: from an empty folder to a working thing, in memory. The server of tools is one without the
// packages of npm that the page's needs: test/foreign/mcp.foreign.ts runs that.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { NEW_PASSWORD } from '../../support/accounts.ts'
import { visitorAt } from '../../support/flows/visitor-at.ts'
import { newRequest } from '../../support/openid-client.ts'
import { freePort } from '../../support/process.ts'
import { choosePassword } from '../../support/production-page.ts'
import { pathOf } from '../../support/scene/requests.ts'
import { prepareSteps } from '../../support/steps-of-page.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'

t.setTimeout(300_000)

/** The steps of a page on ports of the test. */
async function start(t: Test, page: string) {
  const [port, own] = [await freePort(), await freePort()]
  const prepared = await prepareSteps(t, `docs/start/${page}.md`, [
    [/\b3000\b/g, String(port)],
    [/\b3001\b/g, String(own)],
    [/npx redmint serve/g, `PORT=${port} npx redmint serve`],
  ])
  return { ...prepared, issuer: `http://localhost:${port}`, origin: `http://localhost:${own}` }
}

t.test('protect an API: who has no token, one for it, and none any more', async (t) => {
  const { steps, step, origin } = await start(t, 'protect-an-api')
  t.equal(steps, 5)
  for (const number of [1, 2, 3, 4, 5]) await step(number)
  const { status } = await fetch(`${origin}/orders`, { headers: { authorization: 'Bearer none' } })
  t.equal(status, 401, 'the guard is still there')
})

t.test('sign in my people: an invited person signs in, until she is disabled', async (t) => {
  const { steps, step, issuer, origin } = await start(t, 'sign-in-people')
  t.equal(steps, 5)
  await step(1)
  const printed = await step(2)
  const setting = (name: string) => new RegExp(`^ *${name}="([^"]*)"`, 'm').exec(printed)?.[1] ?? ''
  t.match(setting('ISSUER_BASE_URL'), issuer)
  const invitation = /http:\S+\/welcome\?link=\S+/.exec(await step(3))?.[0] ?? 'none:'
  const eve = visitorAt(issuer)
  await choosePassword(eve, invitation, 'eve')

  const [id, secret] = [setting('CLIENT_ID'), setting('CLIENT_SECRET')]
  const insecure = { execute: [client.allowInsecureRequests] }
  const shop = await client.discovery(new URL(issuer), id, secret, undefined, insecure)
  const { checks, parameters } = await newRequest(`${origin}/callback`, 'openid profile email')
  const asked = pathOf(client.buildAuthorizationUrl(shop, parameters))
  const left = await eve.submit(await eve.page(asked), { decision: 'allow' })
  const tokens = await client.authorizationCodeGrant(shop, asDeparture(left).location, checks)
  t.equal(tokens.claims()?.email, 'eve@example.com')

  await step(4)
  await step(5)
  t.ok(asPage(await eve.open(asked)).text.includes('name="password"'), 'her session is over')
  const again = await eve.submit(asPage(await eve.open(asked)), { username: 'eve', password: NEW_PASSWORD })
  t.equal('location' in again, false, 'and she gets no other one')
})

t.test('connect an agent: one that nobody knows gets in, and is seen', async (t) => {
  const [port, tools] = [await freePort(), await freePort()]
  const issuer = `http://localhost:${port}`
  const { steps, step, folder } = await prepareSteps(t, 'docs/start/connect-an-agent.md', [
    [/\b3000\b/g, String(port)],
    [/\b4000\b/g, String(tools)],
    [/npx redmint serve/g, `PORT=${port} npx redmint serve`],
  ])
  t.equal(steps, 4)
  await step(1)
  const resource = `http://localhost:${tools}/mcp`
  await writeFile(join(folder, 'tools/server.mjs'), serverOf(issuer, resource, tools))
  await step(2)
  await step(3)

  const send = async (path: string, type: string, body: string) => {
    const answer = await fetch(issuer + path, { method: 'POST', headers: { 'content-type': type }, body })
    return (await answer.json()) as Record<string, string>
  }
  const redirect_uri = 'http://127.0.0.1:5000/callback'
  const agent = { client_name: 'Agent', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }
  const { client_id = '' } = await send('/oauth2/register', 'application/json', JSON.stringify(agent))
  const configuration = await client.discovery(new URL(issuer), client_id, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  const { checks, parameters } = await newRequest(redirect_uri, 'openid notes.read')
  const alice = visitorAt(issuer)
  const asked = client.buildAuthorizationUrl(configuration, { ...parameters, resource })
  const signedIn = await alice.submit(await alice.page(pathOf(asked)), {
    username: 'alice',
    password: 'wonderland',
  })
  const left = asDeparture(await alice.submit(asPage(signedIn), { decision: 'allow' }))
  const tokens = await client.authorizationCodeGrant(configuration, left.location, checks, { resource })
  const authorization = `Bearer ${tokens.access_token}`
  t.equal((await fetch(resource, { headers: { authorization } })).status, 204, 'the tools take its token')
  await step(4)
})

/** A server guarded as that of the page, whose SDK test/foreign/mcp.foreign.ts installs. */
const serverOf = (issuer: string, resource: string, port: number) => `
import { createServer } from 'node:http'
import { createResourceServer } from 'redmint/resource-server'
const api = createResourceServer({
  issuer: '${issuer}', resource: '${resource}', scopes_supported: ['notes.read', 'notes.write'], dev: 'allow',
})
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': 'WWW-Authenticate' }
createServer(async (request, response) => {
  const send = ({ status, headers, body }) => response.writeHead(status, { ...CORS, ...headers }).end(body)
  if (request.method === 'OPTIONS') return send({ status: 204 })
  if (request.url === api.metadata_path) return send(api.document)
  try {
    await api.verify(request, { scopes: ['notes.read'] })
    send({ status: 204 })
  } catch (error) {
    send(api.answer(error))
  }
}).listen(${port})
`
