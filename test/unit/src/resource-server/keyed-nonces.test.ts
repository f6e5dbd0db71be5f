import t from 'tap'
import { keyedNonces } from '../../../../src/resource-server/keyed-nonces.ts'

const SECRET = 'k'.repeat(32)
const START = 1_800_000_000_000

t.test(
  'a nonce is accepted in its minute and the next one, and by a process whose clock is behind',
  async (t) => {
    const clock = { now: START }
    const nonces = keyedNonces(SECRET, () => clock.now)
    const other = keyedNonces(SECRET, () => clock.now)
    const nonce = other.current()
    t.match(nonce, /^[A-Za-z0-9_-]{43}$/)
    t.equal(nonces.current(), nonce, 'processes with one secret make the same')
    const ends_at = START / 1000 + 120
    const table: [minutes: number, judgement: object | undefined][] = [
      [-2, undefined],
      [-1, { age: 0, ends_at, is_old: false }],
      [0, { age: 0, ends_at, is_old: false }],
      [0.5, { age: 30, ends_at, is_old: false }],
      [1, { age: 60, ends_at, is_old: true }],
      [2, undefined],
    ]
    for (const [minutes, judgement] of table) {
      clock.now = START + minutes * 60_000
      t.strictSame(nonces.judge(nonce), judgement, `${minutes} minutes`)
    }
  },
)

t.test('other texts are refused, and nonces of another secret', async (t) => {
  const nonces = keyedNonces(SECRET, () => START)
  const nonce = nonces.current()
  for (const other of [
    '',
    `${nonce} `,
    nonce.slice(1),
    'ä'.repeat(43),
    keyedNonces('l'.repeat(32), () => START).current(),
  ]) {
    t.equal(nonces.judge(other), undefined, other)
  }
})

t.test('a short secret is refused with what to do', async (t) => {
  t.throws(() => keyedNonces('k'.repeat(31), () => START), {
    name: 'TypeError',
    message: /nonce_secret has fewer than 32 bytes: make one with `openssl rand/,
  })
})
