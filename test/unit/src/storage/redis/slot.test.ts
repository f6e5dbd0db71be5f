import t from 'tap'
import { RedisKeys } from '../../../../../src/storage/redis/keys.ts'
import { slotOf, suffixFor } from '../../../../../src/storage/redis/slot.ts'

t.test('slots are those of the specification of Redis Cluster', async (t) => {
  t.equal(slotOf('123456789'), 0x31c3)
  t.equal(slotOf(''), 0)
  t.equal(slotOf('foo'), 12182)
  t.equal(slotOf('ü'), slotOf('ü'), 'bytes of UTF-8')
})

t.test('three characters put any key into any slot', async (t) => {
  const keys = new RedisKeys('redmint:')
  const wrong = Array.from({ length: 16_384 }, (_, slot) => {
    const key = keys.client(`self-${slot.toString(36)}`)
    const suffix = suffixFor(key, slot)
    return /^[\w-]{3}$/.test(suffix) && slotOf(key + suffix) === slot ? [] : [slot]
  }).flat()
  t.same(wrong, [])
  t.throws(() => suffixFor('x', 16_384), RangeError)
})
