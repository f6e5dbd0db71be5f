import t, { type Test } from 'tap'
import { newFamilyId, newToken } from '../../../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../../../src/storage/errors.ts'
import { slotOf } from '../../../../../../src/storage/redis/slot.ts'
import { type RedisServer, startCluster, startRedis } from '../../../../../support/redis-server.ts'
import { open, openAt, writable } from '../../../../../support/storage/redis/support.ts'

async function opened(t: Test) {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  await writable(storage)
  const save = (token = newToken(newFamilyId())) =>
    storage.families.saveClientToken({ token, client_id: 'app', scope: 'api.read' }, 900)
  const scripts = () => storage.timings?.['save-client-tokens']?.calls
  return { redis, storage, save, scripts }
}

t.test('the tokens of a turn of the event loop are written by one script, 32 at most', async (t) => {
  const { save, scripts } = await opened(t)
  await Promise.all(Array.from({ length: 32 }, () => save()))
  t.equal(scripts(), 1)
  await Promise.all(Array.from({ length: 33 }, () => save()))
  t.equal(scripts(), 3)
  const first = save()
  await new Promise(setImmediate)
  await Promise.all([first, save()])
  t.equal(scripts(), 5, 'a token of the next turn does not wait for the first answer')
})

t.test('a token that exists stays as it is, and the others of the script are written', async (t) => {
  const { storage, save } = await opened(t)
  const tokens = Array.from({ length: 3 }, () => newToken(newFamilyId()))
  const [, second = ''] = tokens
  await save(second)
  await storage.families.revokeToken(second)
  await Promise.all(tokens.map(save))
  const found = await Promise.all(tokens.map((token) => storage.families.findToken(token)))
  t.strictSame(
    found.map((record) => record?.revoked),
    ['false', 'true', 'false'],
  )
})

t.test('if Redis refuses the script, each of its requests fails, and the next ones succeed', async (t) => {
  const { redis, save } = await opened(t)
  await redis.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
  const outcomes = await Promise.allSettled([save(), save(), save()])
  for (const outcome of outcomes) {
    t.ok(outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailable)
  }
  await redis.cli('CONFIG', 'SET', 'min-replicas-to-write', '0')
  await Promise.all([save(), save()])
})

t.test('in a Cluster, tokens of a turn share a slot, and so a script', async (t) => {
  const { masters } = await startCluster(t)
  const nodes = masters.map(({ port }) => ({ host: '127.0.0.1', port }))
  const { storage } = open(t, { kind: 'cluster', nodes })
  await writable(storage)
  const { families } = storage
  const newTokens = (count: number) =>
    Array.from({ length: count }, () => newToken(families.newClientFamily()))
  const save = (token: string) => families.saveClientToken({ token, client_id: 'app', scope: '' }, 900)
  const scripts = () => storage.timings?.['save-client-tokens']?.calls ?? 0
  const slots = (tokens: readonly string[]) => new Set(tokens.map((token) => slotOf(token.slice(0, 16))))

  const tokens = newTokens(33)
  t.equal(slots(tokens).size, 1)
  await Promise.all(tokens.map(save))
  t.equal(scripts(), 2)
  for (const token of tokens) t.match(await families.findToken(token), { jti: token })

  const turns: string[] = []
  for (let turn = 0; turn < 8; turn++) {
    turns.push(...newTokens(2))
    await new Promise(setImmediate)
  }
  t.ok(slots(turns).size > 1, 'the next turn has another slot')
  await Promise.all(turns.map(save))
  t.equal(scripts(), 2 + slots(turns).size, 'a script has the tokens of one slot')

  const moving = newTokens(3)
  const before = scripts()
  const finish = await moveSlot([...slots(moving)][0] ?? 0, masters)
  await Promise.all(moving.map(save))
  t.equal(scripts() - before, 4, 'a slot that moves takes them one by one')
  await finish()
  for (const token of moving) t.match(await families.findToken(token), { jti: token })
})

/** Begins to move an empty slot. Returns what finishes it. */
async function moveSlot(slot: number, masters: readonly RedisServer[]): Promise<() => Promise<void>> {
  const [from, to] = [masters[Math.floor(slot / 5461)], masters[(Math.floor(slot / 5461) + 1) % 3]]
  if (from === undefined || to === undefined) throw new TypeError()
  const [source, target] = [await from.cli('CLUSTER', 'MYID'), await to.cli('CLUSTER', 'MYID')]
  await to.cli('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', source)
  await from.cli('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', target)
  return async () => {
    for (const node of [to, from]) await node.cli('CLUSTER', 'SETSLOT', String(slot), 'NODE', target)
  }
}
