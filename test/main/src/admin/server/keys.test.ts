import t from 'tap'
import { formatSigningKeys, parseSigningKeys } from '../../../../../src/keys/key-record.ts'
import { maintainSigningKeys } from '../../../../../src/keys/rotate.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { testKeys } from '../../../../support/keys.ts'
import { onEachStorage, operatorOn } from '../../../../support/operator.ts'

const SETTINGS = { key_rotation_days: 90, demo: false }

onEachStorage(
  t,
  'signing keys are listed without private parts, and not rotated too soon',
  async (t, storage) => {
    const { run, events, answers } = operatorOn(storage, { settings: SETTINGS })
    t.strictSame((await run('list_keys')).body, { items: [] })
    await t.rejects(run('rotate_keys'), { code: 'conflict', message: /no signing keys yet/ })
    const usable_at = new Date((await storage.signing_keys.now()) + 60_000).toISOString()
    const keys = parseSigningKeys(await testKeys()).map((key) => {
      return key.status === 'next' ? { ...key, usable_at } : key
    })
    await storage.signing_keys.replace({}, formatSigningKeys(keys))
    const { items } = (await run('list_keys')).body
    t.equal((items as object[]).length, keys.length)
    t.match(items, [{ kid: String, status: /current|next/, public_jwk: { kty: String }, wrapped: false }])
    await t.rejects(run('rotate_keys'), { code: 'conflict', message: /too soon/ })
    for (const { private_jwk = {} } of keys) {
      for (const part of [private_jwk.d, private_jwk.p, private_jwk.q].filter((one) => one !== undefined))
        t.notMatch(JSON.stringify(answers), part)
    }
    t.strictSame(events, [])
  },
)

t.test('signing keys are rotated, by a process with the key of the servers', async (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const storage = new MemoryStorage({ now: () => now })
  const key_encryption_key = Buffer.alloc(32, 1)
  const settings = { ...SETTINGS, key_encryption_key }
  await maintainSigningKeys(storage.signing_keys, settings, new Date(now))
  await t.rejects(operatorOn(storage, { settings: SETTINGS }).run('rotate_keys'), { code: 'misconfigured' })
  const other = { settings: { ...settings, key_encryption_key: Buffer.alloc(32, 2) } }
  await t.rejects(operatorOn(storage, other).run('rotate_keys'), {
    code: 'misconfigured',
    message: /another KEY_ENCRYPTION_KEY/,
  })
  const { run, events } = operatorOn(storage, { settings })
  const before = (await run('list_keys')).body.items as { kid: string; status: string; wrapped: boolean }[]
  const { items } = (await run('rotate_keys')).body
  const statuses = new Map((items as typeof before).map(({ kid, status }) => [kid, status]))
  for (const { kid, status, wrapped } of before) {
    t.equal(statuses.get(kid), status === 'next' ? 'current' : 'retired')
    t.equal(wrapped, true)
  }
  t.match(events, [{ event: 'keys_rotated', by: 'operator' }])
})
