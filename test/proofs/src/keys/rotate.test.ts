import t from 'tap'
import { MAX_SIGNED_TOKEN_TTL } from '../../../../src/config/environment.ts'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { CLOCK_SKEW } from '../../../../src/core/clock-skew.ts'
import { QUICK_ALGS } from '../../../../src/keys/generate.ts'
import {
  formatSigningKeys,
  parseSigningKeys,
  type SigningKeyRecord,
} from '../../../../src/keys/key-record.ts'
import { maintainSigningKeys, rotateSigningKeys } from '../../../../src/keys/rotate.ts'
import { JWKS_MAX_AGE, PUBLISH_LEAD, RETIRED_FOR, STALE_AFTER } from '../../../../src/keys/timing.ts'
import { StoredKeyError } from '../../../../src/keys/wrap.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { SharedHash } from '../../../../src/storage/shared-hash.ts'
import { useTestKeys } from '../../../support/service.ts'

const settings = { key_rotation_days: 90 }
// The test keys are made with the real time and are usable from then on.
const START = new Date(Date.now() + 60_000)
const after = (seconds: number, from = START) => new Date(from.getTime() + seconds * 1000)
const DAY = 86_400

async function withKeys(): Promise<MemoryStorage> {
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  return storage
}

const read = async (storage: MemoryStorage) => parseSigningKeys(await storage.signing_keys.read())
const ofStatus = (keys: readonly SigningKeyRecord[], status: string) =>
  keys.filter((key) => key.status === status)
const kids = (keys: readonly SigningKeyRecord[]) => keys.map((key) => key.kid).sort()

t.test('the first start creates a current and a next key for every algorithm', async (t) => {
  const storage = new MemoryStorage()
  const keys = await maintainSigningKeys(storage.signing_keys, settings, START)
  t.same(
    ofStatus(keys, 'current')
      .map(({ alg }) => alg)
      .sort(),
    [...SIGNING_ALGS].sort(),
  )
  t.same(
    ofStatus(keys, 'next')
      .map(({ alg }) => alg)
      .sort(),
    [...SIGNING_ALGS].sort(),
  )
  t.equal(new Set(kids(keys)).size, keys.length, 'every key has its own kid')
  t.same(await read(storage), keys, 'the returned keys are the stored keys')
})

t.test('replicas that start at the same time agree on one key set', async (t) => {
  const storage = new MemoryStorage()
  const sets = await Promise.all(
    [1, 2, 3].map(() => maintainSigningKeys(storage.signing_keys, settings, START)),
  )
  const stored = kids(await read(storage))
  for (const set of sets) t.same(kids(set), stored)
})

t.test('nothing changes before a rotation is due', async (t) => {
  const storage = await withKeys()
  const before = await storage.signing_keys.read()
  await maintainSigningKeys(storage.signing_keys, settings, after(89 * DAY))
  t.same(await storage.signing_keys.read(), before)
})

t.test('a rotation makes next keys current, retires current keys and publishes new next keys', async (t) => {
  const storage = await withKeys()
  const before = await read(storage)
  const result = await rotateSigningKeys(storage.signing_keys, settings, after(1))
  t.equal(result.outcome, 'rotated')
  const keys = await read(storage)
  t.same(kids(ofStatus(keys, 'current')), kids(ofStatus(before, 'next')))
  t.same(kids(ofStatus(keys, 'retired')), kids(ofStatus(before, 'current')))
  const next = ofStatus(keys, 'next')
  t.equal(next.length, SIGNING_ALGS.length)
  for (const key of next) t.equal(key.usable_at, after(1 + PUBLISH_LEAD).toISOString())
})

t.test('a key is published for longer than any cache lifetime before it signs', async (t) => {
  t.ok(PUBLISH_LEAD > STALE_AFTER + JWKS_MAX_AGE + CLOCK_SKEW)
  const storage = await withKeys()
  await rotateSigningKeys(storage.signing_keys, settings, START)
  const current = kids(ofStatus(await read(storage), 'current'))
  const early = await rotateSigningKeys(storage.signing_keys, settings, after(PUBLISH_LEAD - 1))
  t.same(early, { outcome: 'too_soon', usable_at: after(PUBLISH_LEAD) })
  t.same(kids(ofStatus(await read(storage), 'current')), current)
  t.equal((await rotateSigningKeys(storage.signing_keys, settings, after(PUBLISH_LEAD))).outcome, 'rotated')
})

t.test('the scheduled rotation waits until the next keys are old enough', async (t) => {
  const storage = await withKeys()
  await rotateSigningKeys(storage.signing_keys, settings, START)
  const current = kids(ofStatus(await read(storage), 'current'))
  const hourly = { ...settings, key_rotation_days: 1 / 48 }
  t.same(
    kids(
      ofStatus(await maintainSigningKeys(storage.signing_keys, hourly, after(PUBLISH_LEAD / 2)), 'current'),
    ),
    current,
  )
  t.not(
    kids(
      ofStatus(await maintainSigningKeys(storage.signing_keys, hourly, after(PUBLISH_LEAD)), 'current'),
    )[0],
    current[0],
  )
})

t.test('the scheduled rotation happens once, even if several replicas start it', async (t) => {
  const storage = await withKeys()
  const next = kids(ofStatus(await read(storage), 'next'))
  await Promise.all([1, 2, 3].map(() => maintainSigningKeys(storage.signing_keys, settings, after(91 * DAY))))
  const keys = await read(storage)
  t.same(kids(ofStatus(keys, 'current')), next)
  t.equal(ofStatus(keys, 'retired').length, SIGNING_ALGS.length)
})

t.test('two concurrent rotations count as one', async (t) => {
  const storage = await withKeys()
  const next = kids(ofStatus(await read(storage), 'next'))
  const results = await Promise.all(
    [1, 2].map(() => rotateSigningKeys(storage.signing_keys, settings, after(1))),
  )
  t.same(
    results.map(({ outcome }) => outcome),
    ['rotated', 'rotated'],
  )
  t.same(kids(ofStatus(await read(storage), 'current')), next)
})

t.test('another change at the same time is no rotation', async (t) => {
  const storage = await withKeys()
  await rotateSigningKeys(storage.signing_keys, settings, START)
  const next = kids(ofStatus(await read(storage), 'next'))
  const { signing_keys } = storage
  let tidied = false
  const contested: SharedHash = {
    read: () => signing_keys.read(),
    now: () => signing_keys.now(),
    async replace(expected, wanted) {
      // Another process removes a key that was retired, while this one makes new keys.
      const kept = (await read(storage)).filter(({ status }) => status !== 'retired')
      if (!tidied) tidied = await signing_keys.replace(await signing_keys.read(), formatSigningKeys(kept))
      return signing_keys.replace(expected, wanted)
    },
  }
  const result = await rotateSigningKeys(contested, settings, after(PUBLISH_LEAD))
  t.equal(result.outcome, 'rotated')
  t.ok(tidied)
  t.same(kids(ofStatus(await read(storage), 'current')), next, 'and the next keys sign')
})

t.test('a next key that was made while a clock was ahead can sign after the usual time', async (t) => {
  const storage = await withKeys()
  const stored = await storage.signing_keys.read()
  const ahead = parseSigningKeys(stored).map((key) =>
    key.status === 'next' ? { ...key, usable_at: after(365 * DAY).toISOString() } : key,
  )
  await storage.signing_keys.replace(stored, formatSigningKeys(ahead))
  t.match(await rotateSigningKeys(storage.signing_keys, settings, START), {
    outcome: 'too_soon',
    usable_at: after(PUBLISH_LEAD),
  })
  await maintainSigningKeys(storage.signing_keys, settings, after(PUBLISH_LEAD - 1))
  const result = await rotateSigningKeys(storage.signing_keys, settings, after(PUBLISH_LEAD))
  t.equal(result.outcome, 'rotated', 'it is corrected once')
})

t.test('a retired key is published until the last token that it signed has expired', async (t) => {
  const storage = await withKeys()
  const old = kids(ofStatus(await read(storage), 'current'))
  await rotateSigningKeys(storage.signing_keys, settings, START)
  t.ok(RETIRED_FOR >= MAX_SIGNED_TOKEN_TTL + STALE_AFTER + CLOCK_SKEW)
  t.same(
    kids(
      ofStatus(await maintainSigningKeys(storage.signing_keys, settings, after(RETIRED_FOR - 1)), 'retired'),
    ),
    old,
  )
  t.same(
    ofStatus(await maintainSigningKeys(storage.signing_keys, settings, after(RETIRED_FOR)), 'retired'),
    [],
  )
})

t.test('a retired key without a successor keeps the published_until of its record', async (t) => {
  const storage = await withKeys()
  await rotateSigningKeys(storage.signing_keys, settings, START)
  const stored = await storage.signing_keys.read()
  const alone = parseSigningKeys(stored)
    .filter(({ status }) => status !== 'current')
    .map((key) => (key.status === 'retired' ? { ...key, published_until: after(1260).toISOString() } : key))
  await storage.signing_keys.replace(stored, formatSigningKeys(alone))
  const keys = await maintainSigningKeys(storage.signing_keys, settings, after(30))
  for (const key of ofStatus(keys, 'retired')) t.equal(key.published_until, after(1260).toISOString())
})

t.test('a next key that was removed is replaced, and the replacement gets the full lead time', async (t) => {
  const storage = await withKeys()
  const stored = await storage.signing_keys.read()
  const [gone] = ofStatus(parseSigningKeys(stored), 'next')
  const { [String(gone?.kid)]: _, ...rest } = stored
  await storage.signing_keys.replace(stored, rest)
  const keys = await maintainSigningKeys(storage.signing_keys, settings, after(10))
  const added = keys.find(({ kid }) => rest[kid] === undefined)
  t.match(added, { alg: gone?.alg, status: 'next', usable_at: after(10 + PUBLISH_LEAD).toISOString() })
})

t.test(
  'an algorithm that never had a key gets its first keys at once, whatever else is stored',
  async (t) => {
    const storage = new MemoryStorage()
    const quick = await maintainSigningKeys(storage.signing_keys, settings, START, { algs: QUICK_ALGS })
    t.same([...new Set(quick.map(({ alg }) => alg))].sort(), [...QUICK_ALGS].sort())
    // An older replica that finds these adds next keys with the lead, and no current ones.
    const older = await maintainSigningKeys(new MemoryStorage().signing_keys, settings, START, {
      algs: ['RS256'],
    })
    const next = ofStatus(older, 'next').map((key) => ({
      ...key,
      usable_at: after(PUBLISH_LEAD).toISOString(),
    }))
    await storage.signing_keys.replace(
      await storage.signing_keys.read(),
      formatSigningKeys([...quick, ...next]),
    )

    const keys = await maintainSigningKeys(storage.signing_keys, settings, after(1))
    for (const alg of SIGNING_ALGS) {
      const current = ofStatus(keys, 'current').filter((key) => key.alg === alg)
      t.match(current, [{ alg, usable_at: after(QUICK_ALGS.includes(alg) ? 0 : 1).toISOString() }])
    }
    for (const { kid } of next) t.ok(kids(ofStatus(keys, 'next')).includes(kid))
  },
)

t.test('the next key of an algorithm signs if somebody removed the current one', async (t) => {
  const storage = await withKeys()
  const stored = await storage.signing_keys.read()
  const ofAlg = (keys: readonly SigningKeyRecord[], status: string) =>
    ofStatus(keys, status).filter(({ alg }) => alg === 'ES256')
  const [gone] = ofAlg(parseSigningKeys(stored), 'current')
  const [next] = ofAlg(parseSigningKeys(stored), 'next')
  const { [String(gone?.kid)]: _, ...rest } = stored
  await storage.signing_keys.replace(stored, rest)
  const keys = await maintainSigningKeys(storage.signing_keys, settings, START)
  t.same(kids(ofAlg(keys, 'current')), [next?.kid])
  t.equal(ofAlg(keys, 'next').length, 1)
})

t.test('the error for a malformed record names its key', async (t) => {
  const storage = await withKeys()
  const stored = await storage.signing_keys.read()
  const [kid = '', json = ''] = Object.entries(stored)[0] ?? []
  const broken = [
    '',
    'null',
    '[]',
    'not json',
    '{}',
    json.replace('"kid"', '"id"'),
    json.replace(/"status":"\w+"/, '"status":"on"'),
  ]
  for (const value of broken) {
    t.throws(
      () => parseSigningKeys({ ...stored, [kid]: value }),
      new StoredKeyError(
        `The signing key ${kid} is malformed: restore the field ${kid} of the hash signing-keys, or remove it.`,
      ),
      value,
    )
  }
})

t.test('a process with a wrong KEY_ENCRYPTION_KEY does not change the keys', async (t) => {
  const storage = new MemoryStorage()
  const wrapping = { ...settings, key_encryption_key: Buffer.alloc(32, 7) }
  await maintainSigningKeys(storage.signing_keys, wrapping, START)
  const stored = await storage.signing_keys.read()
  await t.rejects(rotateSigningKeys(storage.signing_keys, settings, after(1)), StoredKeyError)
  await t.rejects(maintainSigningKeys(storage.signing_keys, settings, after(91 * DAY)), StoredKeyError)
  t.same(await storage.signing_keys.read(), stored)
})
