import t from 'tap'
import { DeliveryShares } from '../../../../src/outbound/delivery-shares.ts'

const TIMING = { per_client: 2, spacing: 0.02, first_delay: 5, longest_delay: 600 }

function open() {
  const clock = { now: 1_700_000_000_000 }
  const shares = new DeliveryShares(TIMING, () => clock.now)
  /** How many seconds the client is left alone; 0 if it may be asked. */
  const pause = () => {
    const start = clock.now
    while (shares.turnOf('rp').act === 'fail') clock.now += 1000
    return (clock.now - start) / 1000
  }
  return { clock, shares, pause }
}

t.test('a client gets two at a time, and further notices wait in a row', (t) => {
  const { clock, shares } = open()
  const ends = [shares.begin('rp'), shares.begin('rp')]
  t.strictSame(shares.turnOf('rp'), { act: 'wait', delay: 0.02 })
  t.strictSame(shares.turnOf('rp'), { act: 'wait', delay: 0.04 })
  clock.now += 30
  t.strictSame(shares.turnOf('rp'), { act: 'wait', delay: 0.03 }, 'the row goes on')
  t.strictSame(shares.turnOf('other'), { act: 'send' })
  for (const end of ends) end(true)
  t.strictSame(shares.turnOf('rp'), { act: 'send' })
  t.end()
})

t.test('the pause doubles with each failure in a row, up to ten minutes', (t) => {
  const { shares, pause } = open()
  const pauses = Array.from({ length: 9 }, () => {
    shares.begin('rp')('ETIMEDOUT')
    t.strictSame(shares.turnOf('rp'), { act: 'fail', status: 'ETIMEDOUT' })
    return pause()
  })
  t.strictSame(pauses, [5, 10, 20, 40, 80, 160, 320, 600, 600])
  const end = shares.begin('rp')
  t.equal(shares.turnOf('rp').act, 'wait', 'one at a time')
  end(true)
  shares.begin('rp')(503)
  t.strictSame(pause(), 5, 'a success ends the row')
  t.end()
})

t.test('a clock that is set back makes no pause longer than the longest', (t) => {
  const { clock, shares } = open()
  shares.begin('rp')('ETIMEDOUT')
  clock.now -= 7_200_000
  t.strictSame(shares.turnOf('rp'), { act: 'send' })
  t.end()
})

t.test('deliveries that began together count as one failure', (t) => {
  const { clock, shares, pause } = open()
  const ends = [shares.begin('rp'), shares.begin('rp')]
  for (const end of ends) {
    end(500)
    clock.now += 2000
  }
  t.equal(pause(), 1, 'the pause begins with the first')
  t.end()
})

t.test('an unknown result changes nothing, and a delivery ends once', (t) => {
  const { shares, pause } = open()
  shares.begin('rp')(500)
  pause()
  const end = shares.begin('rp')
  end()
  end(true)
  t.equal(pause(), 0)
  shares.begin('rp')
  t.equal(shares.turnOf('rp').act, 'wait', 'the client still counts as failing')
  t.end()
})

t.test('the failures of 10,000 clients are kept', (t) => {
  const { shares } = open()
  const ids = Array.from({ length: 10_001 }, (_, number) => `rp-${number}`)
  for (const id of ids) {
    shares.begin(id)(500)
    shares.turnOf('rp-0')
  }
  const failing = ids.filter((id) => shares.turnOf(id).act === 'fail')
  t.strictSame(
    [failing.length, failing[0], failing[1]],
    [10_000, 'rp-0', 'rp-2'],
    'all but the one that was looked up longest ago',
  )
  t.end()
})
