// Nonces of DPoP proofs: every replica accepts those of the others, for a time.
import t, { type Test } from 'tap'
import { NONCE_PERIOD } from '../../../../src/dpop/nonce-period.ts'
import { ProofNonces } from '../../../../src/dpop/nonces.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { withOtherCharacter } from '../../../support/other-character.ts'

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
  const ends_at = START / 1000 + 2 * NONCE_PERIOD
  const isJudged = (age: number, is_old: boolean) => {
    for (const { nonces } of [one, other]) t.strictSame(nonces.judge(nonce), { age, ends_at, is_old })
  }
  const pass = (seconds: number) => [one, other].forEach((replica) => void replica.pass(seconds))
  isJudged(0, false)
  pass(NONCE_PERIOD - 1)
  t.equal(one.nonces.current(), nonce, 'the same in the whole period')
  isJudged(NONCE_PERIOD - 1, false)
  pass(1)
  t.not(one.nonces.current(), nonce)
  isJudged(NONCE_PERIOD, true)
  pass(NONCE_PERIOD - 1)
  isJudged(2 * NONCE_PERIOD - 1, true)
  pass(1)
  for (const { nonces } of [one, other]) t.equal(nonces.judge(nonce), undefined)
})

t.test('a replica whose clock is ahead by a period makes nonces that are good', async (t) => {
  const [one, other] = await setUp(t)
  one.pass(NONCE_PERIOD)
  const ends_at = START / 1000 + 3 * NONCE_PERIOD
  t.strictSame(other.nonces.judge(one.nonces.current()), { age: 0, ends_at, is_old: false })
  one.pass(NONCE_PERIOD)
  t.equal(other.nonces.judge(one.nonces.current()), undefined)
})

t.test('what this server did not make is refused', async (t) => {
  const [{ nonces, sealer }] = await setUp(t)
  const nonce = nonces.current()
  t.match(nonce, /^[\w.-]+$/, 'characters of RFC 9449 §8.1')
  const changed = withOtherCharacter(nonce, -2)
  for (const wrong of ['', 'a nonce', `${nonce}A`, changed, sealer.seal('page', '1'), `${nonce},${nonce}`]) {
    t.equal(nonces.judge(wrong), undefined, wrong)
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
