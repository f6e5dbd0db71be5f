// Suite: unit
// Nonces of DPoP proofs: every replica accepts those of the others, for a time.
import t, { type Test } from 'tap'
import { NONCE_PERIOD, ProofNonces } from '../../../src/dpop/nonces.ts'
import { Sealer } from '../../../src/keys/sealer.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { withOtherCharacter } from '../../support/other-character.ts'

const START = Date.parse('2026-11-22T00:00:00Z')
const log = { info() {}, warn() {}, error() {} }

async function setUp(t: Test) {
  const { sealing_keys: store } = new MemoryStorage()
  const replica = async () => {
    const clock = { now: START }
    const now = () => clock.now
    const sealer = new Sealer({ store, settings: {}, log, now })
    t.teardown(() => sealer.close())
    await sealer.start()
    const pass = (seconds: number) => {
      clock.now += seconds * 1000
    }
    return { nonces: new ProofNonces({ sealer, now }), pass, sealer }
  }
  return [await replica(), await replica()] as const
}

t.test('a nonce is good for a period, old for another one, then refused', async (t) => {
  const [one, other] = await setUp(t)
  const nonce = one.nonces.current()
  const judged = () => [one, other].map(({ nonces }) => nonces.judge(nonce))
  const pass = (seconds: number) => [one, other].forEach((replica) => void replica.pass(seconds))
  t.strictSame(judged(), ['good', 'good'])
  pass(NONCE_PERIOD - 1)
  t.equal(one.nonces.current(), nonce, 'the same in the whole period')
  t.strictSame(judged(), ['good', 'good'])
  pass(1)
  t.not(one.nonces.current(), nonce)
  t.strictSame(judged(), ['old', 'old'])
  pass(NONCE_PERIOD - 1)
  t.strictSame(judged(), ['old', 'old'])
  pass(1)
  t.strictSame(judged(), ['refused', 'refused'])
})

t.test('a replica whose clock is ahead by a period makes nonces that are good', async (t) => {
  const [one, other] = await setUp(t)
  one.pass(NONCE_PERIOD)
  t.equal(other.nonces.judge(one.nonces.current()), 'good')
  one.pass(NONCE_PERIOD)
  t.equal(other.nonces.judge(one.nonces.current()), 'refused')
})

t.test('what this server did not make is refused', async (t) => {
  const [{ nonces, sealer }] = await setUp(t)
  const nonce = nonces.current()
  t.match(nonce, /^[\w.-]+$/, 'characters of RFC 9449 §8.1')
  const changed = withOtherCharacter(nonce, -2)
  for (const wrong of ['', 'a nonce', `${nonce}A`, changed, sealer.seal('page', '1'), `${nonce},${nonce}`]) {
    t.equal(nonces.judge(wrong), 'refused', wrong)
  }
})

t.test('without sealing keys nothing is accepted or made', async (t) => {
  const away = async () => {
    throw new StorageUnavailable('away')
  }
  const sealer = new Sealer({
    store: { read: away, now: away, replace: away },
    settings: {},
    log,
    now: () => START,
  })
  t.teardown(() => sealer.close())
  await sealer.start()
  const nonces = new ProofNonces({ sealer, now: () => START })
  const [{ nonces: others }] = await setUp(t)
  t.throws(() => nonces.current(), StorageUnavailable)
  t.throws(() => nonces.judge(others.current()), StorageUnavailable)
})
