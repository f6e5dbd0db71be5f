import t from 'tap'
import { ExpiringMap } from '../../../../../src/storage/memory/expiring-map.ts'

t.test('an entry exists up to and including its last millisecond', async (t) => {
  let now = 1000
  const map = new ExpiringMap<string>(() => now)
  map.set('a', 'one', 2000)
  now = 2000
  t.equal(map.get('a'), 'one')
  map.update('a', (value) => `${value} more`)
  t.equal(map.get('a'), 'one more')
  now = 2001
  t.equal(map.get('a'), undefined)
  map.update('a', () => 'back')
  map.keepUntil('a', 9000)
  now = 2000
  t.equal(map.get('a'), 'one more', 'an expired entry is neither changed nor extended')
})

t.test('a lifetime can be extended, never shortened', async (t) => {
  let now = 0
  const map = new ExpiringMap<string>(() => now)
  map.set('a', 'one', 100)
  map.keepUntil('a', 50)
  now = 100
  t.equal(map.get('a'), 'one')
  map.keepUntil('a', 200)
  now = 200
  t.equal(map.get('a'), 'one')
  t.equal(map.get('b'), undefined)
})

t.test('expired entries are deleted, so memory use is bounded', async (t) => {
  let now = 0
  const map = new ExpiringMap<number>(() => now)
  map.set('lasting', 0, Number.POSITIVE_INFINITY)
  let most = 0
  for (let i = 0; i < 10_000; i += 1) {
    now = i
    map.set(`key ${i}`, i, now + 100)
    most = Math.max(most, map.size)
  }
  t.ok(most <= 2 * 102, `at most ${most} entries for 101 live ones`)
  t.equal(map.get('lasting'), 0)
  t.equal(map.get('key 9999'), 9999)
})

t.test('the entry that expires first is found without looking at the values of later ones', async (t) => {
  let now = 0
  const map = new ExpiringMap<string>(() => now)
  t.equal(
    map.firstToExpire(() => true),
    undefined,
  )
  for (let i = 0; i < 1000; i += 1) map.set(`key ${i}`, '', 100 + i)
  map.set('refused', '', 50)
  map.set('early', '', 60)
  let asked = 0
  const accepts = (key: string) => {
    asked += 1
    return key !== 'refused'
  }
  t.equal(map.firstToExpire(accepts), 'early')
  t.equal(asked, 3)
  now = 100.5
  t.equal(map.firstToExpire(accepts), 'key 1', 'an expired entry does not count')
})
