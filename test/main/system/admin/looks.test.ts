// Looking at a person is an event: every way to one person makes one, and lists make none. I8 of the review.
import t, { type Test } from 'tap'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import type { AuditEntry } from '../../../../src/audit/entry.ts'

import { ROWS } from '../../../support/admin/rows.ts'
import { TOOL } from '../../../support/admin.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { createUser } from '../../../support/records.ts'
import { indexUsers } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

const EVERYTHING = ['redmint:read', 'redmint:write']
const MINUTE = 60

async function start(t: Test) {
  const service = await scene(t, { with: ['console'], clients: [TOOL] })
  const { log, trail, call, tokenOf } = service
  /** Whom the events since the last call say somebody looked at. */
  const looks = () =>
    log
      .splice(0)
      .map((line): Record<string, unknown> => JSON.parse(line))
      .flatMap(({ event, username }) => (event === 'user_viewed' ? [username] : []))
  /** Calls the admin API as somebody who has looked at nobody yet. */
  const freshly = async (method: string, path: string, more: object = {}) => {
    const token = await tokenOf(...EVERYTHING)
    looks()
    return call(method, path, { token, ...more })
  }
  const entries = async () => (await trail()).filter(({ event }) => event === 'user_viewed')
  return { ...service, looks, freshly, entries }
}

t.test('I8 each operation that reads about one person is a look, and no other that reads', async (t) => {
  const { freshly, looks } = await start(t)
  for (const { name, method, path } of Object.values(OPERATIONS).filter(({ method }) => method === 'GET')) {
    await freshly(method, ROWS[name]?.path ?? '')
    t.same(looks(), path.includes(':username') ? ['alice'] : [], name)
  }
  await freshly('GET', '/users?q=alice')
  t.same(looks(), [], 'a search is a list')
})

t.test('I8 so is what shows a person otherwise', async (t) => {
  const { storage, operator, trail, freshly, looks, call, tokenOf, tokenFor } = await start(t)
  await indexUsers(storage)
  await operator('ada')
  await until('the sign-in is in the trail', async () =>
    (await trail()).some(({ actor, event }) => event === 'sign_in_succeeded' && actor.username === 'ada'),
  )
  await until('the session is among the newest', async () =>
    (await freshly('GET', '/sessions?username=ada')).text.includes('"ada"'),
  )
  const { items } = (await freshly('GET', '/sessions?username=ada')).json
  const [{ sid }] = items as [{ sid: string }]
  const asked = { username: 'alice', client_id: 'web' }
  // It counts as a change of the account.
  t.equal((await freshly('POST', '/users/alice/enable', {})).status, 200)
  t.same(looks(), ['alice'])
  const version = String((await freshly('GET', '/users/alice')).headers.etag)
  const headers = { 'if-match': version }
  for (const [whom, method, path, more] of [
    ['ada', 'GET', '/events?username=ada', {}],
    ['ada', 'GET', '/events?actor=sub-of-ada', {}],
    ['ada', 'GET', '/sessions?username=ada', {}],
    ['ada', 'GET', `/sessions?sid=${sid}`, {}],
    ['ben', 'POST', '/tokens/inspect', { body: { token: await tokenFor('ben', 'redmint:read') } }],
    ['alice', 'POST', '/explanations/what-if', { body: asked }],
    ['alice', 'POST', '/explanations/what-if', { body: { ...asked, client_id: 'none' } }],
    ['alice', 'PATCH', '/users/alice', { headers, body: {} }],
    ['alice', 'PATCH', '/users/alice?dry_run=true', { headers, body: { claims: { email: null } } }],
    ['alice', 'DELETE', '/users/alice?dry_run=true', { headers }],
  ] as const) {
    const { status, text } = await freshly(method, path, more)
    t.equal(status, 200, text)
    t.same(looks(), [whom], `${method} ${path}`)
  }
  for (const [status, method, path, more] of [
    [404, 'GET', '/users/nobody', {}],
    [404, 'GET', '/users/nobody/sessions', {}],
    [200, 'GET', '/events?username=nobody', {}],
    [200, 'GET', '/sessions?username=nobody', {}],
    [200, 'GET', '/sessions?sid=none', {}],
    [200, 'GET', '/sessions?address=127.0.0.1', {}],
    [200, 'POST', '/tokens/inspect', { body: { token: await tokenOf('redmint:users:read') } }],
    [200, 'POST', '/explanations/what-if', { body: { ...asked, username: 'nobody' } }],
    [200, 'PATCH', '/users/alice', { headers, body: { claims: { nickname: 'al' } } }],
  ] as const) {
    t.equal((await freshly(method, path, more)).status, status, path)
    t.same(looks(), [], `${method} ${path}: nobody is seen, or the change says it`)
  }
  const token = await tokenOf('redmint:clients:read')
  t.equal((await call('GET', '/users/alice', { token })).status, 403)
  t.same(looks(), [], 'who is refused has seen nobody')
})

t.test('I8 an entry says who looked at whom, by subs, and in which request', async (t) => {
  const { call, tokenFor, entries } = await start(t)
  const token = await tokenFor('ben', 'redmint:read')
  const { headers } = await call('GET', '/users/alice', { token })
  await until('it is written', async () => (await entries()).length > 0)
  t.match(await entries(), [
    {
      actor: { kind: 'operator', id: 'sub-of-ben', via: 'api', client_id: 'tool' },
      targets: [{ kind: 'user', id: 'sub-of-alice' }],
      context: { request_id: headers['x-request-id'], address: '127.0.0.1' },
    },
  ])
})

t.test('I8 pages of one person are one look for a quarter of an hour, for each who looks', async (t) => {
  const { operator, looks, passWithKeys } = await start(t)
  const [ada, ben] = [await operator(), await operator('ben')]
  const pages = ['', '/sessions', '/applications', '/consents', '/edit'].map(
    (more) => `/console/people/alice${more}`,
  )
  const goThrough = async (browser: typeof ada) => {
    for (const page of pages) await browser.page(page)
  }
  looks()
  await goThrough(ada)
  t.same(looks(), ['alice'])
  await goThrough(ben)
  t.same(looks(), ['alice'], 'somebody else')
  await ada.page('/console/people/bob')
  t.same(looks(), ['bob'], 'somebody else is looked at')
  await passWithKeys(14 * MINUTE)
  await goThrough(ada)
  t.same(looks(), [])
  await passWithKeys(MINUTE)
  await goThrough(ada)
  t.same(looks(), ['alice'], 'looking on does not put it off')
  for (const path of ['/console', '/console/people', '/console/people?q=alice', '/console/sessions'])
    await ada.page(path)
  t.same(looks(), [], 'lists')
})

t.test('I8 the command on the host looks, too', async (t) => {
  const { storage, redmint } = createCli({
    environment: { REDIS_URL: 'redis://127.0.0.1:1', AUDIT: 'on', LOG_LEVEL: 'warn' },
  })
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  const seen = async () =>
    parsed<{ items: AuditEntry[] }>(await redmint(['audit', 'search', '--event', 'user_viewed', '--json']))
      .items
  for (const args of [
    ['user', 'list'],
    ['user', 'show', 'nobody'],
    ['user', 'disable', 'alice'],
  ])
    await redmint(args)
  t.same(await seen(), [])
  for (const args of [
    ['user', 'show', 'alice'],
    ['user', 'sessions', 'alice'],
    ['user', 'grants', 'alice'],
    ['explain', '--user', 'alice', '--client', 'web'],
  ]) {
    const before = (await seen()).length
    await redmint(args)
    const [last, ...others] = await seen()
    t.equal(others.length, before, args.join(' '))
    t.match(last, {
      actor: { kind: 'operator', via: 'command' },
      targets: [{ kind: 'user', id: 'sub-of-alice' }],
    })
  }
})
