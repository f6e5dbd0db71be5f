import { generateKeyPairSync } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { type NewKeyPair, newKeyPair, QUICK_ALGS } from '../../../../src/keys/generate.ts'
import { parseSigningKeys } from '../../../../src/keys/key-record.ts'
import { readRestoreMark, writeRestoreMark } from '../../../../src/keys/restore-mark.ts'
import { KeyRing } from '../../../../src/keys/ring.ts'
import { maintainSigningKeys, rotateSigningKeys } from '../../../../src/keys/rotate.ts'
import { STALE_AFTER } from '../../../../src/keys/timing.ts'
import { StoredKeyError } from '../../../../src/keys/wrap.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { SharedHash } from '../../../../src/storage/shared-hash.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { gatedKeys } from '../../../support/gated-keys.ts'
import { useTestKeys } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const settings = { key_rotation_days: 90 }
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']

interface Fixture {
  storage: MemoryStorage
  ring: KeyRing
  clock: { now: number }
  /** Whether storage is unavailable. */
  away: { value: boolean }
  /** The lines logged. */
  lines: { details: object; message: string }[]
  /** How often the keys were read, or should have been. */
  reads: { count: number }
}

async function startRing(t: Test, key_encryption_key?: Uint8Array): Promise<Fixture> {
  const clock = { now: Date.now() }
  const away = { value: false }
  const storage = new MemoryStorage()
  if (key_encryption_key === undefined) await useTestKeys(storage)
  const lines: Fixture['lines'] = []
  const add = (details: object, message: string) => lines.push({ details, message })
  const log = { info: add, warn: add, error: add }
  const reads = { count: 0 }
  const store = {
    read: async () => {
      reads.count += 1
      if (away.value) throw new StorageUnavailable('away')
      return storage.signing_keys.read()
    },
    now: () => storage.signing_keys.now(),
    replace: storage.signing_keys.replace.bind(storage.signing_keys),
  }
  const ring = new KeyRing({
    store,
    records: storage.records,
    settings: key_encryption_key === undefined ? settings : { ...settings, key_encryption_key },
    log,
    now: () => clock.now,
  })
  t.teardown(() => ring.close())
  return { storage, ring, clock, away, lines, reads }
}

const isComplete = (ring: KeyRing) => !SIGNING_ALGS.some((alg) => ring.awaitsFirstKey(alg))

t.test('signs with the current key and publishes only the public parts of all keys', async (t) => {
  const { storage, ring } = await startRing(t)
  await ring.start()
  const records = parseSigningKeys(await storage.signing_keys.read())
  for (const alg of SIGNING_ALGS) {
    const current = records.find((record) => record.alg === alg && record.status === 'current')
    t.equal(ring.signingKey(alg).kid, current?.kid)
  }
  const published = ring.publicKeys()
  t.same(published.map(({ kid }) => kid).sort(), records.map(({ kid }) => kid).sort())
  for (const jwk of published) {
    t.same(
      PRIVATE_MEMBERS.filter((member) => member in jwk),
      [],
    )
    t.ok(jwk.alg && jwk.kid && jwk.use === 'sig')
    t.equal(ring.verificationKey(String(jwk.kid))?.publicKey.type, 'public')
  }
  t.equal(ring.verificationKey('unknown'), undefined)
})

t.test('after a rotation the next read uses the new keys; the retired key still verifies', async (t) => {
  const { storage, ring, clock } = await startRing(t)
  await ring.start()
  const old = ring.signingKey('ES256').kid
  await rotateSigningKeys(storage.signing_keys, settings, new Date(clock.now))
  t.equal(ring.signingKey('ES256').kid, old)
  await ring.reload()
  t.not(ring.signingKey('ES256').kid, old)
  t.ok(ring.verificationKey(old))
})

t.test('keys change by the clock of storage, not by that of a replica', async (t) => {
  const { storage, ring, clock } = await startRing(t)
  await ring.start()
  const before = await storage.signing_keys.read()
  clock.now += 365 * 86_400_000
  await ring.reload()
  t.strictSame(await storage.signing_keys.read(), before)
})

t.test('a verification key is the same object until the stored key changes', async (t) => {
  const { storage, ring } = await startRing(t)
  await ring.start()
  const { kid } = ring.signingKey('ES256')
  const key = ring.verificationKey(kid)
  await ring.reload()
  t.equal(ring.verificationKey(kid), key)

  const stored = await storage.signing_keys.read()
  const record = JSON.parse(stored[kid] ?? '')
  const public_jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  await storage.signing_keys.replace(stored, { ...stored, [kid]: JSON.stringify({ ...record, public_jwk }) })
  await ring.reload()
  t.equal(ring.verificationKey(kid)?.publicKey.export({ format: 'jwk' }).x, public_jwk.x)
})

t.test('if one stored key cannot be used, none of the stored keys replaces those in use', async (t) => {
  const { storage, ring, clock } = await startRing(t)
  await ring.start()
  const { kid } = ring.signingKey('ES256')
  await rotateSigningKeys(storage.signing_keys, settings, new Date(clock.now))
  const stored = await storage.signing_keys.read()
  const public_jwk = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })
  const spoiled = JSON.stringify({ ...JSON.parse(stored[kid] ?? ''), public_jwk })
  await storage.signing_keys.replace(stored, { ...stored, [kid]: spoiled })
  await t.rejects(ring.reload(), StoredKeyError)
  t.equal(ring.signingKey('ES256').kid, kid)
  t.ok(ring.verificationKey(kid))
})

t.test('neither signs nor publishes if the keys could not be read for too long', async (t) => {
  const { ring, clock, away } = await startRing(t)
  await ring.start()
  const { kid } = ring.signingKey('ES256')
  away.value = true
  clock.now += STALE_AFTER * 1000 - 1
  t.ok(ring.signingKey('ES256'))
  t.equal(ring.fresh, true)
  clock.now += 1
  t.equal(ring.fresh, false)
  t.throws(() => ring.signingKey('ES256'), StorageUnavailable)
  t.throws(() => ring.publicKeys(), StorageUnavailable)
  t.throws(() => ring.verificationKey('unknown'), StorageUnavailable, 'an unknown kid may be a new key')
  t.throws(() => ring.verificationKey(kid), StorageUnavailable, 'a known key may have been removed')
  await t.rejects(ring.reload(), StorageUnavailable)
  away.value = false
  await ring.reload()
  t.equal(ring.fresh, true)
})

t.test('a clock that is set back does not make old keys usable', async (t) => {
  const { ring, clock, away } = await startRing(t)
  await ring.start()
  away.value = true
  clock.now -= STALE_AFTER * 1000
  t.equal(ring.fresh, false)
  t.throws(() => ring.signingKey('ES256'), StorageUnavailable)
  away.value = false
  await ring.reload()
  t.ok(ring.signingKey('ES256'))
})

t.test('after a suspension the first use reads the keys, not the timer', async (t) => {
  const { ring, clock } = await startRing(t)
  await ring.start()
  clock.now += STALE_AFTER * 1000
  t.throws(() => ring.signingKey('ES256'), StorageUnavailable)
  t.throws(() => ring.signingKey('ES256'), StorageUnavailable, 'while they are read')
  for (let turn = 0; turn < 1000 && !ring.fresh; turn += 1) await nextTurn()
  t.ok(ring.signingKey('ES256'))
})

t.test('starts without storage, and signs only after the keys were read', async (t) => {
  const { ring, away } = await startRing(t)
  away.value = true
  await ring.start()
  t.throws(() => ring.signingKey('ES256'), StorageUnavailable)
  away.value = false
  while (!ring.fresh) await new Promise((resolve) => setImmediate(resolve))
  t.ok(ring.signingKey('ES256'))
})

t.test('an outage of storage is left to the log of storage', async (t) => {
  const { ring, away, lines, reads } = await startRing(t)
  away.value = true
  await ring.start()
  await until('it tried again', () => reads.count >= 3)
  t.strictSame(lines, [])
  away.value = false
  await until('the keys are read', () => ring.fresh)
  t.strictSame(lines, [])
})

t.test('private keys are encrypted with KEY_ENCRYPTION_KEY', async (t) => {
  const kek = Buffer.alloc(32, 7)
  const { storage, ring } = await startRing(t, kek)
  await ring.start()
  await until('every algorithm has a key', () => isComplete(ring))
  t.ok(ring.signingKey('RS256').privateKey.type === 'private')
  const stored = await storage.signing_keys.read()
  for (const record of parseSigningKeys(stored)) {
    t.equal(record.private_jwk, undefined)
    t.same(
      PRIVATE_MEMBERS.filter((member) => member in record.public_jwk),
      [],
    )
    t.match(record.private_jwe, /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/, 'a compact JWE with alg dir')
  }

  for (const [title, key_encryption_key] of [
    ['a different key', Buffer.alloc(32, 8)],
    ['no key', undefined],
  ] as const) {
    const other = new KeyRing({
      store: storage.signing_keys,
      records: storage.records,
      settings: { ...settings, ...(key_encryption_key && { key_encryption_key }) },
      log: SILENT,
      now: Date.now,
    })
    t.teardown(() => other.close())
    await t.rejects(other.start(), StoredKeyError, title)
  }
})

t.test('keys that were stored unencrypted still work after KEY_ENCRYPTION_KEY is set', async (t) => {
  const storage = new MemoryStorage()
  await maintainSigningKeys(storage.signing_keys, settings, new Date())
  const wrapping = { ...settings, key_encryption_key: Buffer.alloc(32, 7) }
  const ring = new KeyRing({
    store: storage.signing_keys,
    records: storage.records,
    settings: wrapping,
    log: SILENT,
    now: Date.now,
  })
  t.teardown(() => ring.close())
  await ring.start()
  t.ok(ring.signingKey('ES256'))
})

t.test('keys that signed and are gone from storage are logged once, unlike after a rotation', async (t) => {
  const { storage, ring, lines } = await startRing(t)
  await ring.start()
  await rotateSigningKeys(storage.signing_keys, settings, new Date())
  await ring.reload()
  t.strictSame(lines, [])
  const current = parseSigningKeys(await storage.signing_keys.read()).filter(
    (key) => key.status === 'current',
  )
  const kids = current.map(({ kid }) => kid)
  await storage.signing_keys.replace(await storage.signing_keys.read(), {})
  await ring.reload()
  await until('there are new keys', () => isComplete(ring))
  t.equal(lines.length, 1)
  t.match(lines, [{ details: { kids }, message: /^Keys that signed are gone .*Redis lost its data/ }])
})

t.test('the restore mark is read with the keys', async (t) => {
  const { storage, ring, lines } = await startRing(t)
  await ring.start()
  t.equal(ring.notBefore, 0)
  await writeRestoreMark(storage, 1_800_000_000)
  await ring.reload()
  t.equal(ring.notBefore, 1_800_000_000)
  await storage.records.put({ kind: { name: 'restore' }, id: 'mark', hash: { not_before: 'yesterday' } })
  await t.rejects(ring.reload(), { name: 'StoredKeyError', message: /redmint restore mark/ })
  await t.rejects(readRestoreMark(storage), { name: 'StoredKeyError' })
  t.equal(ring.notBefore, 1_800_000_000, 'the last one that could be read holds')
  t.same(lines, [])
})

/** A ring whose RSA keys are made when `finish` is called. */
async function startFirstRing(t: Test, store: SharedHash, pairs?: NewKeyPair) {
  const { records } = new MemoryStorage()
  const { make, finish } = await gatedKeys(pairs)
  const ring = new KeyRing({ store, records, settings, log: SILENT, now: Date.now, make })
  t.teardown(() => {
    ring.close()
    finish()
  })
  await ring.start()
  return { ring, finish }
}

t.test('a first start does not wait for RSA keys, and publishes nothing without them', async (t) => {
  const { ring, finish } = await startFirstRing(t, new MemoryStorage().signing_keys)
  t.equal(ring.fresh, true)
  for (const alg of QUICK_ALGS) {
    t.equal(ring.signingKey(alg).alg, alg)
    t.equal(ring.awaitsFirstKey(alg), false)
  }
  for (const alg of ['RS256', 'PS256'] as const) {
    t.equal(ring.awaitsFirstKey(alg), true)
    t.throws(() => ring.signingKey(alg), StorageUnavailable)
  }
  t.throws(() => ring.publicKeys(), StorageUnavailable)
  t.throws(() => ring.verificationKey('unknown'), StorageUnavailable, 'another replica may have made it')
  t.equal(ring.verificationKey(ring.signingKey('ES256').kid)?.alg, 'ES256')

  const first = ring.firstKeys()
  finish()
  await first
  t.equal(ring.firstKeys(), undefined)
  for (const alg of SIGNING_ALGS) t.equal(ring.signingKey(alg).alg, alg)
  t.equal(ring.verificationKey('unknown'), undefined)
  await until('the next keys are published', () => ring.publicKeys().length === 2 * SIGNING_ALGS.length)
})

t.test('nobody waits for the RSA keys that sign next', async (t) => {
  let made = 0
  const firstOnly: NewKeyPair = (alg) => {
    made += 1
    return made > 2 ? new Promise(() => {}) : newKeyPair(alg)
  }
  const { ring, finish } = await startFirstRing(t, new MemoryStorage().signing_keys, firstOnly)
  finish()
  await until('the first keys are published', () => isComplete(ring))
  for (const alg of SIGNING_ALGS) t.equal(ring.signingKey(alg).alg, alg)
  t.same(
    ring.ages.filter(({ alg }) => alg === 'RS256').map(({ status }) => status),
    ['current'],
  )
  await until('the next ones are being made', () => made === 4)
})

t.test('who asks while the first keys are read back waits for that, too', async (t) => {
  const { signing_keys } = new MemoryStorage()
  let is_stored = false
  let is_read = false
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { ring, finish } = await startFirstRing(t, {
    now: () => signing_keys.now(),
    async replace(expected, next) {
      is_stored = Object.keys(expected).length > 0
      return signing_keys.replace(expected, next)
    },
    async read() {
      if (is_stored) {
        is_read = true
        await gate
      }
      return signing_keys.read()
    },
  })
  finish()
  await until('they are read back', () => is_read)
  const first = ring.firstKeys()
  goOn()
  await first
  t.ok(isComplete(ring))
})

t.test('the wait for the first keys ends with StorageUnavailable', async (t) => {
  const { ring } = await startFirstRing(t, new MemoryStorage().signing_keys)
  await t.rejects(Promise.resolve(ring.firstKeys()), StorageUnavailable)
})

t.test('replicas that start together on empty storage agree on one key set', async (t) => {
  const storage = new MemoryStorage()
  const rings = [1, 2, 3].map(() => {
    const { signing_keys: store, records } = storage
    return new KeyRing({ store, records, settings, log: SILENT, now: Date.now })
  })
  t.teardown(() => {
    for (const ring of rings) ring.close()
  })
  await Promise.all(rings.map((ring) => ring.start()))
  t.equal(new Set(rings.map((ring) => ring.signingKey('ES256').kid)).size, 1)
  // Each makes RSA keys, and those that come too late find the stored ones.
  const hasAll = (ring: KeyRing) => isComplete(ring) && ring.publicKeys().length === 2 * SIGNING_ALGS.length
  await until('every algorithm has its keys', () => rings.every(hasAll))
  const stored = Object.keys(await storage.signing_keys.read()).sort()
  t.equal(stored.length, 2 * SIGNING_ALGS.length)
  for (const ring of rings)
    t.same(
      ring
        .publicKeys()
        .map(({ kid }) => kid)
        .sort(),
      stored,
    )
})

t.test('first keys that could not be stored are made again', async (t) => {
  const storage = new MemoryStorage()
  let refusals = 0
  const replace: SharedHash['replace'] = async (expected, next) => {
    const isBackground = Object.keys(expected).length > 0
    if (isBackground && refusals === 0) {
      refusals += 1
      throw new StorageUnavailable('away')
    }
    return storage.signing_keys.replace(expected, next)
  }
  const { ring, finish } = await startFirstRing(t, {
    read: () => storage.signing_keys.read(),
    now: () => storage.signing_keys.now(),
    replace,
  })
  finish()
  await until('every algorithm has a key', () => isComplete(ring))
  t.equal(refusals, 1)
})

t.test('the next RSA keys of a rotation are made in the background', async (t) => {
  const { storage } = await startRing(t)
  const { ring, finish } = await startFirstRing(t, storage.signing_keys, newKeyPair)
  const gone = parseSigningKeys(await storage.signing_keys.read()).find(
    ({ alg, status }) => alg === 'RS256' && status === 'next',
  )
  const stored = await storage.signing_keys.read()
  const { [gone?.kid ?? '']: _, ...rest } = stored
  await storage.signing_keys.replace(stored, rest)
  await ring.reload()
  t.equal(ring.firstKeys(), undefined, 'nobody waits')
  t.equal(ring.publicKeys().length, 2 * SIGNING_ALGS.length - 1)
  finish()
  await until('it is published', () => ring.publicKeys().length === 2 * SIGNING_ALGS.length)
})
