// A client is told that a person answered what it asked (OpenID Connect CIBA Core §10.2).
import t, { type Test } from 'tap'
import { PING_TIMING, PingCourier } from '../../../../src/asks/ping-courier.ts'
import { queuePing } from '../../../../src/asks/ping-queue.ts'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import type { CourierTiming } from '../../../../src/outbound/notice-courier.ts'
import { readRecentFaults } from '../../../../src/service/recent-faults.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { write } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { ASKED, type AskedRecord } from '../../../../src/tokens/asked-record.ts'
import { waitingIdOf } from '../../../../src/tokens/waiting-code.ts'
import { answerFirst, startWithAsks } from '../../../support/asks.ts'
import { startRelyingParty, status } from '../../../support/logout/relying-party.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { changeClient } from '../../../support/records.ts'
import type { Given } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'

const client_notification_token = 'n'.repeat(22)
const AT_ONCE = { timing: { poll: 0.05, busy_poll: 0.02, first_delay: 0, longest_delay: 0 } }

/** A service whose client `bank` is told of answers at this address. */
async function startWithPings(t: Test, uri: string, given: Given = {}) {
  const service = await startWithAsks(t, { backchannel_allow_private: true, asks: AT_ONCE, ...given })
  await changeClient(service.storage, 'bank', {
    set: { backchannel_client_notification_endpoint: uri },
    unset: [],
  })
  const answered = () => service.storage.queue.size('ask-pings').then((size) => size === 0)
  return { ...service, isEmpty: answered }
}

t.test('C12: a client is told of an answer by the token of its request, and nothing else', async (t) => {
  for (const decision of ['allow', 'deny'] as const) {
    const bank = await startRelyingParty(t, status(204))
    const { id, poll, alice, isEmpty, log, storage } = await startWithPings(t, bank.uri)
    const auth_req_id = await id({ client_notification_token })
    t.equal(bank.posted.length, 0, 'not before the answer')
    const [entry] = await storage.bounded.read({ asks_of: 'sub-of-alice' })
    const { id: record } = JSON.parse(entry?.text ?? '{}') as { id: string }
    const stored = JSON.stringify((await storage.records.read(ASKED, record))?.hash)
    for (const secret of [client_notification_token, auth_req_id]) t.notMatch(stored, secret, 'it is sealed')
    await answerFirst(alice, decision)
    await until('the bank was told', isEmpty)
    t.equal(bank.posted.length, 1)
    t.match(bank.posted[0], {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client_notification_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ auth_req_id }),
    })
    t.match(await poll(auth_req_id), { status: decision === 'allow' ? 200 : 400 })
    for (const secret of [client_notification_token, auth_req_id]) t.notMatch(log.join('\n'), secret)
  }
})

t.test(
  'C12: a client that is to be told must send a token of 128 bits, in the syntax of tokens',
  async (t) => {
    const { ask, storage } = await startWithPings(t, 'https://bank.example.com/told')
    for (const wrong of [
      undefined,
      'n'.repeat(21),
      'n'.repeat(1025),
      `${'n'.repeat(30)} x`,
      'ä'.repeat(30),
    ]) {
      const answer = await ask({ client_notification_token: wrong })
      t.match(answer, { status: 400, json: { error: 'invalid_request' } }, String(wrong?.length))
      if (wrong) t.notMatch(answer.text, wrong)
    }
    t.equal((await storage.bounded.read({ asks_of: 'sub-of-alice' })).length, 0)
    t.match(await ask({ client_notification_token: 'n'.repeat(1024) }), { status: 200 })
    const { ask: askAnother } = await startWithAsks(t)
    t.match(
      await askAnother({ client_notification_token: 'x' }),
      { status: 200 },
      'one that polls needs none',
    )
  },
)

t.test('C12: a redirect is not followed, and a failure is tried again', async (t) => {
  const other = await startRelyingParty(t)
  const bank = await startRelyingParty(
    t,
    status(302, { location: other.uri }),
    status(500),
    status(401),
    status(200),
  )
  const { id, alice, isEmpty } = await startWithPings(t, bank.uri)
  await id({ client_notification_token })
  await answerFirst(alice)
  await until('the bank was told', isEmpty)
  t.equal(bank.posted.length, 4)
  t.equal(new Set(bank.posted.map(({ body }) => body)).size, 1)
  t.equal(other.posted.length, 0)
})

t.test('operators see that a client takes no pings, until it does', async (t) => {
  const [bank, well] = [await startRelyingParty(t, status(503)), await startRelyingParty(t)]
  const asks = { timing: { ...AT_ONCE.timing, attempts: 200 } }
  const given = { keepers: { every: 20 }, asks }
  const { id, alice, isEmpty, storage, redmint } = await startWithPings(t, bank.uri, given)
  await id({ client_notification_token })
  await answerFirst(alice)
  const faults = () => readRecentFaults(storage, redmint.now())
  await until('it is noted', async () => (await faults()).length > 0)
  t.match(await faults(), [{ party: 'ask_pings', name: 'bank', step: 'notice', code: 'HTTP_503' }])
  await changeClient(storage, 'bank', { set: { backchannel_client_notification_endpoint: well.uri } })
  await until('the bank was told', isEmpty)
  await until('it is over', async () => (await faults()).length === 0)
})

t.test('C12: an endpoint at a private address is not reached, by any name', async (t) => {
  const bank = await startRelyingParty(t)
  const asks = {
    timing: { ...AT_ONCE.timing, attempts: 2 },
    lookup: (_host: string, _options: unknown, answer: (error: null, found: object[]) => void) =>
      answer(null, [{ address: '127.0.0.1', family: 4 }]),
  } as NonNullable<Given['asks']>
  for (const uri of [bank.uri, `https://public.example.com:${bank.port}/`]) {
    const given = { backchannel_allow_private: false, asks }
    const { id, poll, alice, isEmpty, log } = await startWithPings(t, uri, given)
    const auth_req_id = await id({ client_notification_token })
    await answerFirst(alice)
    await until('it was given up', isEmpty)
    t.ok(log.some((line) => line.includes('"status":"ENOTPUBLIC"')))
    t.match(await poll(auth_req_id), { status: 200 }, 'the client can poll')
  }
  t.equal(bank.posted.length, 0)
})

t.test('C12: an endpoint that does not answer keeps nobody waiting', async (t) => {
  const bank = await startRelyingParty(t, () => {})
  const { id, poll, alice } = await startWithPings(t, bank.uri, { asks: {} })
  const auth_req_id = await id({ client_notification_token })
  t.match((await answerFirst(alice)).title, 'You said yes')
  t.match(await poll(auth_req_id), { status: 200 })
})

const record = (client_id: string, given: Partial<AskedRecord>): AskedRecord => ({
  ...{ kind: 'ask', client_id, asked: 'sub-of-alice', scope: 'openid', address: '127.0.0.1' },
  ...{ asked_at: '2026-11-30T00:00:00.000Z', status: 'active', interval: '5', ...given },
})

/** A courier on a storage, and what it sends. */
function courierOn(
  t: Test,
  storage: Storage,
  post: (endpoint: string) => Promise<number | string>,
  timing: Partial<CourierTiming> = {},
) {
  const told: string[] = []
  const courier = new PingCourier(
    {
      storage,
      log: SILENT,
      now: Date.now,
      clients: {
        find: async (client_id) =>
          ({ client_id, backchannel_client_notification_endpoint: `https://${client_id}/` }) as never,
      },
      sealer: { open: (_purpose, sealed) => sealed },
      outcomes: new LastOutcomes(),
    },
    (endpoint, { token }) => {
      told.push(`${endpoint} ${token}`)
      return post(endpoint)
    },
    { ...PING_TIMING, ...AT_ONCE.timing, ...timing },
  )
  t.teardown(() => courier.close())
  return { courier, told }
}

forEachStorage(
  t,
  'C12: what a process queued before the answer is sent after it, and no sooner',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const auth_req_id = newToken(newFamilyId())
    const id = waitingIdOf(auth_req_id) ?? ''
    const ping = JSON.stringify({ auth_req_id, token: 'a-token' })
    const asked = record('bank', { status: 'pending', ping })
    await storage.records.put(write(ASKED, id, asked, 600))
    await queuePing({ storage }, id, asked)
    let looks = 0
    const watched = observed(storage, (call, run) => {
      if (call === 'retryLater') looks += 1
      return run()
    })
    const { courier, told } = courierOn(t, watched, async () => 204, { poll: 0.02 })
    courier.start()
    await until('it was looked at twice', () => looks > 1)
    t.strictSame(told, [], 'nobody has answered')
    await storage.records.change(ASKED, id, { set: { status: 'denied' } })
    await until('it was told', () => told.length === 1)
    await courier.close()
    t.equal(await storage.queue.size('ask-pings'), 0)
  },
)

t.test('a notice of what is over, or of another request, is not sent', async (t) => {
  const storage = new MemoryStorage()
  const ids = [0, 1, 2].map(() => waitingIdOf(newToken(newFamilyId())) ?? '')
  const [gone = '', unsealed = '', swapped = ''] = ids
  const ping = JSON.stringify({ auth_req_id: newToken(newFamilyId()), token: 'a-token' })
  await storage.records.put(write(ASKED, unsealed, record('bank', { ping: 'what cannot be opened' }), 600))
  await storage.records.put(write(ASKED, swapped, record('bank', { ping }), 600))
  for (const id of [gone, unsealed, swapped]) await queuePing({ storage }, id, record('bank', { ping }))
  await storage.queue.add('ask-pings', ['{}', 'x', '{"id":"only"}'])
  const { courier, told } = courierOn(t, storage, async () => 204)
  courier.wake()
  await until('none waits', async () => (await storage.queue.size('ask-pings')) === 0)
  t.strictSame(told, [])
})

t.test('C12: a thousand dead endpoints delay nobody who answers, once they failed', async (t) => {
  const storage = new MemoryStorage()
  const queueFor = async (client_id: string) => {
    const auth_req_id = newToken(newFamilyId())
    const id = waitingIdOf(auth_req_id) ?? ''
    const asked = record(client_id, { ping: JSON.stringify({ auth_req_id, token: client_id }) })
    await storage.records.put(write(ASKED, id, asked, 600))
    await queuePing({ storage }, id, asked)
  }
  const dead = Array.from({ length: 1000 }, (_, i) => `dead-${i}`)
  const seen = new Set<string>()
  let open = 0
  let most = 0
  let letGo = (_status: string) => {}
  const hanging = new Promise<string>((resolve) => {
    letGo = resolve
  })
  const { courier, told } = courierOn(t, storage, async (endpoint) => {
    if (!endpoint.includes('dead')) return 204
    if (!seen.has(endpoint)) {
      seen.add(endpoint)
      return 'ETIMEDOUT'
    }
    open += 1
    most = Math.max(most, open)
    return hanging
  })
  for (const client_id of dead) await queueFor(client_id)
  courier.start()
  await until('each failed once, and half of the places wait', () => open > 0 && seen.size === dead.length)
  await queueFor('alive')
  courier.wake()
  await until('the one that answers was told', () => told.includes('https://alive/ alive'))
  t.equal(most, PING_TIMING.concurrency / 2)
  letGo('ETIMEDOUT')
})
