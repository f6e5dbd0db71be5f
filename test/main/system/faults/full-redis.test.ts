// A Redis that is full, with explanations and the audit trail on: refusals are answered as before, what cannot be kept is counted
// and said once, and nothing grows.

import t from 'tap'
import { entriesIn, recorderOn } from '../../../support/audited.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { bearer, REDIRECT_URI, startService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const LOST = 'Explanations of refusals cannot be kept'
/** A refusal that keeps an explanation, and one that is an event. Neither writes anything before its answer. */
const UNREGISTERED = { redirect_uri: `${REDIRECT_URI}x` }

t.test('a Redis that is full', async (t) => {
  const redis = await startRedis(t)
  const storage = redisStorage(t, redis, 'full:')
  const service = await startService(t, { storage, audit: 'on', explain: { delay: 1 } })
  const { authorize, get, log, fastify } = service
  const { counts } = fastify.redmint
  const refused = async () => {
    const [page, api] = await Promise.all([authorize(UNREGISTERED), get('/api/resource', bearer('unknown'))])
    const kept = { page: page.status, api: api.status, error: api.json.error }
    return { kept, id: String(page.headers['x-request-id']) }
  }
  const fill = (is_full: boolean) => redis.cli('CONFIG', 'SET', 'maxmemory', is_full ? '1' : '0')
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')

  const before = await refused()
  const explained = async (id: string) => (await storage.bounded.read('explanations', { name: id }))[0]
  await until('it is explained', async () => (await explained(before.id)) !== undefined)
  await until('it is in the trail', async () => (await entriesIn(storage)).length > 0)
  await fill(true)
  for (let i = 1; i <= 3; i++) {
    t.strictSame((await refused()).kept, before.kept, 'the same answers')
    await until('an explanation is lost', () => counts.explanations_lost >= i)
  }
  t.equal(log.filter((line) => line.includes(LOST)).length, 1, 'said once')
  // The recorder of a server that has room for ten.
  const lines: string[] = []
  const full = { error: (_: object, line: string) => void lines.push(line) }
  const { recorder, audit_lost } = recorderOn(storage, {
    log: { ...SILENT, ...full },
    timing: { every: 1, close_within: 50 },
  })
  recorder.start()
  t.teardown(() => recorder.close())
  for (let i = 0; i < 25; i++) recorder.note({ event: 'all_sessions_ended' }, {})
  t.equal(audit_lost.trail, 15)
  t.equal(lines.length, 1, 'said once')

  await fill(false)
  // What was refused meanwhile is counted, and is written when its minute is over.
  const written = async () =>
    (await entriesIn(storage)).filter(({ event }) => event === 'all_sessions_ended').length
  await until('what waited is written', async () => (await written()) >= 10)
  t.equal(await written(), 10, 'once')
  const after = await refused()
  await until('refusals are explained again', async () => (await explained(after.id)) !== undefined)
})
