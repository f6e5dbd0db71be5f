// What receivers are told, on a Redis: the trail, the outboxes and the queue are those of all servers.
import t from 'tap'
import { startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { onRedis } from '../../../support/matrix.ts'
import { kindsOf, withStreams } from '../../../support/receivers.ts'
import { until } from '../../../support/until.ts'

onRedis(t, 'who polls and who is pushed to', async (t, { storage }) => {
  const endpoint = await startRelyingParty(t, status(503), status(202))
  const service = await withStreams(t, { storage })
  const { as, use, visitor, told, take, streams, operator, verify } = service
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: endpoint.uri }
  const changed = await as('masked').ask('PATCH', '/ssf/stream', { stream_id: streams.masked, delivery })
  t.equal(changed.status, 200)
  await use(visitor(), 'payroll')
  await use(visitor(), 'masked')
  await operator('disable_user', { params: { username: 'alice' } })
  t.strictSame(kindsOf(await told('payroll', 2)), ['account-disabled', 'session-revoked'])
  await take('payroll')
  await until('all are pushed', () => endpoint.posted.length === 3)
  const sets = await Promise.all(endpoint.posted.map(({ body }) => verify(body, 'masked')))
  t.strictSame(kindsOf(sets), ['account-disabled', 'account-disabled', 'session-revoked'])
  t.equal(sets[0]?.jti, sets[1]?.jti)
  await until('nothing waits', async () => {
    const sizes = await Promise.all(['payroll', 'masked'].map((name) => storage.outboxes.size(name)))
    return sizes.every((size) => size === 0)
  })
  await operator('delete_user', { params: { username: 'alice' } })
  t.strictSame(kindsOf(await told()).slice(-1), ['account-purged'])
  await until('nobody is told of the person', async () => {
    const list = { list: 'receivers-of', owner: 'sub-of-alice' } as const
    return (await storage.lists.count(list)) === 0
  })
})
