// E4: a thousand receivers that take nothing slow nobody, and what they leave in the process and in storage is bounded.
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { OUTBOX } from '../../../../src/signals/bounds.ts'
import { formatHeld } from '../../../../src/signals/held-set.ts'
import type { PushSet } from '../../../../src/signals/push.ts'
import { SET_COURIER_TIMING, SetCourier } from '../../../../src/signals/set-courier.ts'
import { STREAM } from '../../../../src/signals/stream-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { write } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { courierContext } from '../../../support/logout/relying-party.ts'
import { onRedis } from '../../../support/matrix.ts'
import { SET_EVENT } from '../../../support/receivers.ts'
import { createClient } from '../../../support/records.ts'
import { CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const DEAD = 1000
const HELD = 3
const GOOD = 'good'

const held = (i: number) =>
  formatHeld({
    jti: `jti ${i}`,
    iat: 0,
    sub_id: { format: 'opaque', id: 'a' },
    event: SET_EVENT.verification,
    claims: {},
  })

async function addReceiver(storage: Storage, client_id: string, is_good: boolean) {
  const client = { ...CLIENTS.service, client_id, allowed_scopes: ['ssf.manage'] }
  await createClient(storage, client_id, formatClient(client))
  const stream = {
    stream_id: client_id,
    push: { endpoint_url: `https://${client_id}.example.com/` },
    status: 'enabled',
    created_at: 0,
    failures: 0,
    ...(is_good && { delivered_at: 1 }),
  } as const
  await storage.records.put(write(STREAM, client_id, stream))
  await storage.outboxes.put(
    client_id,
    Array.from({ length: HELD }, (_, i) => held(i)),
    OUTBOX,
  )
}

async function prove(t: Test, storage: Storage) {
  for (let i = 0; i < DEAD; i++) await addReceiver(storage, `dead-${i}`, false)
  await addReceiver(storage, GOOD, true)
  const names = [...Array.from({ length: DEAD }, (_, i) => `dead-${i}`), GOOD]
  // The good one is the last in the queue.
  for (const name of names) await storage.queue.offer('set-deliveries', name, { max: DEAD + 1 })
  const asked = { dead: 0, at_once: 0, most: 0, good: 0 }
  const hanging: (() => void)[] = []
  const push: PushSet = async (endpoint_url) => {
    if (endpoint_url.includes(GOOD)) {
      asked.good += 1
      return { outcome: 'taken' }
    }
    asked.dead += 1
    asked.at_once += 1
    asked.most = Math.max(asked.most, asked.at_once)
    await new Promise<void>((resolve) => hanging.push(resolve))
    asked.at_once -= 1
    return { outcome: 'failed', status: 'ETIMEDOUT' }
  }
  const context = await courierContext(t, storage, SILENT)
  const courier = new SetCourier({ ...context, report() {}, wake() {} }, push)
  courier.wake()
  const { lane } = SET_COURIER_TIMING
  await until('the good one has all, and the dead ones fill their lane', () => {
    return asked.good === HELD && asked.at_once === lane
  })
  t.equal(asked.dead, lane, 'nobody else was asked meanwhile')
  t.equal(await storage.queue.size('set-deliveries'), DEAD, 'one item each, and none of who has all')
  t.equal(await storage.outboxes.size(GOOD), 0)
  // However much happens, what is kept of one of them is bounded.
  for (let i = 0; i < OUTBOX.max + 50; i += 50)
    await storage.outboxes.put(
      'dead-0',
      Array.from({ length: 50 }, (_, j) => held(HELD + i + j)),
      OUTBOX,
    )
  t.ok((await storage.outboxes.size('dead-0')) <= OUTBOX.max)
  const closed = courier.close()
  for (const end of hanging) end()
  await closed
  t.equal(asked.most, lane)
}

t.test('E4: a thousand dead receivers (memory)', (t) => prove(t, new MemoryStorage()))
onRedis(t, 'E4: a thousand dead receivers', (t, { storage }) => prove(t, storage))
