// What operators see of receivers of security events: who takes nothing, and how much waits.
import t from 'tap'
import { streamFindings } from '../../../../src/admin/doctor/streams.ts'
import type { Stream } from '../../../../src/admin/streams.ts'
import { STREAM } from '../../../../src/signals/stream-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'

import { startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { operatorOn } from '../../../support/operator.ts'
import { withStreams } from '../../../support/receivers.ts'
import { until } from '../../../support/until.ts'

t.test('each receiver with its status and what waits, the one with the most at the top', async (t) => {
  const { operator, use, visitor, streams, settled, as, take, pass } = await withStreams(t)
  await use(visitor(), 'masked')
  await operator('end_user', { params: { username: 'alice' } })
  await operator('end_sessions', { params: { username: 'alice' } })
  await settled()
  const { items } = (await operator('list_streams')).body
  t.match(items, [
    { client_id: 'masked', stream_id: streams.masked, status: 'enabled', delivery: 'poll', failures: 0 },
    { client_id: 'payroll', waiting: 0, removed_subjects: 0 },
  ])
  const [first, second] = items as Stream[]
  t.equal(first?.waiting, 2)
  t.match(first?.waiting_since, /^\d{4}-\d\d-\d\dT/)
  t.notOk('waiting_since' in (second ?? {}))
  t.ok(first?.events.includes('session-revoked'))
  await take('masked')
  const subject = { format: 'iss_sub', iss: 'https://auth.example.com', sub: 'somebody' }
  await as('masked').ask('POST', '/ssf/subjects/remove', { stream_id: streams.masked, subject })
  const { body } = await operator('read_stream', { params: { client_id: 'masked' } })
  t.match(body, { waiting: 0, removed_subjects: 1 })
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  pass(8 * 86_400)
  const later = await operator('read_stream', { params: { client_id: 'masked' } })
  t.equal(later.body.waiting, 0, 'what is to be dropped does not wait')
})

t.test('E4: a dead receiver is shown, and is resumed when it is back', async (t) => {
  const dead = Array.from({ length: 20 }, () => status(503))
  const endpoint = await startRelyingParty(t, ...dead, status(202))
  const { operator, as, streams, storage } = await withStreams(t)
  const { payroll: stream_id } = streams
  const delivery = {
    method: 'urn:ietf:rfc:8935',
    endpoint_url: endpoint.uri,
    authorization_header: 'Bearer a',
  }
  await as('payroll').ask('PATCH', '/ssf/stream', { stream_id, delivery })
  await as('payroll').verify({ stream_id })
  const params = { client_id: 'payroll' }
  const shown = async () => (await operator('read_stream', { params })).body
  await until('it is paused', async () => (await shown()).status === 'paused')
  const found = await shown()
  t.match(found, { reason: /took nothing/, delivery: 'push', endpoint_url: endpoint.uri, waiting: 2 })
  t.notMatch(JSON.stringify(found), 'Bearer a')
  t.notOk('delivered_at' in found)
  const resumed = await operator('resume_stream', { params })
  t.match(resumed.body, { status: 'enabled', failures: 0 })
  t.notOk('reason' in resumed.body)
  await until('all is taken', async () => (await shown()).waiting === 0)
  t.match(await shown(), { delivered_at: /^\d{4}-/ })
  t.match((await operator('delete_stream', { params })).body, { stream_id })
  t.equal((await as('payroll').ask('GET', '/ssf/stream')).text, '[]')
  t.equal(await storage.outboxes.size('payroll'), 0)
})

t.test('doctor names who takes nothing', async (t) => {
  const { operator, use, visitor, settled, storage, streams, as, redmint } = await withStreams(t)
  const { now, settings } = redmint
  const find = (at = now(), shared_signals: 'on' | 'off' = 'on') =>
    streamFindings(storage, { ...settings, shared_signals }, at)
  await use(visitor())
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.match(await find(), [{ level: 'ok', finding: '2 streams, whose receivers take what is sent' }])
  const tomorrow = now() + 86_500_000
  const named = {
    level: 'warning',
    finding: /^not taken by payroll for a day/,
    advice: /redmint stream list/,
  }
  t.match(await find(tomorrow), [named])
  t.strictSame(await find(tomorrow, 'off'), [])
  await as('payroll').status({ stream_id: streams.payroll, status: 'disabled' })
  t.match(await find(tomorrow), [{ level: 'ok' }], 'who wants nothing takes nothing')
  await storage.records.change(STREAM, 'masked', { set: { failures: '3' } })
  t.match(await find(), [{ level: 'warning', finding: /^not taken by masked/ }])
})

t.test('a client without a stream, and a server that tells nobody', async (t) => {
  const { operator } = await withStreams(t)
  for (const name of ['read_stream', 'resume_stream', 'delete_stream'] as const)
    await t.rejects(operator(name, { params: { client_id: 'plain' } }), { code: 'not_found' }, name)
  const { run } = operatorOn(new MemoryStorage(), { settings: { shared_signals: 'off' } })
  t.strictSame((await run('list_streams')).body, {
    items: [],
    off: 'Nobody is told of security events: set SHARED_SIGNALS=on.',
  })
  const refused = { code: 'conflict', message: /SHARED_SIGNALS=on/ }
  await t.rejects(run('resume_stream', { params: { client_id: 'plain' } }), refused)
})
