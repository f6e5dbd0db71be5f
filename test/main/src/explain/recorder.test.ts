// Explanations under a flood, and while storage takes none: what is kept is bounded, and what is lost is counted and said once.
import t from 'tap'
import type { Client } from '../../../../src/clients/record/client-record.ts'
import type { RefusedRequest } from '../../../../src/core/refusal.ts'
import { findExplanation, listExplanations } from '../../../../src/explain/explanation.ts'
import { Recorder } from '../../../../src/explain/recorder.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { instead } from '../../../support/instead.ts'

const HOUR = 3_600_000

/** A recorder that writes when the test says so. */
function start(put?: () => Promise<void>) {
  const memory = new MemoryStorage()
  const { bounded, records } = memory
  const counts = { explanations_lost: 0 }
  const lines: string[] = []
  const say = (level: string) => (given: object) => void lines.push('err' in given ? `${level} err` : level)
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  const context = {
    storage: { records, bounded: put ? instead(bounded, { put }) : bounded },
    settings: { explain_max: 100_000, explain_ttl: 3600 },
    clients: {
      cached: (client_id: string) =>
        client_id.startsWith('self-') ? ({ client_id, registered_at: '2026-01-01' } as Client) : undefined,
    },
    ...{ counts, log, now: Date.now },
  }
  const recorder = new Recorder(context, HOUR)
  t.teardown(() => recorder.close())
  let number = 0
  const take = (about: Partial<RefusedRequest>) =>
    recorder.take({
      id: `request-${number++}`,
      ...({ endpoint: 'token', reason: 'grant_type_unsupported' } as const),
      ...about,
    })
  const refuse = (client_id: string, times = 1) => {
    for (let i = 0; i < times; i++) take({ client_id })
  }
  const kept = async () =>
    (await bounded.read('explanations')).map(({ text, more }) => ({ ...JSON.parse(text), more }))
  return { storage: memory, recorder, refuse, take, counts, lines, kept }
}

t.test('a flood of many clients waits in bounded number; the rest is lost and counted', async (t) => {
  const { recorder, refuse, counts, kept } = start()
  for (let i = 0; i < 600; i++) refuse(`client-${i}`)
  t.equal(counts.explanations_lost, 0)
  for (let i = 0; i < 600; i++) refuse(`client-${i}`)
  t.equal(counts.explanations_lost, 200, 'more than 1000 do not wait')
  await recorder.flush()
  t.equal((await kept()).length, 1000)
})

t.test(
  'strangers leave room for the first refusals of each client, and for the numbers of others',
  async (t) => {
    const { recorder, refuse, take, counts, kept } = start()
    for (let i = 0; i < 900; i++) take({ client_id: `self-${i}` })
    for (let i = 0; i < 900; i++) take({ reason: 'client_unknown', sent_client: `made-up-${i}` })
    refuse('web', 150)
    for (let i = 0; i < 40; i++) refuse(`busy-${i}`, 20)
    refuse('shop', 30)
    await recorder.flush()
    const all = await kept()
    const keptOf = (prefix: string) => all.filter(({ client_id = '' }) => client_id.startsWith(prefix)).length
    t.equal(keptOf('self-'), 300, 'all strangers together have half')
    t.equal(keptOf('web'), 20)
    t.equal(keptOf('shop'), 10, 'whoever comes last has a share')
    t.equal(all.find(({ client_id }) => client_id === 'shop')?.more, 20)
    t.ok(counts.explanations_lost > 0, 'what strangers lose is counted')
  },
)

t.test('one more of a kind is counted also if nothing else is to be written', async (t) => {
  const { recorder, refuse, kept } = start()
  refuse('web', 20)
  await recorder.flush()
  refuse('web', 3)
  await recorder.flush()
  t.strictSame(
    (await kept()).map(({ more }) => more),
    new Array(20).fill(3),
  )
})

t.test('what storage does not take is counted and said once, until it takes some again', async (t) => {
  for (const [error, said] of [
    [new StorageUnavailable('away'), 'info'],
    [new Error('a bug'), 'warn err'],
  ] as const) {
    let is_broken = true
    const { recorder, refuse, counts, lines } = start(async () => {
      if (is_broken) throw error
    })
    for (let i = 0; i < 2; i++) {
      refuse('web', 2)
      await recorder.flush()
    }
    t.equal(counts.explanations_lost, 4)
    t.same(lines, [said])
    is_broken = false
    refuse('web')
    await recorder.flush()
    is_broken = true
    refuse('web')
    await recorder.flush()
    t.same(lines, [said, said])
    t.equal(counts.explanations_lost, 5)
  }
})

t.test('an explanation names no person: the name is that of today, and gone with its person', async (t) => {
  const { recorder, take, storage, kept } = start()
  const received = { method: 'password', sub: 'sub-of-bob', username: 'bob' }
  take({ reason: 'password_wrong', received })
  await recorder.flush()
  const [record] = await kept()
  t.notMatch(JSON.stringify(record), '"bob"')
  const { id } = record
  const context = { storage, settings: { explain_ttl: 3600 }, now: Date.now }
  const shown = async () => (await findExplanation(context, id, 'en'))?.received
  t.strictSame(await shown(), { method: 'password', sub: 'sub-of-bob' })
  const bob = { sub: 'sub-of-bob' }
  await storage.records.create({ kind: USER, id: 'bob', hash: bob })
  await indexUser(storage, 'bob', bob)
  t.match(await shown(), { username: 'bob' })
  t.match(await listExplanations(context, { limit: 1, language: 'en' }), [{ received: { username: 'bob' } }])
  await storage.records.remove(USER, 'bob', undefined)
  t.strictSame(await shown(), { method: 'password', sub: 'sub-of-bob' }, 'removed')
})
