// What would be: the same as what is, on random requests, and nothing is written.
import { randomInt } from 'node:crypto'
import t, { type Test } from 'tap'
import type { WhatIfBody } from '../../../../src/admin/explanations.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import type { RefusedRequest } from '../../../../src/core/refusal.ts'
import { whatIf } from '../../../../src/explain/what-if.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CHEAP, userRecord } from '../../../support/accounts.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { detailsOf, PAYMENT, storePayments } from '../../../support/details.ts'
import { observed, ofRequests } from '../../../support/observed.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS, codeRequest, SECRET } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

const RUNS = Number(process.env.WHAT_IF_RUNS ?? 60)
const [API, OFF, OTHER] = ['https://api.example.com', 'https://off.example.com', 'https://other.example.com']
const SETTINGS = { ...CHEAP, second_factor: 'off', passkeys: 'off', sign_in_failures: 1000 } as const

async function start(test: Test) {
  const memory = new MemoryStorage()
  const calls: string[] = []
  const note = ofRequests((call, run) => {
    calls.push(call)
    return run()
  })
  const storage = observed(memory, note)
  const people = await scene(test, { ...SETTINGS, storage })
  const put = (id: string, hash: Record<string, string>) =>
    memory.records.put({ kind: { name: 'resource' }, id, hash: { resource: id, ...hash } })
  await put(API, { scopes: 'api.read' })
  await put(OFF, { scopes: 'api.read', disabled: 'true' })
  await put(OTHER, { scopes: 'other.read' })
  await createUser(memory, 'off', { ...(await userRecord('sub-of-off')), disabled: 'true' })
  await createUser(memory, 'staff', { ...(await userRecord('sub-of-staff')), 'claim:groups': '["staff"]' })
  await createUser(memory, 'twin', await userRecord('own'))
  const closed = { ...CLIENTS.app, client_id: 'closed', allowed_groups: ['staff'] } as const
  await createClient(memory, 'closed', formatClient(closed))
  await storePayments(memory, {}, ['shop', 'own'])
  await createClient(memory, 'gone', formatClient({ ...CLIENTS.app, client_id: 'gone', disabled: true }))
  await createClient(memory, 'machine', formatClient({ ...CLIENTS.service, client_id: 'machine' }))
  return { ...people, memory, calls }
}

const pick = <T>(choices: readonly T[]): T => choices[randomInt(choices.length)] as T

t.test('what would be is what is, on random requests (I7)', async (t) => {
  const { visitor, fastify, token } = await start(t)
  const refused: RefusedRequest[] = []
  fastify.redmint.refusals.on('refused', (one) => refused.push(one))
  const outcomes = new Set<string>()
  for (let run = 0; run < RUNS; run++) {
    const username = pick(['alice', 'alice', 'bob', 'staff', 'off', 'twin', 'nobody'])
    const client_id = pick(['shop', 'own', 'closed', 'gone', 'nothing', 'machine'])
    const scope = pick([undefined, 'openid', 'openid profile', 'api.read', 'admin'])
    const resource = pick([undefined, undefined, API, OFF, OTHER, 'https://unknown.example.com'])
    const acr = pick([undefined, undefined, undefined, '1', '2'])
    const authorization_details = pick([undefined, undefined, detailsOf(), detailsOf({ type: 'none' }), '[]'])
    const asked = {
      ...{ username, client_id, scope, acr, authorization_details },
      ...(resource && { resource: [resource] }),
    }
    const would = await whatIf(fastify.redmint, asked)
    const told = would.rules.find(({ passed }) => !passed)?.reason ?? 'allowed'

    refused.length = 0
    const claims = acr && JSON.stringify({ id_token: { acr: { essential: true, value: acr } } })
    const uri = client_id === 'machine' ? { redirect_uri: undefined } : {}
    const browser = visitor()
    let code: string | null = null
    let is_closed = false
    const first = await browser.open(
      requestUrl({ client_id, scope, resource, claims, authorization_details, ...uri }),
    )
    let next =
      'location' in first || !first.text.includes('name="password"')
        ? first
        : await signInOn(browser, first, username)
    if (!('location' in next) && /may not use|no access/i.test(next.text + next.title)) is_closed = true
    else if (!('location' in next) && next.buttons.some((one) => one.includes('allow')))
      next = await browser.submit(asPage(next), { decision: 'allow' })
    if ('location' in next) code = next.told.get('code')
    const is =
      code !== null ? 'allowed' : is_closed ? 'access_by_group' : (refused.at(-1)?.reason ?? 'no reason')
    t.equal(told, is, JSON.stringify(asked))
    outcomes.add(is)
    if (code === null || would.tokens === undefined) continue
    const secret = CLIENTS.app.is_public ? {} : { client_secret: SECRET }
    const { json } = await token(codeRequest(code, { client_id, ...secret, ...(resource && { resource }) }))
    const { access_token, refresh_token, id_token } = would.tokens
    t.equal(json.scope, access_token.scope)
    t.strictSame(json.authorization_details, access_token.details)
    t.equal(json.expires_in, access_token.expires_in)
    t.equal(json.refresh_token !== undefined, refresh_token)
    t.equal(json.id_token !== undefined, id_token !== undefined)
  }
  t.ok(outcomes.size > 5, [...outcomes].join(' '))
})

t.test('nothing is written, and no counter changes (I6)', async (t) => {
  const { fastify, calls } = await start(t)
  calls.length = 0
  for (const username of ['alice', 'nobody', 'off'])
    for (const client_id of ['shop', 'closed', 'nothing'])
      await whatIf(fastify.redmint, { username, client_id, scope: 'openid', resource: [API] })
  t.strictSame([...new Set(calls.map((call) => call.replace(/ .*/, '')))], ['read'])
  t.equal(fastify.redmint.counts.refusals.size, 0)
})

t.test('the command says it in rules, and by its exit code', async (t) => {
  const { memory } = await start(t)
  const { redmint } = createCli({
    storage: memory,
    environment: { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' },
  })
  const result = await redmint([
    'explain',
    '--user',
    'alice',
    '--client',
    'own',
    '--scope',
    'openid email',
    '--json',
  ])
  t.equal(result.code, 0, result.stderr)
  const answer = parsed(result) as unknown as WhatIfBody
  t.match(answer, {
    allowed: true,
    tokens: {
      access_token: { format: 'opaque', expires_in: 900, scope: 'openid email' },
      refresh_token: true,
      userinfo: { sub: 'sub-of-alice', email: 'alice@example.com' },
    },
  })
  t.ok(answer.rules.every(({ passed }) => passed))
  const for_payment = ['explain', '--user', 'alice', '--client', 'own', '--details', detailsOf(), '--json']
  t.match(parsed(await redmint(for_payment)), {
    asks_consent: true,
    tokens: { access_token: { scope: '', authorization_details: [PAYMENT] } },
  })
  const closed = await redmint(['explain', '--user', 'alice', '--client', 'closed'])
  t.match(closed, {
    code: 1,
    stdout: /access +refused +access_by_group +\{"groups":\[\]\} +\{"allowed_groups":\["staff"\]\}/,
  })
  t.match(await redmint(['explain', '--user', 'alice']), { code: 2 })
  t.match(await redmint(['explain', 'an-id-of-a-request', '--acr', '1']), { code: 2 })
})
