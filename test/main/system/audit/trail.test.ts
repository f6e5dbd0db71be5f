// The audit trail of a running service: each change has one entry, people are named by their subs, and nothing secret is in it.
import t, { type Test } from 'tap'
import { OPERATIONS } from '../../../../src/admin/operations.ts'
import { csvLine } from '../../../../src/audit/csv.ts'
import { trimTrail } from '../../../../src/audit/trim.ts'
import { SILENT } from '../../../../src/core/log.ts'
import type { TrailPart } from '../../../../src/storage/trail.ts'
import { adminCalls, createAdministrator, startAdmin } from '../../../support/admin.ts'
import { AUDIT_KEY, entriesIn, recorderOn } from '../../../support/audited.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { createUser } from '../../../support/records.ts'
import { SECRET } from '../../../support/service.ts'

const ON = { audit: 'on' } as const
const ENTRY = {
  id: '1',
  at: '2026-01-01T00:00:00.000Z',
  event: 'client_added',
  actor: { kind: 'user', via: 'page' },
  targets: [],
} as const

async function start(t: Test, options = {}) {
  const service = await startAdmin(t, { ...ON, ...options })
  await createAdministrator(service.storage, 'root', 'redmint:read redmint:write')
  const token = await service.tokenFor('root', 'redmint:read redmint:write')
  return { ...service, token }
}

t.test('each change by the admin API has one entry, with who asked and what differs (J1)', async (t) => {
  const { call, token, storage } = await start(t)
  const names = async () => (await entriesIn(storage)).map(({ event }) => event)
  await call('POST', '/clients', {
    token,
    body: { client_id: 'shop', client_name: 'A', redirect_uris: ['https://shop.example/'] },
  })
  const { headers } = await call('GET', '/clients/shop', { token })
  const if_match = { 'if-match': String(headers.etag), 'content-type': 'application/merge-patch+json' }
  await call('PATCH', '/clients/shop', { token, headers: if_match, body: { client_name: 'B' } })
  t.equal(
    (await call('PATCH', '/clients/shop', { token, headers: if_match, body: { client_name: 'C' } })).status,
    412,
  )
  t.strictSame(await names(), ['client_added', 'client_changed'], 'no entry without a change')
  const [, changed] = await entriesIn(storage)
  t.match(changed, {
    actor: { kind: 'operator', id: 'sub-of-root', via: 'api', client_id: 'tool' },
    targets: [{ kind: 'client', id: 'shop' }],
    changes: [{ field: 'client_name', from: 'A', to: 'B' }],
    context: { address: '127.0.0.1', request_id: /.+/ },
  })
})

t.test('a person who is removed is in the trail by the sub alone (J5)', async (t) => {
  const { call, token, storage, fastify } = await start(t)
  const sub = 'sub-7'
  const claims = { sub, name: 'Ada Planted', email: 'ada@planted.example' }
  await createUser(storage, 'ada-planted', claims)
  const failed = { event: 'sign_in_failed', reason: 'wrong_password', method: 'pwd' } as const
  fastify.redmint.report({ ...failed, username: 'ada-planted', sub })
  const patch = { token, body: { claims: { name: 'Ada Planted the Second' } } }
  const versionOf = async () => String((await call('GET', '/users/ada-planted', { token })).headers.etag)
  const type = { 'content-type': 'application/merge-patch+json' }
  await call('PATCH', '/users/ada-planted', { ...patch, headers: { ...type, 'if-match': await versionOf() } })
  const if_match = { 'if-match': await versionOf() }
  const removed = await call('DELETE', '/users/ada-planted', { token, headers: if_match })
  t.ok(removed.status < 300, removed.text)
  await fastify.close()
  const read = (part: TrailPart) => part.read({ limit: 1000 }).catch(() => [])
  const entries = [...(await read(storage.trail)), ...(await read(storage.trail.repeated))]
  const text = JSON.stringify(entries)
  for (const planted of ['ada-planted', 'Planted', 'planted.example', SECRET, token])
    t.notOk(text.includes(planted), planted)
  const events = entries.map((entry) => JSON.parse(entry.text))
  t.ok(events.some(({ event, targets }) => event === 'user_removed' && targets[0].id === sub))
})

t.test('GET /events finds entries by who, what and when, page by page', async (t) => {
  const { call, token, storage, tokenOf } = await start(t)
  for (let i = 0; i < 5; i++)
    await call('POST', '/clients', {
      token,
      body: { client_id: `c${i}`, redirect_uris: ['https://c.example/'] },
    })
  const found: string[] = []
  let cursor = ''
  do {
    const { json } = await call('GET', `/events?event=client_added&limit=2${cursor && `&cursor=${cursor}`}`, {
      token,
    })
    found.push(...(json.items as { targets: { id: string }[] }[]).map(({ targets }) => targets[0]?.id ?? ''))
    cursor = String(json.next ?? '')
  } while (cursor !== '')
  t.strictSame(found, ['c4', 'c3', 'c2', 'c1', 'c0'])
  const items = async (query: string) =>
    ((await call('GET', `/events?${query}`, { token })).json.items as object[]).length
  t.equal(await items('client_id=c3'), 1)
  t.equal(await items('username=root'), 5)
  t.equal(await items('username=nobody'), 0)
  t.equal(await items('actor=sub-of-root'), 5)
  t.equal(await items('since=2999-01-01'), 0)
  t.equal((await call('GET', '/events?since=yesterday', { token })).status, 400)
  t.equal((await call('GET', '/events', { token: await tokenOf('redmint:users:read') })).status, 403)
  const entries = (await entriesIn(storage)).filter(({ event }) => event !== 'user_viewed')
  t.equal(entries.length, 5, 'to read makes no entry but that somebody was looked at')
})

t.test('without AUDIT there is no trail', async (t) => {
  const service = await startAdmin(t)
  await createAdministrator(service.storage, 'root', 'redmint:read redmint:write')
  const token = await service.tokenFor('root', 'redmint:read redmint:write')
  const { call } = adminCalls(service)
  await call('POST', '/clients', { token, body: { client_id: 'c', redirect_uris: ['https://c.example/'] } })
  t.equal(await service.storage.trail.size(), 0)
  t.equal((await call('GET', '/events', { token })).status, 409)
})

t.test(
  'nobody edits or deletes an entry: the trail is read, and only retention deletes, which is an entry (J6)',
  async (t) => {
    const of_trail = Object.values(OPERATIONS).filter(({ path }) => path.startsWith('/events'))
    t.strictSame(
      of_trail.map(({ method }) => method),
      ['GET', 'GET'],
    )
    const { call, token, storage } = await start(t)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['/events', '/events/1-0'])
        t.ok([404, 405].includes((await call(method, path, { token })).status), `${method} ${path}`)
    const { recorder, settings } = recorderOn(storage)
    const events = Array.from({ length: 150 }, () => ({ event: 'all_sessions_ended' }) as const)
    await storage.trail.append('many', recorder.entriesOf(events, {}, {}))
    const trimming = { storage, settings: { ...settings, audit_max: 100 }, recorder, now: Date.now }
    t.equal(await trimTrail({ ...trimming, report: () => {} }), 1)
    const entries = await entriesIn(storage)
    t.equal(entries.length, 80, 'a fifth is for what is repeated')
    t.match(entries.at(-1), { event: 'audit_trimmed', actor: { kind: 'system' } })
  },
)

t.test('the command keeps what it changes, prints no formula, and verifies', async (t) => {
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', AUDIT: 'on', AUDIT_KEY }
  const { redmint, storage } = createCli({ environment })
  const add = ['client', 'add', 'shop', '--redirect-uri', 'https://shop.example/']
  t.equal((await redmint(add)).code, 0)
  await redmint(['client', 'disable', 'shop'])
  const entries = await entriesIn(storage)
  t.match(entries, [{ event: 'client_added' }, { event: 'client_disabled' }])
  t.strictSame(entries[0]?.actor, { kind: 'operator', via: 'command' })
  const csv = await redmint(['audit', 'export', '--format', 'csv'])
  t.equal(csv.stdout.trim().split('\n').length, 3)
  const lines = (await redmint(['audit', 'export'])).stdout.trim().split('\n')
  t.strictSame(
    lines.map((line) => JSON.parse(line).event),
    ['client_added', 'client_disabled'],
  )
  t.match((await redmint(['audit', 'tail'])).stdout, /client_disabled/)
  t.equal((await redmint(['audit', 'verify'])).code, 0)
  await storage.trail.append('forged', { entries: [{ text: '{"event":"client_removed"}' }], ttl: 60 })
  t.match(await redmint(['audit', 'verify']), { code: 1, stdout: /is not signed with this key/ })
})

t.test('a cell of CSV is no formula', async (t) => {
  for (const text of ['=1+1', '+1', '-1', '@a', '\tx', '\rx', ' =1']) {
    const context = { browser: text }
    const line = csvLine({ ...ENTRY, actor: { ...ENTRY.actor }, targets: [], context })
    t.ok(line.includes(`"'${text.replace('\r', '\r')}`), JSON.stringify(text))
  }
})

t.test(
  'a full queue loses, counts and says so once; storage that answers late gets all, once (J3)',
  async (t) => {
    const lines: string[] = []
    const log = { ...SILENT, error: (_: object, message: string) => void lines.push(message) }
    const { recorder, audit_lost, storage } = recorderOn(undefined, { log })
    const event = () => ({ event: 'all_sessions_ended' }) as const
    for (let i = 0; i < 13; i++) recorder.note(event(), {})
    t.equal(audit_lost.trail, 3)
    t.equal(lines.length, 1)
    await recorder.close()
    t.equal(await storage.trail.size(), 10)
    const closed = recorderOn(undefined, { log })
    await closed.storage.close()
    closed.recorder.note(event(), {})
    await closed.recorder.close()
    t.equal(closed.audit_lost.trail, 1)
  },
)
