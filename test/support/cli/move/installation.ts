// Installations on a real Redis, one of them with a record of each kind that moves.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { createInitialAccessToken } from '../../../../src/clients/registration/initial-access-token.ts'
import type { RedisLocation } from '../../../../src/config/redis-location.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../../src/factors/totp.ts'
import { saveConsent } from '../../../../src/interaction/consent.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { Passwords } from '../../../../src/users/passwords.ts'
import { readAccount } from '../../../../src/users/read-account.ts'
import { appCode } from '../../authenticator.ts'
import { SILENT } from '../../contract/redis-subject.ts'
import { makePasskey, ORIGIN } from '../../factors/passkeys/owners.ts'
import { useTestKeys } from '../../service.ts'
import { createCli } from '../run-cli.ts'

const PASSWORD = 'correct horse battery'
/** What a provider gave the furnished installation. */
export const PROVIDER_SECRET = 'a-secret-of-google'
export const PASSPHRASE = 'twelve words or a sentence'

const CHEAP = { ARGON2_MEMORY: '8192', ARGON2_ITERATIONS: '1' }

/** Where the records of an installation are, and its command. */
export interface Installation {
  readonly storage: Storage
  readonly prefix: string
  readonly redmint: ReturnType<typeof createCli>['redmint']
}

/** An empty installation. */
export function install(
  t: Pick<Test, 'teardown'>,
  location: RedisLocation,
  environment: Record<string, string> = {},
): Installation {
  const prefix = `${randomUUID()}:`
  const storage = openRedis(location, new RedisKeys(prefix), SILENT)
  const close = storage.close.bind(storage)
  t.teardown(close)
  const { redmint } = createCli({
    storage,
    environment: {
      REDIS_URL: 'redis://127.0.0.1:1',
      LOG_LEVEL: 'warn',
      ISSUER: ORIGIN,
      ...CHEAP,
      ...environment,
    },
  })
  return { storage, prefix, redmint }
}

/** Gives an installation a record of each kind. Returns the key of alice's app, and one of her recovery codes. */
export async function furnish(t: Test, { storage, redmint }: Installation, key_encryption_key?: Uint8Array) {
  const settings = completeSettings({
    issuer: ORIGIN,
    ...(key_encryption_key && { key_encryption_key }),
    argon2_memory: 8192,
    argon2_iterations: 1,
  })
  await useTestKeys(storage)
  const runWith = async (input: string, ...args: string[]) => {
    const { code, stderr } = await redmint(args, input)
    if (code !== 0) throw new Error(stderr)
  }
  const run = (...args: string[]) => runWith('', ...args)
  await run('resource', 'add', 'https://api.example.com', '--scope', 'api.read')
  await run('issuer', 'add', 'https://gitlab.com', '--for', 'gitlab', '--condition', 'namespace_path=acme')
  await runWith(PROVIDER_SECRET, 'provider', 'add', 'google', '--client-id', 'ours', '--secret-stdin')
  await run('client', 'add', 'web', '--redirect-uri', 'https://app.example.com/cb', '--scope', 'openid')
  await run('client', 'add', 'app', '--public', '--redirect-uri', 'com.example:/cb', '--allow-group', 'staff')
  await run('user', 'add', 'alice', '--sub', 'a-1', '--email', 'alice@example.com', '--email-verified')
  await run('user', 'add', 'Bob', '--claim', 'groups=["staff"]', '--name', 'Böb')
  await run('admin', 'grant', 'Bob')
  const passwords = new Passwords({ settings })
  await storage.records.change({ name: 'user', by_operators: true }, 'alice', {
    set: { password_hash: await passwords.hash(PASSWORD) },
  })
  const now = Date.now
  const report = () => {}
  await saveConsent({ storage, now }, { sub: 'a-1', client_id: 'web', scope: 'openid' }, settings.consent_ttl)
  await createInitialAccessToken({ storage, now: now() }, { uses: 3, ttl: 3600 })
  await giveInvitation(
    { storage, settings, now, report },
    { by: { kind: 'command', id: '' }, groups: ['staff'], uses: 1, days: 7 },
  )
  const sealer = new Sealer({ store: storage.sealing_keys, settings, log: SILENT, now })
  t.teardown(() => sealer.close())
  await sealer.reload()
  const context = { storage, settings, sealer, log: SILENT, now, report }
  const { begun, key } = await beginTotp(context, 'alice')
  const confirmed = await confirmTotp(context, 'alice', begun, appCode(key, now() - 30_000))
  if (confirmed !== 'confirmed') throw new Error(confirmed)
  const [recovery_code = ''] = (await newRecoveryCodes(context, 'alice')) ?? []
  const alice = await readAccount({ storage, settings, log: SILENT }, 'alice')
  if (alice === undefined) throw new Error('alice')
  const passkey = await makePasskey(context, alice)
  return { key, recovery_code, passkey, context }
}

type Cli = { cli(...args: string[]): Promise<string> }

// One program for all keys: each run of redis-cli costs as much as a thousand of them.
const DUMP = `
  local found = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    local type = redis.call('TYPE', key).ok
    local held
    if type == 'hash' then held = redis.call('HGETALL', key) else held = redis.call('ZRANGE', key, 0, -1) end
    table.insert(found, { key, type, held, redis.call('PTTL', key) > 0 })
  end
  return cjson.encode(found)`

/** All keys of an installation with what they hold, by their names without the prefix, and whether they expire. */
export async function keyspaceOf(servers: readonly Cli[], prefix: string): Promise<Record<string, unknown>> {
  const dumps = await Promise.all(servers.map(({ cli }) => cli('EVAL', DUMP, '0', prefix)))
  const entries = dumps.flatMap((dump) => {
    const found = JSON.parse(dump) as [string, string, string[], boolean][] | Record<string, never>
    return (Array.isArray(found) ? found : []).map(([key, type, held, expires]): [string, unknown] => [
      key.slice(prefix.length),
      { held: type === 'hash' ? fieldsOf(held) : held, expires },
    ])
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function fieldsOf(held: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let i = 0; i < held.length; i += 2) fields[held[i] ?? ''] = held[i + 1] ?? ''
  return fields
}
