// What is kept of refused requests, and how operators read it.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ExplanationAnswer } from '../../../../src/admin/explanations.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { startAdmin } from '../../../support/admin.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { observed } from '../../../support/observed.ts'
import {
  authorizationRequest,
  basic,
  codeRequest,
  REDIRECT_URI,
  startService,
  type TestOptions,
} from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' }
const NEAR = `${REDIRECT_URI.slice(0, -1)}x`
const HTML = { accept: 'text/html' }

async function start(t: Test, options: TestOptions = {}) {
  const service = await startService(t, { explain: { delay: 1 }, ...options })
  const { storage } = service
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const kept = async (id: string) => {
    await until('the explanation is kept', async () => await isKept(storage, id))
    const result = await redmint(['explain', id, '--json'])
    t.equal(result.code, 0, result.stderr)
    return parsed(result) as unknown as ExplanationAnswer
  }
  return { ...service, redmint, kept }
}

const idOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['x-request-id'])

t.test(
  'a refusal is explained by the id of its answer: what was received, and what to change (I1)',
  async (t) => {
    const { authorize, kept, redmint, get } = await start(t)
    const answer = await authorize({ redirect_uri: NEAR })
    const id = idOf(answer)
    t.match(await kept(id), {
      id,
      at: /^\d{4}-/,
      endpoint: 'authorize',
      client_id: 'app',
      reason: 'redirect_uri_unregistered',
      received: { redirect_uri: NEAR },
      expected: { redirect_uris: [REDIRECT_URI, 'http://127.0.0.1/callback'] },
      differences: [
        { name: 'redirect_uri', received: NEAR, expected: REDIRECT_URI, at: REDIRECT_URI.length - 1 },
      ],
      passed: ['arrival', 'parameters', 'request_object', 'required', 'client'],
      docs: 'docs/sign-in.md#redirect-uris',
      more: 0,
    })
    const { stdout } = await redmint(['explain', id])
    const [received = '', expected = '', mark = ''] = stdout
      .split('\n')
      .slice(stdout.split('\n').indexOf('redirect_uri') + 1)
    t.match([received, expected], [`received  ${NEAR}`, `expected  ${REDIRECT_URI}`])
    t.equal(mark.indexOf('^'), received.length - 1, 'under the first difference')
    const page = await get(`/oauth2/authorize?client_id=app&redirect_uri=${encodeURIComponent(NEAR)}`, HTML)
    t.match(page.text, idOf(page), 'the page says the id')
    t.notMatch(page.text, 'redirect_uri_unregistered', 'and not the reason')
  },
)

t.test(
  'an answer is the same whether an explanation of it is kept or not, but for its id (I4)',
  async (t) => {
    const answers = async (options: TestOptions) => {
      const { get, token } = await start(t, options)
      const path = `/oauth2/authorize?client_id=app&redirect_uri=${encodeURIComponent(NEAR)}`
      const all = [
        await get(path, HTML),
        await get(path),
        await token({ grant_type: 'odd' }, basic('web', 'no')),
      ]
      return all.map(({ status, headers: { date: _, ...headers }, text }, index) => {
        const id = String(headers['x-request-id'])
        if (index === 0) t.ok(text.includes(id), 'the page has the id')
        // What the form of the languages keeps is sealed anew each time, in the same length.
        const shown = JSON.stringify({ status, headers, text }).replaceAll(id, 'ID')
        return shown
          .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?/g, 'TIME')
          .replaceAll(/(?<![\w-])[\w-]{8}\.[\w-]{100,}/g, 'SEALED')
      })
    }
    t.strictSame(await answers({}), await answers({ explain_max: 0 }))
  },
)

t.test(
  'an explanation says which parameter, address or field it is, and what is wrong with it',
  async (t) => {
    const { authorize, token, kept, get, redmint } = await start(t)
    const repeated = await get('/oauth2/authorize?client_id=app&client_id=app')
    const { redirect } = await authorize({})
    const code = redirect.get('code') ?? ''
    const other = 'http://127.0.0.1/callback'
    for (const [answer, wanted] of [
      [repeated, { reason: 'parameter_repeated', expected: { parameter: 'client_id' } }],
      [await authorize({ nonce: '\u0000' }), { expected: { parameter: 'nonce' } }],
      [await authorize({ max_age: 'soon' }), { received: { max_age: 'soon' } }],
      [
        await authorize({ prompt: 'logn' }),
        { differences: [{ name: 'prompt', received: 'logn', expected: 'login' }] },
      ],
      [await authorize({ prompt: 'none login' }), { received: { prompt: ['none', 'login'] } }],
      [
        await authorize({ resource: 'https://no.example/?key=hunter2' }),
        { reason: 'resource_unknown', received: { resource: 'https://no.example/?key=…' } },
      ],
      [
        await token({ grant_type: 'client_credential' }, basic('web')),
        { differences: [{ received: 'client_credential', expected: 'client_credentials' }] },
      ],
      [
        await token(codeRequest(code, { redirect_uri: `${other}x` })),
        {
          reason: 'code_redirect_uri',
          client_id: 'app',
          differences: [{ received: `${other}x`, expected: other, at: other.length }],
        },
      ],
      [
        await get('/userinfo', { authorization: 'Bearer odd' }),
        { reason: 'token_invalid', received: { fault: /not a JWT/ } },
      ],
    ] as const)
      t.match(await kept(idOf(answer)), wanted)
    const id = idOf(await authorize({ prompt: 'logn' }))
    await kept(id)
    t.match((await redmint(['explain', id])).stdout, /received {2}logn\nexpected {2}login\n/)
  },
)

t.test('an explanation names the trace of its request', async (t) => {
  const { get, kept, redmint } = await start(t, { trace_context: 'all' })
  const trace_id = '0af7651916cd43dd8448eb211c80319c'
  const url = `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ redirect_uri: NEAR }))}`
  const id = idOf(await get(url, { traceparent: `00-${trace_id}-b7ad6b7169203331-01` }))
  t.equal((await kept(id)).trace_id, trace_id)
  t.match((await redmint(['explain', id])).stdout, `trace     ${trace_id}`)
  t.notOk('trace_id' in (await kept(idOf(await get(url)))), 'a request in none')
})

t.test('the language is that of the shell, and texts have no terminal escapes', async (t) => {
  const { authorize, kept, storage } = await start(t)
  const id = idOf(await authorize({ scope: 'openid \u001b[31mred' }))
  await kept(id)
  const { redmint } = createCli({ storage, environment: { ...ENVIRONMENT, LANG: 'de_DE.UTF-8' } })
  const { stdout } = await redmint(['explain', id])
  t.match(stdout, 'Ein Parameter ist nicht lesbar')
  t.notMatch(stdout.replaceAll('\n', ''), /\p{Cc}|\p{Cf}/u)
})

t.test('the last refusals are listed, and those of one client', async (t) => {
  const { authorize, token, kept, redmint } = await start(t)
  const first = idOf(await authorize({ code_challenge: undefined, code_challenge_method: undefined }))
  const second = idOf(await token({ grant_type: 'none' }, basic('web')))
  const third = idOf(await token({ grant_type: 'none' }, basic('service')))
  for (const id of [first, second, third]) await kept(id)
  const listed = async (...args: string[]) => {
    const { explanations } = parsed<{ explanations: ExplanationAnswer[] }>(
      await redmint(['explain', ...args, '--json']),
    )
    return explanations.map(({ reason, client_id }) => [reason, client_id])
  }
  t.strictSame(
    new Set((await listed('--last', '20')).map(([reason]) => reason)),
    new Set(['grant_type_unsupported', 'pkce_challenge_missing']),
  )
  t.strictSame(await listed('--last', '20', '--client', 'app'), [['pkce_challenge_missing', 'app']])
  t.match(await redmint(['explain', '--last', '20']), { code: 0, stdout: new RegExp(third) })
  t.match(await redmint(['explain', 'no-such-request-id']), {
    code: 1,
    stderr: /No explanation of this request is kept/,
  })
  t.match(await redmint(['explain']), { code: 2 })
  t.match(await redmint(['explain', '--last', '0']), { code: 2 })
})

t.test('a client_id that no client has is shown with the nearest one, and in no log (I3)', async (t) => {
  const { authorize, kept, log } = await start(t)
  const found = await kept(idOf(await authorize({ client_id: 'servise' })))
  t.match(found, {
    reason: 'client_unknown',
    received: { client_id: 'servise' },
    expected: { client_id: 'service' },
  })
  t.equal(found.client_id, undefined)
  t.notMatch(log.join(''), 'servise')
})

t.test('the log alone explains, without Redis (I10)', async (t) => {
  const { authorize, token, log } = await startService(t, { explain_max: 0 })
  const ids = [
    idOf(await authorize({ redirect_uri: NEAR })),
    idOf(await authorize({ scope: 'nothing' })),
    idOf(await token({ grant_type: 'none' }, basic('web'))),
    idOf(await token({ ...codeRequest('odd') })),
  ]
  const file = join(await mkdtemp(join(tmpdir(), 'redmint-')), 'redmint.log')
  await writeFile(file, `not JSON\n${log.join('')}`)
  const { redmint } = createCli({ environment: {} })
  const explained = async (id: string) => parsed(await redmint(['explain', id, '--log', file, '--json']))
  t.match(await explained(ids[0] ?? ''), {
    reason: 'redirect_uri_unregistered',
    endpoint: 'authorize',
    client_id: 'app',
    received: { redirect_uri: NEAR },
    differences: [{ received: NEAR, expected: REDIRECT_URI }],
  })
  t.match(await explained(ids[1] ?? ''), {
    reason: 'scope_not_allowed',
    client_id: 'app',
    expected: { scope: ['openid', 'api.read', 'api.write'] },
  })
  t.match(await explained(ids[2] ?? ''), { reason: 'grant_type_unsupported', endpoint: 'token' })
  t.match(await explained(ids[3] ?? ''), { received: { fault: 'not a code string' }, client_id: 'app' })
  t.match(await redmint(['explain', '--last', '2', '--log', '-'], log.join('')), {
    code: 0,
    stdout: /grant_type_unsupported/,
  })
  t.match(await redmint(['explain', 'another', '--log', file]), { code: 1, stderr: /^No line of/ })
  t.match(await redmint(['explain', 'another', '--log', '/no/such/file']), { code: 2 })
})

t.test('the admin API answers it with the scope redmint:server:read (I8)', async (t) => {
  const { call, tokenOf, authorize, storage } = await startAdmin(t, { explain: { delay: 1 }, demo: 'public' })
  const id = idOf(await authorize({ redirect_uri: NEAR }))
  await until('it is kept', async () => await isKept(storage, id))
  const token = await tokenOf('redmint:server:read')
  t.match((await call('GET', `/explanations/${id}?lang=de`, { token })).json, {
    id,
    reason: 'redirect_uri_unregistered',
    sentence: /^Die redirect_uri/,
  })
  const { json } = await call('GET', '/explanations?last=1&client_id=app', { token })
  t.match(json, { items: [{ id }] })
  t.match((await call('GET', '/explanations/unknown-id', { token })).status, 404)
  const other = await tokenOf('redmint:users:read')
  const refused = await call('GET', `/explanations/${id}`, { token: other })
  t.equal(refused.status, 403)
  const why = async (answer: { headers: Record<string, unknown> }) => {
    const id = idOf(answer)
    await until('it is kept', async () => await isKept(storage, id))
    return (await call('GET', `/explanations/${id}`, { token })).json
  }
  t.match(await why(refused), { endpoint: 'admin', reason: 'admin_scope_missing' })
  const misspelt = await call('GET', '/explanations?lst=20', { token })
  t.match(await why(misspelt), { reason: 'admin_request_malformed', received: { fields: ['lst'] } })
})

t.test('what would be refused is said in words, too, in the language of the shell', async (t) => {
  const { storage } = await start(t)
  for (const [LANG, said] of [
    ['en_GB.UTF-8', /\nNo user has the name that was typed\..*\n.*redmint user list/],
    ['de_DE.UTF-8', /\nKein Benutzer.*\n.*redmint user list/],
  ] as const) {
    const { redmint } = createCli({ storage, environment: { ...ENVIRONMENT, LANG } })
    t.match(await redmint(['explain', '--user', 'nobody', '--client', 'app']), { code: 1, stdout: said })
  }
})

t.test('without storage requests are answered as before, and losses are counted and said once', async (t) => {
  let is_away = true
  const storage = observed(new MemoryStorage(), (call, run) => {
    if (call === 'put explanations' && is_away) throw new StorageUnavailable('away')
    return run()
  })
  const { authorize, get, log, kept } = await start(t, { storage })
  for (let i = 1; i <= 3; i++) {
    t.equal((await authorize({ redirect_uri: NEAR })).status, 400)
    await until('it is lost', async () => lostIn((await get('/actuator/prometheus')).text) >= i)
  }
  t.equal(log.filter((line) => line.includes('Explanations of refusals cannot be kept')).length, 1)
  is_away = false
  await kept(idOf(await authorize({ redirect_uri: NEAR })))
})

const isKept = async ({ bounded }: Pick<Storage, 'bounded'>, id: string) =>
  (await bounded.read('explanations', { name: id })).length === 1

const lostIn = (text: string) => Number(/^redmint_explanations_lost_total (\d+)$/m.exec(text)?.[1] ?? 0)

t.test('a flood of one kind is counted on its record, and not stored (I2)', async (t) => {
  const { authorize, kept, storage, redmint } = await start(t)
  const other = idOf(await authorize({ scope: 'nothing' }))
  await kept(other)
  const ids: string[] = []
  for (let i = 0; i < 60; i++) ids.push(idOf(await authorize({ redirect_uri: NEAR })))
  await until(
    'all are counted',
    async () => (await storage.bounded.read('explanations', { last: 1 }))[0]?.more === 40,
  )
  t.equal((await storage.bounded.read('explanations')).length, 21)
  t.match(await kept(ids[19] ?? ''), { more: 40 })
  t.ok(await isKept(storage, other))
  t.match(await redmint(['explain', ids[3] ?? '']), { code: 0, stdout: /40 more like it are only counted/ })
})

t.test('turned off it keeps nothing', async (t) => {
  const { authorize, storage, get, fastify } = await start(t, { explain_max: 0 })
  const id = idOf(await authorize({ redirect_uri: NEAR }))
  t.notOk(fastify.hasPlugin('redmint-explain'))
  t.equal(fastify.redmint.refusals.listenerCount('refused'), 0)
  t.strictSame(await storage.bounded.read('explanations'), [])
  t.notMatch((await get('/actuator/prometheus')).text, 'redmint_explanations_lost_total')
  t.match(
    (await get('/actuator/prometheus')).text,
    'redmint_refusals_total{endpoint="authorize",reason="redirect_uri_unregistered"} 1',
  )
  const off = createCli({ storage, environment: { ...ENVIRONMENT, EXPLAIN_MAX: '0' } })
  t.match(await off.redmint(['explain', id]), { code: 1, stderr: /EXPLAIN_MAX is 0/ })
  const last = ['explain', '--last', '5']
  t.match(await off.redmint(last), { code: 0, stdout: /^No explanations are kept: EXPLAIN_MAX is 0\./ })
  t.match(parsed(await off.redmint([...last, '--json'])), { explanations: [], off: /EXPLAIN_MAX is 0/ })
  const on = createCli({ storage, environment: ENVIRONMENT })
  t.match(await on.redmint(last), { code: 0, stdout: 'No refusal was found.\n' })
})

t.test('what is answered is no refusal', async (t) => {
  const { get, fastify } = await start(t)
  await get(`/oauth2/authorize?${new URLSearchParams(authorizationRequest())}`)
  t.equal(fastify.redmint.counts.refusals.size, 0)
})
