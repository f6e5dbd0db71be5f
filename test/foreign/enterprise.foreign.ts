// The SDK of MCP for TypeScript, whose "enterprise-managed authorization" is the way of an agent to another company: it asks
// one redmint for an identity assertion, and another one for a token.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { CHAT, CHAT_API } from '../support/identity.ts'
import { basic, ISSUER, SECRET, type Service } from '../support/service.ts'
import { startBoth } from '../support/two-servers.ts'
import { HERE } from './connected.ts'

/** What this test uses of the SDK, which is installed in this folder alone. */
interface Sdk {
  discoverAndRequestJwtAuthGrant(options: object): Promise<{ jwtAuthGrant: string; scope?: string }>
  exchangeJwtAuthGrant(options: object): Promise<{ access_token: string; scope?: string }>
}

const SDK = join(HERE, 'node_modules/@modelcontextprotocol/client/dist/index.mjs')
const sdk: Sdk = await import(pathToFileURL(SDK).href)

/** Returns what the SDK fetches by: each server by its address. */
function fetchFrom(servers: Readonly<Record<string, Pick<Service, 'fastify'>>>) {
  return async (url: string | URL, given: RequestInit = {}): Promise<Response> => {
    const { method, headers, body } = new Request(url, given)
    const { origin, pathname, search } = new URL(url)
    const payload = body === null ? undefined : await new Response(body).text()
    const answer = await servers[origin]?.fastify.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: Object.fromEntries(headers),
      ...(payload !== undefined && { payload }),
    })
    if (answer === undefined) throw new TypeError(`nobody answers at ${origin}`)
    return new Response(answer.body, {
      status: answer.statusCode,
      headers: { 'content-type': String(answer.headers['content-type']) },
    })
  }
}

t.test('the SDK of MCP gets in at another company by a sign-in here', async (t) => {
  const { home, chat } = await startBoth(t)
  const { id_token } = await home.signInTo(home.visitor())
  const fetchFn = fetchFrom({ [ISSUER]: home, [CHAT]: chat })
  const { jwtAuthGrant } = await sdk.discoverAndRequestJwtAuthGrant({
    ...{ idpUrl: ISSUER, audience: CHAT, resource: CHAT_API, idToken: id_token, scope: 'chat.read' },
    ...{ clientId: 'agent', clientSecret: SECRET, fetchFn },
  })
  const { access_token, scope } = await sdk.exchangeJwtAuthGrant({
    ...{ tokenEndpoint: `${CHAT}/oauth2/token`, jwtAuthGrant },
    ...{ clientId: 'agent-there', clientSecret: SECRET, fetchFn },
  })
  t.equal(scope, 'chat.read')
  const { json } = await chat.post('/oauth2/introspect', { token: access_token }, basic('agent-there'))
  t.match(json, { active: true, sub: 'alice-at-chat', aud: CHAT_API })
})
