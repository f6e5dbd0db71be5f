// What demo mode left in storage, at a server on the same storage that is not in demo mode.

import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import { DEMO_APP, DEMO_SERVICE } from '../../../src/demo/demo-clients.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../../../src/demo/demo-user.ts'
import { CHEAP } from '../../support/accounts.ts'
import { readClient, readUser } from '../../support/records.ts'
import { signInOn, visitorOf } from '../../support/scene/requests.ts'
import {
  authorizationRequest,
  basic,
  bearer,
  codeRequest,
  type Service,
  startService,
} from '../../support/service.ts'
import { asPage } from '../../support/visitor.ts'

const SERVICE = basic(DEMO_SERVICE.client_id, DEMO_SERVICE.client_secret)
const APP = { client_id: DEMO_APP.client_id, redirect_uri: DEMO_APP.redirect_uri }
const OWN = { grant_type: 'client_credentials' }

/** A code and tokens of the demo app for alice, by the shortcut, and tokens of a client that is not of demo mode. */
async function issueAll(demo: Service) {
  const codes = [await demo.code(APP), await demo.code(APP)] as const
  const user = (await demo.token(codeRequest(codes[0], APP))).json
  const foreign = (await demo.token(codeRequest(await demo.code()))).json
  const own = (await demo.token(OWN, SERVICE)).json
  return { code: codes[1], user, own, foreign }
}

/** The titles of the pages, or the error, that a person meets who signs in as alice at a client of the operator. */
async function signInAsAlice({ fastify }: Service) {
  const visitor = visitorOf(() => fastify)
  const login = await visitor.page(
    `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ subject: undefined as never }))}`,
  )
  return asPage(await signInOn(visitor, login, DEMO_USER, DEMO_PASSWORD)).title
}

for (const access_token_format of ACCESS_TOKEN_FORMATS) {
  t.test(`outside demo mode nothing of demo mode is accepted (${access_token_format})`, async (t) => {
    const options = { ...CHEAP, access_token_format, bearer_check_revocation: true }
    const demo = await startService(t, options)
    const { storage } = demo
    for (const id of [DEMO_SERVICE.client_id, DEMO_APP.client_id]) {
      t.equal((await readClient(storage, id))?.demo, 'true')
    }
    t.equal((await readUser(storage, DEMO_USER))?.demo, 'true')
    const { code, user, own, foreign } = await issueAll(demo)
    const api = async (service: Service, { access_token }: typeof user) =>
      (await service.get('/api/resource', bearer(String(access_token)))).status
    for (const tokens of [user, own, foreign]) t.equal(await api(demo, tokens), 200)
    t.notMatch(await signInAsAlice(demo), /Sign in/, 'demo mode accepts its user')

    const service = await startService(t, { ...options, storage, demo: false })
    const { token, get, post } = service
    const refused = { status: 401, json: { error: 'invalid_client' } }
    t.match(await token(OWN, SERVICE), refused)
    t.match(await token(codeRequest(code, APP)), refused)
    const refresh_token = String(user.refresh_token)
    t.match(await token({ grant_type: 'refresh_token', refresh_token, ...APP }), refused)
    t.equal((await get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest(APP))}`)).status, 400)
    for (const tokens of [user, own, foreign]) {
      t.equal(await api(service, tokens), 401)
      const introspected = await post(
        '/oauth2/introspect',
        { token: String(tokens.access_token) },
        basic('web'),
      )
      t.strictSame(introspected.json, { active: false })
    }
    t.match(
      await token({
        ...OWN,
        grant_type: 'refresh_token',
        client_id: 'app',
        refresh_token: String(foreign.refresh_token),
      }),
      {
        status: 400,
        json: { error: 'invalid_grant' },
      },
    )
    t.match(await signInAsAlice(service), /Sign in/)
    const log = service.log.join('')
    for (const line of ['client remove demo-service', 'client remove demo-app', 'user remove alice']) {
      t.match(log, line)
    }
  })
}

t.test('an application that embeds the service is told when it listens, unless it declines', async (t) => {
  const { storage } = await startService(t)
  const linesOf = async (warn_of_leftovers: boolean) => {
    const { fastify, log } = await startService(t, { storage, demo: false, warn_of_leftovers })
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    return log.filter((line) => line.includes('"level":40') && line.includes('demo mode is in storage'))
  }
  t.equal((await linesOf(true)).length, 7)
  t.strictSame(await linesOf(false), [])
})
