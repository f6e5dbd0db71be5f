import { randomBytes } from 'node:crypto'
import t from 'tap'
import { parseSigningKeys } from '../../../src/keys/key-record.ts'
import { maintainSigningKeys, type RotationSettings } from '../../../src/keys/rotate.ts'
import { PUBLISH_LEAD } from '../../../src/keys/timing.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const SETTINGS: RotationSettings = { key_rotation_days: 90 }
const ES256_ONLY = ({ alg }: { alg: string }) => alg === 'ES256'

interface Listed {
  keys: { kid: string; alg: string; status: string; wrapped: boolean }[]
}

/** Returns a storage with the keys that the first server created a second before, and its clock. */
async function startedOnce(key_encryption_key?: Uint8Array) {
  const clock = { now: START + 1000 }
  const storage = new MemoryStorage({ now: () => clock.now })
  const settings = key_encryption_key === undefined ? SETTINGS : { ...SETTINGS, key_encryption_key }
  await maintainSigningKeys(storage.signing_keys, settings, new Date(START))
  return { storage, clock }
}

t.test('keys list shows everything except private parts', async (t) => {
  const { storage } = await startedOnce()
  const { redmint } = createCli({ storage })
  const stored = JSON.stringify(await storage.signing_keys.read())
  const list = await redmint(['keys', 'list'])
  const json = await redmint(['keys', 'list', '--json'])
  t.match(list, {
    code: 0,
    stdout: /^KID +ALG +STATUS +CREATED +USABLE FROM +CURRENT SINCE +PUBLISHED UNTIL$/m,
  })
  t.match(parsed<Listed>(json).keys.filter(ES256_ONLY), [
    { status: /current|next/, created_at: '2026-01-01T00:00:00.000Z', wrapped: false },
    { status: /current|next/ },
  ])
  const secrets = [...stored.matchAll(/\\"d\\":\\"([\w-]+)/g)].map(([, d]) => d ?? '')
  t.equal(secrets.length, 8)
  for (const secret of secrets) t.notOk((list.stdout + json.stdout).includes(secret))
})

t.test('keys rotate, and again too soon', async (t) => {
  const { storage, clock } = await startedOnce()
  // The clock of this machine does not count.
  const { redmint } = createCli({ storage, now: () => 0 })
  const before = parseSigningKeys(await storage.signing_keys.read()).filter(ES256_ONLY)
  const rotated = await redmint(['keys', 'rotate', '--json'])
  t.equal(rotated.code, 0)
  const after = parsed<Listed>(rotated).keys.filter(ES256_ONLY)
  const kidOf = (keys: readonly { kid: string; status: string }[], status: string) =>
    keys.find((key) => key.status === status)?.kid
  t.equal(kidOf(after, 'retired'), kidOf(before, 'current'))
  t.equal(kidOf(after, 'current'), kidOf(before, 'next'))
  t.notOk(before.some(({ kid }) => kid === kidOf(after, 'next')))

  clock.now += 60_000
  const ring = await storage.signing_keys.read()
  const again = await redmint(['keys', 'rotate'])
  t.match(again, { code: 1, stdout: /^$/, stderr: /too soon: .* 2026-01-01T01:00:01.000Z \(in 59 minutes\)/ })
  t.strictSame(await storage.signing_keys.read(), ring)
  clock.now += PUBLISH_LEAD * 1000
  t.match(await redmint(['keys', 'rotate']), { code: 0, stdout: /The keys are rotated/ })
})

t.test('keys rotate requires the KEY_ENCRYPTION_KEY of the servers', async (t) => {
  const key = randomBytes(32)
  const { storage } = await startedOnce(key)
  const before = await storage.signing_keys.read()
  const rotate = (KEY_ENCRYPTION_KEY: string) =>
    createCli({
      storage,
      environment: { REDIS_URL: 'redis://127.0.0.1:1', KEY_ENCRYPTION_KEY },
    }).redmint(['keys', 'rotate', '--json'])
  t.match(await rotate(''), { code: 2, stderr: /set KEY_ENCRYPTION_KEY/ })
  t.match(await rotate(randomBytes(32).toString('base64')), { code: 2, stderr: /another KEY_ENCRYPTION_KEY/ })
  t.strictSame(await storage.signing_keys.read(), before)
  const rotated = await rotate(key.toString('base64'))
  t.equal(rotated.code, 0)
  t.ok(parsed<Listed>(rotated).keys.every(({ wrapped }) => wrapped))
})

t.test('no keys yet, and a malformed one', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  t.match(await redmint(['keys', 'list']), { code: 0, stdout: /no signing keys yet/ })
  t.match(await redmint(['keys', 'rotate']), { code: 1, stderr: /no signing keys yet/ })
  t.strictSame(await storage.signing_keys.read(), {})
  await storage.signing_keys.replace({}, { odd: '{"kid":"odd"}' })
  t.match(await redmint(['keys', 'list']), { code: 1, stderr: /The signing key odd is malformed/ })
})
