import t, { type Test } from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { openAt, writable } from './support.ts'

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
