import t from 'tap'
import type { KeyStatus, SigningKeyRecord } from '../../../../src/keys/key-record.ts'
import { areStored, mergeKeys } from '../../../../src/keys/merge-keys.ts'
import { RETIRED_FOR } from '../../../../src/keys/timing.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const ENDED = '2025-12-01T00:00:00.000Z'

const key = (kid: string, status: KeyStatus): SigningKeyRecord => ({
  kid,
  status,
  alg: 'ES256',
  created_at: ENDED,
  usable_at: ENDED,
  public_jwk: { kid },
  private_jwk: {},
  ...(status === 'retired' && { published_until: ENDED }),
})
const statuses = (keys: readonly SigningKeyRecord[]) =>
  Object.fromEntries(keys.map(({ kid, status }) => [kid, status]))

t.test('one installation signs, and the keys of the other that signed verify', (t) => {
  const own = [key('a', 'current'), key('b', 'next'), key('c', 'retired')]
  const moved = [key('x', 'current'), key('y', 'next'), key('z', 'retired')]
  const kept = mergeKeys(own, moved, 'own', NOW)
  t.strictSame(statuses(kept), { a: 'current', b: 'next', c: 'retired', x: 'retired', z: 'retired' })
  const until = new Date(NOW.getTime() + RETIRED_FOR * 1000).toISOString()
  t.equal(
    kept.find(({ kid }) => kid === 'x')?.published_until,
    until,
    'until the last of its tokens has expired',
  )
  t.equal(kept.find(({ kid }) => kid === 'z')?.published_until, ENDED)
  const replaced = mergeKeys(own, moved, 'moved', NOW)
  t.strictSame(statuses(replaced), { x: 'current', y: 'next', z: 'retired', a: 'retired', c: 'retired' })
  t.end()
})

t.test('a key that is in both stays as the one that counts has it', (t) => {
  const own = [key('a', 'retired'), key('b', 'current')]
  t.strictSame(statuses(mergeKeys(own, [key('a', 'current')], 'own', NOW)), { a: 'retired', b: 'current' })
  t.strictSame(statuses(mergeKeys(own, [key('a', 'current')], 'moved', NOW)), { a: 'current', b: 'retired' })
  t.end()
})

t.test('keys are stored whatever became of them, unless they are others of the same name', (t) => {
  t.ok(areStored([key('a', 'retired'), key('b', 'current')], [key('a', 'current')]))
  t.notOk(areStored([key('b', 'current')], [key('a', 'current')]))
  t.notOk(areStored([{ ...key('a', 'current'), public_jwk: { kid: 'other' } }], [key('a', 'current')]))
  t.notOk(areStored([{ ...key('a', 'current'), alg: 'EdDSA' }], [key('a', 'current')]))
  t.end()
})
