// Sealed values, and the keys that seal them: shared by the replicas, replaced in time, kept as long as needed.
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { CLOCK_SKEW } from '../../../../src/core/clock-skew.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { maintainSealingKeys } from '../../../../src/keys/sealing-keys.ts'
import {
  PUBLISH_LEAD,
  RELOAD_INTERVAL,
  SEALED_FOR,
  SEALING_KEY_AGE,
  STALE_AFTER,
} from '../../../../src/keys/timing.ts'
import { StoredKeyError } from '../../../../src/keys/wrap.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { withOtherCharacter } from '../../../support/other-character.ts'

const log = { info() {}, warn() {}, error() {} }
const START = Date.parse('2026-11-22T00:00:00Z')
const kidOf = (sealed: string) => sealed.slice(0, 8)

function setUp(t: Test) {
  const clock = { now: START }
  const { sealing_keys: store } = new MemoryStorage({ now: () => clock.now })
  const away = { value: false }
  const replica = async (settings: { key_encryption_key?: Uint8Array } = {}, ahead = 0) => {
    const read = async () => {
      if (away.value) throw new StorageUnavailable('away')
      return store.read()
    }
    const shared = { read, now: store.now.bind(store), replace: store.replace.bind(store) }
    const sealer = new Sealer({ store: shared, settings, log, now: () => clock.now + ahead * 1000 })
    t.teardown(() => sealer.close())
    await sealer.start()
    return sealer
  }
  const pass = (seconds: number) => {
    clock.now += seconds * 1000
  }
  return { clock, store, away, replica, pass }
}

t.test('every replica opens what another one sealed', async (t) => {
  const { replica } = setUp(t)
  const replicas = await Promise.all([replica(), replica(), replica()])
  for (const text of ['', 'a text', 'é 🗝', 'x'.repeat(5000)]) {
    for (const one of replicas) {
      const sealed = one.seal('pending', text)
      t.match(sealed, /^[\w-]{8}\.[\w-]+$/, 'fits into an address and a cookie')
      t.equal(sealed.length, 9 + Math.ceil(((Buffer.byteLength(text) + 40) * 4) / 3))
      for (const other of replicas) t.equal(other.open('pending', sealed), text)
    }
  }
  const [one] = replicas
  t.not(one?.seal('pending', 'a text'), one?.seal('pending', 'a text'), 'no two are the same')
})

t.test('a value that was changed, cut or sealed for another purpose is not opened', async (t) => {
  const { replica } = setUp(t)
  const sealer = await replica()
  const sealed = sealer.seal('pending', 'a text')
  t.equal(sealer.open('browser', sealed), undefined, 'another purpose')
  const wrong = ['', '.', 'x', 'x'.repeat(43), sealed.slice(0, -4), sealed.slice(9), `${sealed}AAAA`]
  const [kid = '', data = ''] = sealed.split('.')
  wrong.push(`${kid}.`, `${kid}.${data.slice(0, 20)}`, `${kid}.!${data}`, `${kid}.${data}=`, `${kid}${data}`)
  // The last character of 46 bytes has four bits that base64url does not use: a value has one spelling.
  wrong.push(...[...'AQgwBRhx'].map((last) => sealed.slice(0, -1) + last).filter((other) => other !== sealed))
  for (let at = 0; at < sealed.length - 1; at += 1) wrong.push(withOtherCharacter(sealed, at))
  t.strictSame(
    wrong.filter((value) => sealer.open('pending', value) !== undefined),
    [],
  )
  const stranger = await setUp(t).replica()
  t.equal(stranger.open('pending', sealed), undefined, 'the keys of another storage')
})

t.test('a new key is used only when every replica has it', async (t) => {
  const { replica, pass } = setUp(t)
  const [one, other] = [await replica(), await replica()]
  const first = one.seal('browser', 'x')
  pass(SEALING_KEY_AGE - 1)
  await one.reload()
  t.equal(kidOf(one.seal('browser', 'x')), kidOf(first), 'the key is not old enough')
  pass(1)
  await one.reload()
  await other.reload()
  pass(PUBLISH_LEAD - 1)
  await one.reload()
  t.equal(kidOf(one.seal('browser', 'x')), kidOf(first), 'it spreads first')
  t.ok(PUBLISH_LEAD > RELOAD_INTERVAL + STALE_AFTER + CLOCK_SKEW, 'for longer than any replica may be behind')
  pass(1)
  await one.reload()
  const second = one.seal('browser', 'x')
  t.not(kidOf(second), kidOf(first))
  await other.reload()
  t.equal(other.open('browser', second), 'x')
  t.equal(other.open('browser', first), 'x', 'the old one still opens')
})

t.test('keys change by the clock of storage, not by that of a replica', async (t) => {
  const { replica, store, pass } = setUp(t)
  const right = await replica()
  const wrong = await replica({}, 2 * SEALED_FOR)
  t.equal(Object.keys(await store.read()).length, 1)
  pass(SEALING_KEY_AGE)
  await right.reload()
  await wrong.reload()
  t.equal(kidOf(wrong.seal('browser', 'x')), kidOf(right.seal('browser', 'x')), 'the new key spreads first')
})

t.test('the first key seals also if the clock of storage was set back', async (t) => {
  const { replica, pass } = setUp(t)
  const sealer = await replica()
  const first = sealer.seal('browser', 'x')
  pass(-3600)
  await sealer.reload()
  t.equal(kidOf(sealer.seal('browser', 'x')), kidOf(first))
})

t.test('a key is removed when nothing that it sealed can be in use', async (t) => {
  const { replica, store, pass } = setUp(t)
  const sealer = await replica()
  const sealed = sealer.seal('browser', 'x')
  pass(SEALING_KEY_AGE)
  await sealer.reload()
  pass(PUBLISH_LEAD + SEALED_FOR + CLOCK_SKEW - 1)
  await sealer.reload()
  t.equal(sealer.open('browser', sealed), 'x')
  pass(1)
  await sealer.reload()
  t.equal(sealer.open('browser', sealed), undefined)
  t.notOk(Object.hasOwn(await store.read(), kidOf(sealed)))
})

t.test('however long it runs, the keys stay few', async (t) => {
  const { store, clock, pass } = setUp(t)
  let most = 0
  for (let day = 0; day < 400; day += 1) {
    pass(86_400)
    most = Math.max(most, (await maintainSealingKeys(store, {}, clock.now)).length)
  }
  t.equal(most, 5)
})

t.test('a value whose key may be missing here is not judged', async (t) => {
  const { replica, away, pass } = setUp(t)
  const sealer = await replica()
  const sealed = sealer.seal('pending', 'x')
  const unknown = (await setUp(t).replica()).seal('pending', 'x')
  away.value = true
  pass(STALE_AFTER - 1)
  await t.rejects(sealer.reload(), StorageUnavailable)
  t.equal(sealer.open('pending', unknown), undefined)
  t.ok(sealer.fresh)
  pass(1)
  t.notOk(sealer.fresh)
  t.throws(() => sealer.open('pending', unknown), StorageUnavailable)
  t.equal(sealer.open('pending', sealed), 'x', 'what it can open is certain')
  t.equal(sealer.open('pending', 'no sealed value'), undefined)
  const late = await replica()
  t.throws(() => late.seal('pending', 'x'), StorageUnavailable, 'no key was ever read')
  t.throws(() => late.open('pending', sealed), StorageUnavailable)
  away.value = false
  await late.reload()
  t.equal(late.open('pending', late.seal('pending', 'x')), 'x')
})

t.test('keys are wrapped with KEY_ENCRYPTION_KEY', async (t) => {
  const { replica, store, clock, pass } = setUp(t)
  const key_encryption_key = randomBytes(32)
  const sealer = await replica({ key_encryption_key })
  const sealed = sealer.seal('pending', 'x')
  const [json = ''] = Object.values(await store.read())
  t.notOk('private_jwk' in JSON.parse(json))
  t.equal((await replica({ key_encryption_key })).open('pending', sealed), 'x')
  const before = await store.read()
  pass(SEALING_KEY_AGE)
  for (const settings of [{}, { key_encryption_key: randomBytes(32) }]) {
    await t.rejects(replica(settings), StoredKeyError)
    await t.rejects(maintainSealingKeys(store, settings, clock.now), StoredKeyError)
  }
  t.strictSame(await store.read(), before, 'a process with another key adds none')
})

t.test('a malformed key is reported with what to do', async (t) => {
  const { store, clock } = setUp(t)
  const [good] = await maintainSealingKeys(store, {}, clock.now)
  const kid = good?.kid ?? ''
  for (const record of [
    '{}',
    'no JSON',
    JSON.stringify({ ...good, kid: 'other' }),
    JSON.stringify({ ...good, created_at: 'today' }),
    JSON.stringify({ ...good, usable_at: undefined }),
    JSON.stringify({ ...good, private_jwk: {} }),
    JSON.stringify({ ...good, private_jwk: 'no key', private_jwe: 'a sealed key' }),
  ]) {
    await store.replace(await store.read(), { [kid]: record })
    await t.rejects(
      maintainSealingKeys(store, {}, clock.now),
      new StoredKeyError(
        `The sealing key ${kid} is malformed: restore the field ${kid} of the hash sealing-keys, or remove it.`,
      ),
    )
  }
})
