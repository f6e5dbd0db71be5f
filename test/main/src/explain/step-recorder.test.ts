// Steps of connections under a flood: what is kept is bounded, and strangers take nothing from what a client proved.
import t from 'tap'
import type { Client } from '../../../../src/clients/record/client-record.ts'
import type { ProvenStep, UnprovenStep } from '../../../../src/core/connection-steps.ts'
import { parseStep } from '../../../../src/explain/step-record.ts'
import { StepRecorder } from '../../../../src/explain/step-recorder.ts'
import { connectionTrail } from '../../../../src/explain/trail.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { instead } from '../../../support/instead.ts'

const HOUR = 3_600_000
/** Seconds. */
const TTL = 7200
const URL_CLIENT = 'https://tool.example/client.json'

/** A recorder that writes when the test says so, and a clock to move. */
function start(explain_max = 1000) {
  let time = Date.parse('2026-11-30T10:02:00Z')
  const now = () => time
  const storage = new MemoryStorage({ now })
  let puts = 0
  const { put } = storage.bounded
  const bounded = instead(storage.bounded, {
    put: async (...given: Parameters<typeof put>) => {
      puts += 1
      await put.apply(storage.bounded, given)
    },
  })
  const counts = { explanations_lost: 0 }
  const log = { info() {}, warn() {}, error() {} }
  const settings = { explain_max, explain_ttl: TTL }
  const clients = {
    cached: (client_id: string) =>
      client_id.startsWith('self-')
        ? ({ client_id, registered_at: '2026-01-01' } as Client)
        : ({ client_id } as Client),
  }
  const recorder = new StepRecorder({ storage: { bounded }, settings, clients, counts, log, now }, HOUR)
  t.teardown(() => recorder.close())
  const token = (client_id: string, number = 0, sub = 'alice') => {
    const grant = `grant-${client_id}-${number}`
    recorder.takeProven({ step: 'token', client_id, grant, sub, format: 'opaque' })
  }
  const stepsIn = async (list: 'connection-steps' | 'connection-steps:strangers') =>
    (await storage.bounded.read(list)).flatMap(({ text }) => parseStep(text) ?? [])
  const proven = () => stepsIn('connection-steps')
  const unproven = () => stepsIn('connection-steps:strangers')
  const trailOf = (client_id: string) =>
    connectionTrail({ storage, settings, now }, { client_id, limit: 100, language: 'en' })
  return {
    ...{ recorder, token, proven, unproven, trailOf, counts },
    puts: () => puts,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
  }
}

t.test(
  'strangers by the thousand push out nothing that a client proved, and wait in bounded number',
  async (t) => {
    const { recorder, token, proven, unproven, counts, trailOf } = start()
    token('web')
    await recorder.flush()
    const floods: ((i: number) => UnprovenStep)[] = [
      (i) => ({ step: 'discovery', from: `192.0.2.${i}` }),
      (i) => ({ step: 'registered', client_id: `self-${i}`, from: `198.51.100.${i}` }),
      (i) => ({ step: 'asked', client_id: 'web', from: `203.0.113.${i}` }),
      (i) => ({ step: 'document', client_id: `https://host-${i}.example/client.json`, from: '' }),
    ]
    for (let i = 0; i < 3000; i++) for (const flood of floods) recorder.takeUnproven(flood(i))
    await recorder.flush()
    t.match(await proven(), [{ step: 'token', client_id: 'web' }])
    const kept = await unproven()
    t.ok(kept.length > 0 && kept.length <= 300, `a process writes at most 300 of strangers: ${kept.length}`)
    t.ok(counts.explanations_lost > 0, 'what is lost is counted')
    token('web', 1)
    await recorder.flush()
    t.equal((await trailOf('web')).steps.filter(({ step }) => step === 'token').length, 2)
  },
)

t.test('one network has its share of what strangers are kept of', async (t) => {
  const { recorder, unproven, pass } = start()
  recorder.takeUnproven({ step: 'discovery', from: '192.0.2.1' })
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 200; i++)
      recorder.takeUnproven({ step: 'asked', client_id: `app-${round}-${i}`, from: '198.51.100.1' })
    await recorder.flush()
    pass(61)
  }
  const kept = await unproven()
  t.equal(kept.filter(({ from }) => from === '198.51.100.1').length, 20)
  t.equal(kept.filter(({ from }) => from === '192.0.2.1').length, 1)
})

t.test('like steps are one entry, the last of them, and are written once in ten seconds', async (t) => {
  const { recorder, proven, puts, pass } = start()
  const take = () => recorder.takeProven({ step: 'token', client_id: 'job', format: 'opaque' })
  for (let i = 0; i < 500; i++) take()
  await recorder.flush()
  t.equal(puts(), 1)
  for (let i = 0; i < 9; i++) {
    pass(1)
    take()
    await recorder.flush()
  }
  t.equal(puts(), 1, 'it waits')
  pass(1)
  await recorder.flush()
  t.equal(puts(), 2)
  t.match(await proven(), [{ step: 'token', client_id: 'job', at: '2026-11-30T10:02:09.000Z' }])
})

t.test('a token that is shown again is no step, unless it was refused in between', async (t) => {
  const { recorder, proven, pass } = start()
  const shown: Omit<ProvenStep, 'step'> = {
    client_id: 'web',
    grant: 'g',
    sub: 'alice',
    token: 'g.one',
    by: 'api',
  }
  const lastOf = async () => {
    await recorder.flush(true)
    const [last] = await proven()
    return `${last?.step} ${last?.at.slice(17, 19)}`
  }
  recorder.takeProven({ step: 'api', ...shown })
  t.equal(await lastOf(), 'api 00')
  pass(20)
  recorder.takeProven({ step: 'api', ...shown })
  t.equal(await lastOf(), 'api 00')
  recorder.takeProven({ step: 'api', ...shown, token: 'g.two' })
  t.equal(await lastOf(), 'api 20', 'another token is')
  pass(20)
  recorder.takeProven({ step: 'api_refused', ...shown, token: 'g.two', reason: 'token_scope' })
  t.equal(await lastOf(), 'api_refused 40')
  recorder.takeProven({ step: 'api', ...shown, token: 'g.two' })
  t.equal(await lastOf(), 'api 40')
  pass(10)
  const places = [{ by: 'other' }, { by: 'api', endpoint: 'introspect' }] as const
  for (const [i, place] of places.entries()) {
    pass(i)
    recorder.takeProven({ step: 'api', ...shown, token: 'g.two', ...place })
    t.equal(await lastOf(), `api 5${i}`, 'nor was it shown elsewhere')
  }
  pass(5)
  for (const place of [{}, ...places])
    recorder.takeProven({ step: 'api', ...shown, token: 'g.two', ...place })
  t.equal(await lastOf(), 'api 51', 'each place is known')
})

t.test('a token whose step was too many is one when it is shown again', async (t) => {
  const { recorder, proven, pass } = start()
  const show = (i: number) =>
    recorder.takeProven({ step: 'api', client_id: 'web', grant: `g${i}`, sub: 'alice', token: `g${i}.one` })
  for (let i = 0; i < 100; i++) show(i)
  await recorder.flush(true)
  t.notOk((await proven()).some(({ grant }) => grant === 'g99'))
  pass(61)
  show(99)
  await recorder.flush(true)
  t.match((await proven())[0], { grant: 'g99' })
})

t.test('of a token that is shown everywhere the latest places are known', async (t) => {
  const { recorder, proven, pass } = start()
  const showAt = (by: string) => recorder.takeProven({ step: 'api', client_id: 'web', token: 'g.one', by })
  for (let i = 0; i < 25; i++) showAt(`api-${i}`)
  await recorder.flush(true)
  pass(20)
  for (const by of ['api-24', 'api-0']) showAt(by)
  await recorder.flush(true)
  const told = (await proven()).slice(0, 2).map(({ by, at }) => `${by} ${at.slice(17, 19)}`)
  t.strictSame(told, ['api-0 20', 'api-24 00'])
})

t.test('a client and person have a share, and so has each client that an operator registered', async (t) => {
  const { recorder, token, proven, pass } = start(100)
  for (let i = 0; i < 3; i++) token('shop', i)
  await recorder.flush()
  for (let i = 0; i < 200; i++) {
    if (i % 30 === 0) pass(61)
    token('busy', i, `person-${i}`)
    token('web', i)
    // Anybody can make clients up: those of a person are of one owner.
    token(`self-${i}`, i, 'mallory')
    await recorder.flush()
  }
  const kept = await proven()
  const countOf = (prefix: string) => kept.filter(({ client_id = '' }) => client_id.startsWith(prefix)).length
  t.equal(kept.length, 100)
  t.equal(countOf('shop'), 3, 'who has little keeps it')
  t.ok(countOf('web') >= 25 && countOf('web') <= 40, `web: ${countOf('web')}`)
  t.ok(countOf('self-') <= 40, `of one person: ${countOf('self-')}`)
})

t.test('if steps are missing, the sentence says that one may be among them', async (t) => {
  const { recorder, token, trailOf } = start()
  for (let i = 0; i < 45; i++) token('web', i)
  await recorder.flush()
  const { more, sentence } = await trailOf('web')
  t.equal(more, 5)
  t.match(
    sentence,
    /5 more steps of this client are only counted: one that is missing here may be among them\.$/,
  )
})

t.test('more than a thousand steps do not wait: the rest is lost and counted', async (t) => {
  const { recorder, token, proven, counts } = start()
  for (let i = 0; i < 1200; i++) token(`client-${i}`)
  t.equal(counts.explanations_lost, 200)
  await recorder.flush()
  t.equal((await proven()).length, 1000)
})

t.test('the metadata were read for a client within the hour before, and not after it', async (t) => {
  const { recorder, pass, trailOf } = start()
  const read = (from: string) => recorder.takeUnproven({ step: 'discovery', from })
  read('192.0.2.1')
  pass(1)
  read('192.0.2.2')
  pass(3600)
  recorder.takeUnproven({ step: 'asked', client_id: 'web', from: '192.0.2.1' })
  recorder.takeUnproven({ step: 'asked', client_id: 'web', from: '192.0.2.2' })
  recorder.takeUnproven({ step: 'asked', client_id: 'web', from: '192.0.2.3' })
  pass(1)
  read('192.0.2.3')
  await recorder.flush(true)
  const { steps } = await trailOf('web')
  t.strictSame(
    steps.filter(({ step }) => step === 'discovery').map(({ from }) => from),
    ['192.0.2.2'],
  )
})

t.test('a step ends with EXPLAIN_TTL, and one of another version is left out', async (t) => {
  const { recorder, token, trailOf, pass } = start()
  token('web')
  recorder.takeProven({ step: 'token', client_id: URL_CLIENT, sub: 'alice', format: 'jwt' })
  await recorder.flush()
  t.equal((await trailOf(URL_CLIENT)).to_act, 'unseen')
  pass(TTL)
  t.match(await trailOf('web'), { steps: [], to_act: 'client' })
  for (const text of ['', '{}', '{"step":"flown","at":"2026-11-30T10:02:00Z"}', '{"step":"token"}'])
    t.equal(parseStep(text), undefined, text)
})
