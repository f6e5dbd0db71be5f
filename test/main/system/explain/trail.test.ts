// How far a client came, in order, and which side is to act.
import t, { type Test } from 'tap'
import type { ConnectionTrailBody } from '../../../../src/admin/explanations.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { startAdmin } from '../../../support/admin.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import {
  allow,
  askConsent,
  CLIENT_URL,
  redeem,
  startWithDocuments,
} from '../../../support/clients/document-clients.ts'
import { instead } from '../../../support/instead.ts'
import { observed } from '../../../support/observed.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { APP } from '../../../support/registration.ts'
import { indexUsers } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import {
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  startService,
  type TestOptions,
} from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' }
const GATEWAY = { ...CLIENTS.service, client_id: 'gateway', can_introspect: true }

/** A service whose steps are written at once, and what operators read of them. */
async function start(t: Test, options: TestOptions = {}) {
  const service = await startService(t, { explain: { delay: 1 }, ...options })
  const { storage, token, post } = service
  await createClient(storage, 'gateway', formatClient(GATEWAY))
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const read = async (client_id: string) =>
    parsed(
      await redmint(['explain', '--client', client_id, '--trail', '--json']),
    ) as unknown as ConnectionTrailBody
  const stepsOf = async (client_id: string) => (await read(client_id)).steps.map(({ step }) => step)
  /** Waits for the last step of a client. */
  const trail = async (client_id: string, last: string) => {
    await until(`the last step is ${last}`, async () => (await stepsOf(client_id)).at(-1) === last)
    return read(client_id)
  }
  const signIn = async (overrides: Record<string, string> = {}) => {
    const answer = await token(codeRequest(await service.code(overrides)))
    return String(answer.json.access_token)
  }
  const introspect = (access_token: string, client_id = 'gateway') =>
    post('/oauth2/introspect', { token: access_token }, basic(client_id))
  return { ...service, redmint, read, trail, stepsOf, signIn, introspect }
}

t.test('a client that took an opaque token and never called: the client is to act', async (t) => {
  const { signIn, trail, redmint } = await start(t)
  await signIn()
  const found = await trail('app', 'token')
  t.match(found, { to_act: 'client', more: 0 })
  const [authorized, token] = found.steps
  t.match(
    [authorized, token],
    [{ step: 'authorized' }, { step: 'token', format: 'opaque', from: '127.0.0.1' }],
  )
  t.ok(authorized?.grant)
  t.equal(authorized?.grant, token?.grant, 'both are of one connection')
  const at = token?.at.replace(/\.\d+Z$/, 'Z')
  t.equal(
    found.sentence,
    `The client took a token at ${at}, and no API asked about it since: look at the client. Only if its log shows that it called the API, look at the API: it does not ask this server.`,
  )
  const { code, stdout } = await redmint(['explain', '--client', 'app', '--trail'])
  t.equal(code, 0)
  t.match(stdout, /^AT +GRANT +WHAT HAPPENED\n.*finished the sign-in.*\n.*took an opaque token/)
  t.ok(stdout.endsWith(`${found.sentence}\n`), 'it ends with who is to act')
})

t.test('an API that asked: it is to act, and its question is a step once for each token', async (t) => {
  const { signIn, introspect, trail } = await start(t)
  const access_token = await signIn()
  for (let i = 0; i < 3; i++) t.equal((await introspect(access_token)).json.active, true)
  const { steps, to_act, sentence } = await trail('app', 'api')
  t.match(steps.at(-1), { endpoint: 'introspect', by: 'gateway', grant: steps[0]?.grant })
  t.equal(steps.length, 3)
  t.equal(to_act, 'api')
  t.match(sentence, /^gateway asked about the token at .* and was told that it counts/)
})

t.test('a token that is shown to this server itself, and then refused', async (t) => {
  const { signIn, trail, get, post } = await start(t)
  const access_token = await signIn()
  t.equal((await get('/api/resource', bearer(access_token))).status, 200)
  t.match((await trail('app', 'api')).steps.at(-1), { endpoint: 'api' })
  t.equal((await post('/oauth2/revoke', { token: access_token, client_id: 'app' })).status, 200)
  t.equal((await get('/api/resource', bearer(access_token))).status, 401)
  t.match((await trail('app', 'api_refused')).steps.at(-1), { endpoint: 'api', reason: 'token_invalid' })
})

t.test('a client that asks about its own token is no API', async (t) => {
  const { token, introspect, trail } = await start(t)
  const { json } = await token({ grant_type: 'client_credentials' }, basic('web'))
  for (const asker of ['web', 'gateway'])
    t.equal((await introspect(String(json.access_token), asker)).json.active, true, asker)
  const { steps } = await trail('web', 'api')
  t.match(steps, [{ step: 'token' }, { step: 'api', by: 'gateway' }])
  t.equal(steps.length, 2)
})

t.test('of a JWT that APIs check themselves it is said that nothing is seen of it here', async (t) => {
  const { signIn, trail, introspect, get } = await start(t, { access_token_format: 'jwt' })
  const access_token = await signIn()
  const { to_act, sentence } = await trail('app', 'token')
  t.equal(to_act, 'unseen')
  t.match(sentence, /APIs check such tokens themselves, and whether it called one cannot be seen from here/)
  await get('/userinfo', bearer(access_token))
  t.match(await trail('app', 'api'), { to_act: 'nobody', sentence: /^This server accepted the token/ })
  await introspect(access_token)
  await until('the API is seen', async () => (await trail('app', 'api')).to_act === 'api')
})

t.test('what this server refused is a step with its rule, and the id that explains it', async (t) => {
  const { authorize, token, code, trail } = await start(t)
  const refused = await authorize({ redirect_uri: 'https://other.example/' })
  const request = String(refused.headers['x-request-id'])
  t.match(await trail('app', 'refused'), {
    steps: [{ step: 'refused', endpoint: 'authorize', reason: 'redirect_uri_unregistered', request }],
    to_act: 'client',
    sentence: new RegExp(`was refused here at .*redmint explain ${request} says more`),
  })
  await token(codeRequest(await code(), { code_verifier: 'x'.repeat(43) }))
  await until('it is the last', async () => {
    const { steps } = await trail('app', 'refused')
    return steps.at(-1)?.reason === 'code_verifier_wrong'
  })
})

t.test('a token that is refused where it is shown: the rule, and whose it was', async (t) => {
  const { signIn, trail, get, post, introspect, stepsOf } = await start(t)
  const access_token = await signIn({ scope: 'api.read' })
  t.equal((await get('/userinfo', bearer(access_token))).status, 403)
  const found = await trail('app', 'api_refused')
  t.match(found, { to_act: 'client', sentence: /was refused at/ })
  t.match(found.steps.at(-1), { endpoint: 'userinfo', reason: 'token_scope', grant: found.steps[0]?.grant })
  // Anybody can show what no token of this server is: that is nobody's step.
  const before = (await stepsOf('app')).length
  await get('/userinfo', bearer(`${access_token.slice(0, -4)}AAAA`))
  t.equal((await introspect(access_token, 'service')).json.active, false)
  await until('the API is refused', async () => (await stepsOf('app')).length === before + 1)
  t.match((await trail('app', 'api_refused')).steps.at(-1), {
    by: 'service',
    reason: 'token_of_other_audience',
  })
  t.equal((await trail('app', 'api_refused')).to_act, 'operator', 'it lets the client of the API introspect')
  await post('/oauth2/revoke', { token: access_token, client_id: 'app' })
  await introspect(access_token)
  await until(
    'it is revoked',
    async () => (await trail('app', 'api_refused')).steps.at(-1)?.fault === 'revoked',
  )
})

t.test('a sign-in that nobody finished, and one whose code nobody fetched', async (t) => {
  const { authorize, trail } = await start(t)
  t.equal((await authorize({ subject: undefined })).status, 302)
  t.match(await trail('app', 'asked'), {
    steps: [{ step: 'asked', from: '127.0.0.1' }],
    to_act: 'person',
    sentence: /Anybody can open such a page/,
  })
  await authorize()
  t.match(await trail('app', 'authorized'), {
    to_act: 'client',
    sentence: /the client did not fetch its token since/,
  })
})

t.test('an API whose own credentials are wrong is to act', async (t) => {
  const { signIn, trail, post, read } = await start(t)
  const access_token = await signIn()
  await trail('app', 'token')
  await post('/oauth2/introspect', { token: access_token }, basic('gateway', 'wrong'))
  await until('it is seen', async () => (await read('app')).to_act === 'api')
  t.match(
    (await read('app')).sentence,
    /an API that asked about tokens since, as gateway, was refused itself/,
  )
})

t.test('reading the metadata is tied by network and time to what a client did after it', async (t) => {
  let time = Date.now()
  const { request, trail, storage } = await start(t, { client_registration: 'open', now: () => time })
  const read = (remoteAddress: string) =>
    request({ method: 'GET', url: '/.well-known/oauth-authorization-server', remoteAddress })
  for (const address of ['192.0.2.1', '192.0.2.2']) t.equal((await read(address)).status, 200)
  const unproven = () => storage.bounded.read('connection-steps:strangers')
  await until('both are kept', async () => (await unproven()).length === 2)
  time += 5_000
  const { json } = await request({
    method: 'POST',
    url: '/oauth2/register',
    payload: APP,
    remoteAddress: '192.0.2.2',
  })
  const client_id = String(json.client_id)
  const { steps, to_act, sentence } = await trail(client_id, 'registered')
  t.match(steps, [
    { step: 'discovery', from: '192.0.2.2', tied_by: 'network', sentence: /by network and time only/ },
    { step: 'registered', from: '192.0.2.2' },
  ])
  t.equal(steps.length, 2, 'another network is somebody else')
  t.equal(to_act, 'client')
  t.match(sentence, /has begun no sign-in since/)
})

t.test(
  'a client that a document describes: its document, and who signed in, by the name of today',
  async (t) => {
    const { visitor, token, storage } = await startWithDocuments(t, { explain: { delay: 1 } })
    await indexUsers(storage)
    const { redmint } = createCli({ storage, environment: ENVIRONMENT })
    const alice = visitor()
    await token(redeem(await allow(alice, await askConsent(alice, { scope: 'openid' }))))
    const read = async () =>
      parsed(
        await redmint(['explain', '--client', CLIENT_URL, '--trail', '--json']),
      ) as unknown as ConnectionTrailBody
    await until('the token is a step', async () => (await read()).steps.at(-1)?.step === 'token')
    const { steps } = await read()
    t.match(steps, [
      { step: 'document', sentence: 'This server read the document that describes the client.' },
      { step: 'asked' },
      { step: 'authorized', username: 'alice', sentence: /^alice finished the sign-in/ },
      { step: 'token', username: 'alice' },
    ])
    t.equal(steps.length, 4)
  },
)

t.test('redmint mcp doctor says how far a client came, and which API its token is for', async (t) => {
  const { signIn, trail, redmint } = await start(t)
  await signIn()
  await trail('app', 'token')
  const url = 'http://127.0.0.1:1/mcp'
  const result = await redmint(['mcp', 'doctor', url, '--client', 'app', '--json'])
  t.equal(result.code, 1, 'the MCP server does not answer')
  t.match(parsed(result), {
    findings: [
      { id: 'first_request' },
      {
        id: 'last_token',
        level: 'warning',
        finding: `the last token of app is for no API, and not for ${url}`,
      },
    ],
    trail: { client_id: 'app', to_act: 'client' },
  })
  const { stdout } = await redmint(['mcp', 'doctor', url, '--client', 'app'])
  t.match(stdout, /1 problem, 1 warning\.\n\nAT +GRANT +WHAT HAPPENED\n/)
  t.match(stdout, /look at the client\..*\n$/)
})

t.test('the console shows the steps, who is to act, and what explains a refusal', async (t) => {
  const { operator, storage, authorize } = await scene(t, { with: ['console'], explain: { delay: 1 } })
  const refused = await authorize({ client_id: 'web', redirect_uri: 'https://other.example/' })
  const id = String(refused.headers['x-request-id'])
  await until(
    'it is kept',
    async () => (await storage.bounded.read('explanations', { name: id })).length === 1,
  )
  const ada = await operator()
  const page = await ada.page('/console/applications/web/connection')
  t.match(page.text, /<div class="notice warn".*The last request of the client was refused here at/s)
  t.match(page.text, `/console/explain?id=${id}`)
  const none = await ada.page('/console/applications/service/connection')
  t.match(none.text, 'Nothing of this client is kept')
})

t.test('a command line that cannot be', async (t) => {
  const { redmint } = await start(t)
  t.match(await redmint(['explain', '--trail']), { code: 2, stderr: /--trail needs --client/ })
  for (const more of [['an-id'], ['--user', 'alice'], ['--log', '-']])
    t.match(await redmint(['explain', ...more, '--client', 'app', '--trail']), {
      code: 2,
      stderr: /give nothing but --client and --last/,
    })
})

t.test('a client that never came: nothing is kept, and it is to act', async (t) => {
  const { read } = await start(t)
  t.match(await read('unheard-of'), { steps: [], to_act: 'client', sentence: /it did not come here lately/ })
})

t.test('no step has a secret, a code, a token, or a name that outlives its person', async (t) => {
  const { signIn, code, introspect, storage, trail, get } = await start(t)
  await createUser(storage, 'alice', { sub: 'alice' })
  const spent = await code()
  const access_token = await signIn()
  await introspect(access_token)
  await get('/userinfo', bearer(access_token))
  await trail('app', 'api')
  const kept = JSON.stringify([
    await storage.bounded.read('connection-steps'),
    await storage.bounded.read('connection-steps:strangers'),
  ])
  for (const secret of [spent, access_token]) {
    t.match(kept, secret.slice(0, 16), 'the grant, which gives no access')
    t.notMatch(kept, secret.slice(17, 22))
  }
  t.notMatch(kept, 'username')
})

t.test('turned off it keeps nothing, and nobody hears of steps', async (t) => {
  const { signIn, storage, fastify } = await start(t, { explain_max: 0 })
  await signIn()
  t.strictSame(fastify.redmint.steps.eventNames(), [])
  t.strictSame(await storage.bounded.read('connection-steps'), [])
  const off = createCli({ storage, environment: { ...ENVIRONMENT, EXPLAIN_MAX: '0' } })
  t.match(await off.redmint(['explain', '--client', 'app', '--trail']), {
    code: 0,
    stdout: /^No explanations are kept: EXPLAIN_MAX is 0\./,
  })
})

t.test('steps cost no request a call of storage', async (t) => {
  const callsWith = async (explain_max: number) => {
    const calls: string[] = []
    const storage = observed(new MemoryStorage(), (call, run) => {
      calls.push(call)
      return run()
    })
    // What waits is not written while the test runs.
    const options = { storage, explain_max, explain: { delay: 86_400_000 } }
    const { signIn, introspect, get, authorize, fastify } = await start(t, options)
    const before = calls.length
    const access_token = await signIn()
    await introspect(access_token)
    await get('/userinfo', bearer(access_token))
    await get('/.well-known/openid-configuration')
    await authorize({ subject: undefined })
    await authorize({ redirect_uri: 'https://other.example/' })
    const made = calls.slice(before)
    await fastify.close()
    return {
      made,
      written: calls.slice(before + made.length).filter((call) => call === 'put connection-steps'),
    }
  }
  const [off, on] = [await callsWith(0), await callsWith(1000)]
  t.strictSame(on.made, off.made)
  t.strictSame(off.written, [])
  t.equal(on.written.length, 2, 'all of them together, in each list once')
})

t.test('without storage requests are answered as before, and what is lost is told again', async (t) => {
  let is_away = true
  const memory = new MemoryStorage()
  const { put } = memory.bounded
  const bounded = instead(memory.bounded, {
    put: async (...given: Parameters<typeof put>) => {
      if (is_away) throw new StorageUnavailable('away')
      await put.apply(memory.bounded, given)
    },
  })
  const { signIn, introspect, fastify, trail } = await start(t, { storage: instead(memory, { bounded }) })
  const { counts } = fastify.redmint
  const access_token = await signIn()
  t.equal((await introspect(access_token)).json.active, true)
  await until('steps are lost', () => counts.explanations_lost >= 3)
  is_away = false
  await introspect(access_token)
  t.match((await trail('app', 'api')).steps, [{ step: 'api' }])
})

t.test('the admin API answers it with the scope redmint:server:read, in two languages', async (t) => {
  const { call, tokenOf, authorize, storage } = await startAdmin(t, { explain: { delay: 1 }, demo: 'public' })
  await authorize()
  await until('it is kept', async () => (await storage.bounded.read('connection-steps')).length > 0)
  const token = await tokenOf('redmint:server:read')
  const read = (query: string) => call('GET', `/explanations/trail?${query}`, { token })
  t.match((await read('client_id=app&lang=de')).json, {
    client_id: 'app',
    to_act: 'client',
    sentence: /^Die Anmeldung war um .* beendet/,
  })
  t.equal((await read('')).status, 400)
  const other = await tokenOf('redmint:users:read')
  t.equal((await call('GET', '/explanations/trail?client_id=app', { token: other })).status, 403)
})
