import t, { type Test } from 'tap'
import { STREAM } from '../../../../src/signals/stream-record.ts'
import { recorderOn } from '../../../support/audited.ts'
import { startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { eventIn, kindsOf, ON, SET_EVENT, startSignals, withStreams } from '../../../support/receivers.ts'
import { changeClient } from '../../../support/records.ts'
import { until } from '../../../support/until.ts'

const HEADER = 'Bearer the-secret-of-the-receiver'
const json = (code: number, body: object) => (response: import('node:http').ServerResponse) =>
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** A server, and a receiver on loopback that answers these in turn. */
async function withEndpoint(t: Test, ...answers: Parameters<typeof startRelyingParty>[1][]) {
  const endpoint = await startRelyingParty(t, ...(answers.length > 0 ? answers : [status(202)]))
  const service = await startSignals(t)
  const delivery = {
    method: 'urn:ietf:rfc:8935',
    endpoint_url: endpoint.uri,
    authorization_header: HEADER,
  }
  const created = await service.as('payroll').create({ delivery })
  const { stream_id } = created.json
  const { recorder } = recorderOn(service.storage)
  /** Ends everything of somebody, as an operator. */
  let count = 0
  const end = async (username = 'alice') => {
    const entries = recorder.entriesOf([{ event: 'user_ended', username }], { sub: `sub-of-${username}` }, {})
    count += 1
    await service.storage.trail.append(String(count), entries)
  }
  return { ...service, endpoint, created, stream_id, end }
}

t.test('a token is pushed as RFC 8935 says, with the header of the receiver', async (t) => {
  const { use, visitor, endpoint, end, verify, created, log, storage } = await withEndpoint(t)
  t.notOk(created.text.includes('the-secret'), 'the header is shown to nobody')
  await use(visitor())
  await end()
  await until('it is pushed', () => endpoint.posted.length === 1)
  const [posted] = endpoint.posted
  t.match(posted, {
    method: 'POST',
    headers: {
      'content-type': 'application/secevent+jwt',
      authorization: HEADER,
      accept: 'application/json',
    },
  })
  const claims = await verify(posted?.body)
  t.strictSame(kindsOf([claims]), ['session-revoked'])
  t.notOk('exp' in claims || 'sub' in claims)
  await until('it is taken', async () => (await storage.outboxes.size('payroll')) === 0)
  t.notOk(
    log.some((line) => line.includes('the-secret')),
    'nor in the log',
  )
  const record = JSON.stringify(
    await storage.records.read({ name: 'set-stream', parse: () => ({ ok: true, record: 0 }) }, 'payroll'),
  )
  t.notOk(record.includes('the-secret'), 'nor in the record')
})

t.test(
  'the header is sent to the address that it was given for, and the tokens are not polled',
  async (t) => {
    const { use, visitor, end, storage, as, stream_id } = await withEndpoint(t)
    t.equal((await as('payroll').poll(stream_id)).status, 400)
    const other = await startRelyingParty(t, status(202))
    await storage.records.change(STREAM, 'payroll', { set: { endpoint_url: other.uri } })
    await use(visitor())
    await end()
    await until('it is pushed', () => other.posted.length === 1)
    t.equal(other.posted[0]?.headers.authorization, undefined)
  },
)

t.test('what its receiver may have no more, or wants no more, is not pushed', async (t) => {
  const { use, visitor, end, storage, as, stream_id, endpoint } = await withEndpoint(t)
  await use(visitor())
  const { status, ask } = as('payroll')
  await status({ stream_id, status: 'paused' })
  await end()
  await until('it is held', async () => (await storage.outboxes.size('payroll')) === 1)
  const allowed_scopes = 'openid ssf.manage'
  await changeClient(storage, 'payroll', { set: { allowed_scopes: 'openid' } })
  await storage.records.change(STREAM, 'payroll', { set: { status: 'enabled' } })
  await storage.queue.offer('set-deliveries', 'payroll', { max: 10 })
  await until('it was looked at', async () => (await storage.queue.size('set-deliveries')) === 0)
  t.equal(await storage.outboxes.size('payroll'), 1)
  await changeClient(storage, 'payroll', { set: { allowed_scopes } })
  await ask('PATCH', '/ssf/stream', { stream_id, events_requested: [SET_EVENT.credential_change] })
  await until('it is forgotten', async () => (await storage.outboxes.size('payroll')) === 0)
  t.equal(endpoint.posted.length, 0)
})

t.test('tokens are pushed one after the other in their order, and again until they are taken', async (t) => {
  const refused = json(400, { err: 'invalid_key', description: 'unknown kid' })
  const { use, visitor, endpoint, end, verify } = await withEndpoint(t, status(500), refused, status(202))
  await use(visitor())
  for (let i = 0; i < 3; i++) await end()
  await until('all are taken', () => endpoint.posted.length === 5)
  const sets = await Promise.all(endpoint.posted.map(({ body }) => verify(body)))
  const [first, ...others] = sets.map(({ jti }) => jti)
  t.strictSame([others[0], others[1]], [first, first], 'the same until it is taken')
  t.equal(new Set(others).size, 3)
})

t.test('a token that the receiver says is wrong is not sent again', async (t) => {
  const { use, visitor, endpoint, end, verify, log } = await withEndpoint(
    t,
    json(400, { err: 'invalid_request', description: 'Bearer the-secret-of-the-receiver' }),
    status(202),
  )
  await use(visitor())
  await end()
  await end()
  await until('both are sent', () => endpoint.posted.length === 2)
  const [one, other] = await Promise.all(endpoint.posted.map(({ body }) => verify(body)))
  t.not(one?.jti, other?.jti)
  t.ok(log.some((line) => line.includes('"error":"invalid_request"')))
  t.notOk(
    log.some((line) => line.includes('the-secret')),
    'what it says besides is not logged',
  )
})

t.test('E4: a receiver that takes nothing for long is paused, and is told so', async (t) => {
  const { use, visitor, endpoint, end, as, stream_id, happened, verify } = await withEndpoint(
    t,
    ...Array.from({ length: 20 }, () => status(503)),
    status(202),
  )
  await use(visitor())
  await end()
  const read = async () => (await as('payroll').ask('GET', `/ssf/status?stream_id=${stream_id}`)).json
  await until('it is paused', async () => (await read()).status === 'paused')
  t.equal(endpoint.posted.length, 20)
  t.match(await read(), { reason: /took nothing/ })
  t.equal(happened('signal_stream_paused'), 1)
  await end()
  t.equal((await as('payroll').status({ stream_id, status: 'enabled' })).status, 200)
  await until('all are pushed', () => endpoint.posted.length === 23)
  const sets = await Promise.all(endpoint.posted.slice(20).map(({ body }) => verify(body)))
  t.strictSame(kindsOf(sets).sort(), ['session-revoked', 'session-revoked', 'stream-updated'])
})

t.test('E4: no token is pushed to a private address', async (t) => {
  const endpoint = await startRelyingParty(t)
  const service = await startSignals(t, { ...ON, backchannel_allow_private: false })
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: endpoint.uri }
  const { stream_id } = (await service.as('payroll').create({ delivery })).json
  await service.as('payroll').verify({ stream_id })
  await until('it is tried', () => service.log.some((line) => line.includes('ENOTPUBLIC')))
  t.equal(endpoint.posted.length, 0)
})

t.test('a verification is sent once in an interval, with its state', async (t) => {
  const { as, endpoint, stream_id, verify, pass, storage } = await withEndpoint(t)
  const ask = (more: object = {}) => as('payroll').verify({ stream_id, ...more })
  /** The answers to four requests that have all read the stream before one of them changes it. */
  const four = async (more: object = {}) => {
    const { records } = storage
    const { read } = records
    let go = () => {}
    const all_have_read = new Promise<void>((resolve) => {
      go = resolve
    })
    let count = 0
    records.read = (async (...given: Parameters<typeof read>) => {
      const found = await read.apply(records, given)
      if (given[0].name !== STREAM.name || given[2] === undefined) return found
      count += 1
      if (count === 4) go()
      await all_have_read
      return found
    }) as typeof read
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(more)))
    records.read = read
    return answers.map(({ status }) => status).sort()
  }
  t.strictSame(await four({ state: 'a state' }), [204, 429, 429, 429])
  const limited = await ask()
  t.match(limited, { status: 429, headers: { 'retry-after': /^\d+$/ } })
  await until('it is pushed', () => endpoint.posted.length === 1)
  const set = await verify(endpoint.posted[0]?.body)
  t.strictSame(set.events, { [SET_EVENT.verification]: { state: 'a state' } })
  t.strictSame(set.sub_id, { format: 'opaque', id: stream_id })
  t.notOk('txn' in set)
  t.equal((await ask({ state: 7 })).status, 400)
  t.equal((await as('payroll').verify({})).status, 400)
  pass(61)
  t.strictSame(await four(), [204, 429, 429, 429])
  await until('the next one is pushed', () => endpoint.posted.length === 2)
  t.strictSame(eventIn(await verify(endpoint.posted[1]?.body)), {})
})

t.test('a receiver that polls takes what it has, in parts', async (t) => {
  const { as, use, visitor, operator, streams, settled, log } = await withStreams(t)
  await use(visitor())
  for (let i = 0; i < 3; i++) await operator('end_user', { params: { username: 'alice' } })
  await settled()
  const { poll } = as('payroll')
  const ask = async (body: object) => (await poll(streams.payroll, body)).json
  const jtis = (answer: Record<string, unknown>) => Object.keys(answer.sets as object)
  const part = await ask({ maxEvents: 2, returnImmediately: true })
  t.equal(jtis(part).length, 2)
  t.equal(part.moreAvailable, true)
  t.strictSame(jtis(await ask({ maxEvents: 2 })), jtis(part), 'what is not acknowledged comes again')
  const [first = '', second = ''] = jtis(part)
  const rest = await ask({ ack: [first], setErrs: { [second]: { err: 'invalid_key', description: 'x' } } })
  t.equal(jtis(rest).length, 1)
  t.equal(rest.moreAvailable, false)
  t.ok(log.some((line) => line.includes('"error":"invalid_key"')))
  t.strictSame(await ask({ ack: jtis(rest), maxEvents: 0 }), { sets: {}, moreAvailable: false })
  t.strictSame(await ask({ ack: ['unknown'] }), { sets: {}, moreAvailable: false })
  for (const wrong of [
    { maxEvents: -1 },
    { maxEvents: '7' },
    { returnImmediately: 'yes' },
    { ack: 'a' },
    { ack: [7] },
    { ack: Array.from({ length: 1001 }, () => 'a') },
    { setErrs: [] },
    { setErrs: { a: 'b' } },
  ])
    t.equal((await poll(streams.payroll, wrong)).status, 400, JSON.stringify(wrong).slice(0, 40))
})

t.test('what its receiver wants no more is not told, and forgotten', async (t) => {
  const { as, use, visitor, operator, streams, settled, polled, storage } = await withStreams(t)
  await use(visitor())
  const { ask } = as('payroll')
  const want = (...events_requested: string[]) =>
    ask('PATCH', '/ssf/stream', { stream_id: streams.payroll, events_requested })
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.equal(await storage.outboxes.size('payroll'), 1)
  await want(SET_EVENT.credential_change)
  t.strictSame(await polled('payroll', streams.payroll), [])
  t.equal(await storage.outboxes.size('payroll'), 0)
  await want(SET_EVENT.session_revoked)
  t.strictSame(await polled('payroll', streams.payroll), [])
})

t.test('a client that may have no stream any more is told of nothing', async (t) => {
  const { use, visitor, operator, streams, settled, polled, storage } = await withStreams(t)
  await use(visitor())
  const may = (allowed_scopes: string) => changeClient(storage, 'payroll', { set: { allowed_scopes } })
  await may('openid email')
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  await may('openid email ssf.manage')
  t.strictSame(await polled('payroll', streams.payroll), [])
})

t.test('what a stream holds while it is paused, and not while it is disabled', async (t) => {
  const { as, use, visitor, operator, streams, settled, polled, told } = await withStreams(t)
  await use(visitor())
  const { status } = as('payroll')
  const { payroll: stream_id } = streams
  await status({ stream_id, status: 'paused' })
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.strictSame(await polled('payroll', stream_id), [])
  await status({ stream_id, status: 'enabled' })
  t.equal((await told()).length, 1)
  await status({ stream_id, status: 'disabled' })
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  await status({ stream_id, status: 'enabled' })
  t.strictSame(await polled('payroll', stream_id), [])
})

t.test('E4: a queue that is full pauses its stream alone, and is bounded', async (t) => {
  const { use, visitor, storage, streams, settled, polled, as, happened, told } = await withStreams(t)
  await use(visitor(), 'payroll')
  await use(visitor(), 'masked')
  await as('masked').status({ stream_id: streams.masked, status: 'disabled' })
  await as('masked').status({ stream_id: streams.masked, status: 'enabled' })
  const { recorder } = recorderOn(storage)
  const event = { event: 'user_ended', username: 'alice' } as const
  const entries = Array.from({ length: 1005 }, () => recorder.entriesOf([event], { sub: 'sub-of-alice' }, {}))
  const taken = new Set<string>()
  for (let i = 0; i < entries.length; i += 201) {
    const told = entries.slice(i, i + 201).flatMap((one) => one.entries)
    await storage.trail.append(String(i), { entries: told, ttl: 60 })
    await settled()
    for (;;) {
      const { json } = await as('masked').poll(streams.masked, { ack: [...taken].slice(-1000) })
      const jtis = Object.keys(json.sets as object)
      if (jtis.length === 0) break
      for (const jti of jtis) taken.add(jti)
    }
  }
  t.equal(taken.size, 1005, 'the other receiver gets all')
  t.equal(await storage.outboxes.size('payroll'), 1001)
  t.equal(happened('signal_stream_paused'), 1)
  t.strictSame(
    kindsOf(await polled('payroll', streams.payroll)),
    ['stream-updated'],
    'that it is paused is told',
  )
  await as('payroll').status({ stream_id: streams.payroll, status: 'enabled' })
  t.ok((await told('payroll', 100)).length)
})
