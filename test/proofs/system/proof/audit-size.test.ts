// A million entries of the audit trail are trimmed by age and by size, in steps of bounded size, so that no command of Redis is long.
import t from 'tap'
import { entryText } from '../../../../src/audit/entry.ts'
import { trimTrail } from '../../../../src/audit/trim.ts'
import type { Trail } from '../../../../src/storage/trail.ts'
import { recorderOn } from '../../../support/audited.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { openAt, PREFIX } from '../../../support/storage/redis/support.ts'

const ENTRIES = 1_000_000
/** The most that a step of trimming deletes or reads. */
const STEP = 501
const DAY = 86_400_000
// So many are added at a time that the fill does not take minutes.
const AT_A_TIME = 50_000
const FILL = `for i = ARGV[2], ARGV[3] do redis.call('XADD', KEYS[1], ARGV[1] .. '-' .. i, 'entry', ARGV[4]) end`

t.test('a million entries, half of them too old (J4)', async (t) => {
  const redis = await startRedis(t)
  const { storage } = openAt(t, redis.url)
  const now = Date.now()
  const text = entryText({ event: 'all_sessions_ended' }, undefined, {}, {}, now)
  const key = `${PREFIX}audit`
  const fill = async (at: number) => {
    for (let from = 1; from < ENTRIES / 2; from += AT_A_TIME)
      await redis.cli('EVAL', FILL, '1', key, `${at}`, `${from}`, `${from + AT_A_TIME - 1}`, text)
  }
  await fill(now - 100 * DAY)
  await fill(now)
  t.equal(await storage.trail.size(), ENTRIES)

  const deleted: number[] = []
  const read: number[] = []
  const trail: Pick<Trail, 'size' | 'read' | 'trim'> = {
    size: () => storage.trail.size(),
    async read(range) {
      read.push(range.limit)
      return storage.trail.read(range)
    },
    async trim(before, told) {
      const size = await storage.trail.size()
      const is_done = await storage.trail.trim(before, told)
      deleted.push(size + told.entries.length - (await storage.trail.size()))
      return is_done
    },
  }
  const { recorder } = recorderOn(storage)
  const trim = (audit_max: number) =>
    trimTrail({
      storage: { trail: { ...storage.trail, ...trail } as Trail },
      settings: { audit_days: 90, audit_max },
      recorder,
      report: () => {},
      now: () => now,
    })

  await redis.cli('CONFIG', 'RESETSTAT')
  const by_age = await trim(10 * ENTRIES)
  t.equal(await storage.trail.size(), ENTRIES / 2 + by_age, 'the old ones go, and each step is an entry')
  const by_size = await trim(10_000)
  t.ok((await storage.trail.size()) <= 10_000)
  t.ok(Math.max(...deleted) <= STEP, `no step deletes more than ${STEP}, but ${Math.max(...deleted)}`)
  t.ok(Math.max(...read) <= STEP)
  const stats = await redis.cli('INFO', 'commandstats')
  const calls = Number(/cmdstat_xtrim:calls=(\d+)/.exec(stats)?.[1])
  t.equal(calls, 2 * (by_age + by_size), 'one of the trail and one of the chain in each step')
  t.equal(await trim(10_000), 0, 'nothing is left to do')
  const [oldest] = await storage.trail.read({ limit: 1 })
  t.ok(Number(oldest?.id.split('-')[0]) >= now, 'no old one is left')
})
