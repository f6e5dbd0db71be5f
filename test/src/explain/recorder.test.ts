// Explanations under a flood, and while storage takes none: what is kept is bounded, and what is lost is counted and said once.
import t from 'tap'
import { Recorder } from '../../../src/explain/recorder.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { instead } from '../../support/instead.ts'

const HOUR = 3_600_000

/** A recorder that writes when the test says so. */
function start(keep?: () => Promise<void>) {
  const memory = new MemoryStorage()
  const { explanations, records } = memory
  const counts = { explanations_lost: 0 }
  const lines: string[] = []
  const say = (level: string) => (given: object) => void lines.push('err' in given ? `${level} err` : level)
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  const context = {
    storage: { records, explanations: keep ? instead(explanations, { keep }) : explanations },
    settings: { explain_max: 100_000, explain_ttl: 3600 },
    clients: { cached: () => undefined },
    ...{ counts, log, now: Date.now },
  }
  const recorder = new Recorder(context, HOUR)
  t.teardown(() => recorder.close())
  let number = 0
  const refuse = (client_id: string, times = 1) => {
    for (let i = 0; i < times; i++)
      recorder.take({
        id: `request-${number++}`,
        ...({ endpoint: 'token', reason: 'grant_type_unsupported', client_id } as const),
      })
  }
  return { recorder, refuse, counts, lines, explanations }
}

t.test(
  'a flood of many clients waits in bounded number; the rest is counted, or lost and counted',
  async (t) => {
    const { recorder, refuse, counts, explanations } = start()
    for (let i = 0; i < 600; i++) refuse(`client-${i}`)
    t.equal(counts.explanations_lost, 100, 'more than 500 do not wait')
    for (let i = 0; i < 600; i++) refuse(`client-${i}`)
    t.equal(counts.explanations_lost, 200, 'nor are more than 500 kinds counted')
    for (let i = 0; i < 500; i++) refuse(`client-${i}`)
    t.equal(counts.explanations_lost, 200, 'one more of a kind is')
    await recorder.flush()
    t.equal((await explanations.list(1000)).length, 500)
    t.equal(await explanations.countMore('grant_type_unsupported client-7'), 2)
  },
)

t.test('one more of a kind is counted also if nothing else is to be written', async (t) => {
  const { recorder, refuse, explanations } = start()
  refuse('web', 20)
  await recorder.flush()
  refuse('web', 3)
  await recorder.flush()
  t.equal((await explanations.list(100)).length, 20)
  t.equal(await explanations.countMore('grant_type_unsupported web'), 3)
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
