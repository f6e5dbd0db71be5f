// What is exported from one installation is imported into another, on a real Redis and on a Cluster.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { RedisLocation } from '../../../../src/config/redis-location.ts'
import { checkSecondStep } from '../../../../src/factors/check-second-step.ts'
import { requestOptions } from '../../../../src/factors/passkeys/challenge.ts'
import { usePasskey } from '../../../../src/factors/passkeys/use-passkey.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { openClientSecret } from '../../../../src/providers/client-secret.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { recordOf } from '../../../../src/storage/records.ts'
import { appCode } from '../../../support/authenticator.ts'
import {
  furnish,
  type Installation,
  install,
  keyspaceOf,
  PASSPHRASE,
  PROVIDER_SECRET,
} from '../../../support/cli/move/installation.ts'
import { parsed } from '../../../support/cli/run-cli.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { startCluster, startRedis } from '../../../support/redis-server.ts'

const redis = await startRedis(t)
const SINGLE = { kind: 'single', url: redis.url } as const

/** What belongs to one installation: keys of its own, and times of its own. */
const OWN = /^(factor-key:|provider-key:|sealing-keys|indexes:|evidence:|last-sign-ins|secret-use:)/

/** The keyspace in the form in which two installations must have the same one. */
async function records(servers: Parameters<typeof keyspaceOf>[0], { prefix }: Installation) {
  const all = Object.entries(await keyspaceOf(servers, prefix))
    .filter(([key]) => !OWN.test(key))
    // The slot of factors is that of their user.
    .map(([key, value]) => [key.replace(`{${prefix}`, '{'), value])
  return JSON.parse(JSON.stringify(Object.fromEntries(all), common))
}

/** Without what each installation seals and counts by itself, and when it noted that a passkey is taken. */
function common(name: string, value: unknown): unknown {
  if (['claimed_at', 'generation', 'client_secret_sealed'].includes(name)) return undefined
  if (typeof value !== 'string' || !value.startsWith('{"')) return value
  const { private_jwk, private_jwe, secret, ...others } = JSON.parse(value)
  return Object.fromEntries(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const clusterLocation = (nodes: string): RedisLocation => ({
  kind: 'cluster',
  nodes: nodes.split(',').map((node) => {
    const [host = '', port] = node.split(':')
    return { host, port: Number(port) }
  }),
})

async function exported(t: Test, from: Installation, ...flags: string[]) {
  const folder = t.testdir({ 'passphrase.txt': `${PASSPHRASE}\n` })
  const [file, passphrase] = [join(folder, 'export.ndjson'), join(folder, 'passphrase.txt')]
  const answer = await from.redmint(['export', file, '--passphrase-file', passphrase, ...flags, '--json'])
  t.match(answer, { code: 0, stderr: '' })
  return { file, passphrase, answer }
}

for (const on of ['redis', 'cluster'] as const) {
  t.test(`everything moves, and a second import changes nothing: ${on}`, { timeout: 180_000 }, async (t) => {
    const cluster = on === 'cluster' ? await startCluster(t) : undefined
    const servers = cluster?.masters ?? [redis]
    const location = cluster === undefined ? SINGLE : clusterLocation(cluster.nodes)
    const [old, new_one] = [
      install(t, location),
      install(t, location, { KEY_ENCRYPTION_KEY: 'k'.repeat(43) }),
    ]
    const { key, recovery_code, passkey, context } = await furnish(t, old)
    const { file, passphrase, answer } = await exported(t, old, '--with-keys')
    t.match(parsed(answer), {
      counts: {
        resource: 1,
        issuer: 1,
        provider: 1,
        client: 3,
        invitation: 1,
        'user-invitation': 1,
        user: 2,
        consent: 1,
        'signing-key': 8,
      },
      left_out: [],
    })
    t.equal((await stat(file)).mode & 0o777, 0o600)
    const command = ['import', file, '--passphrase-file', passphrase, '--json']
    const dry = await new_one.redmint([...command, '--dry-run'])
    t.match(
      parsed(dry),
      { dry_run: true, kinds: { user: { created: 2 }, client: { created: 3 } } },
      dry.stderr,
    )
    t.strictSame(await records(servers, new_one), {}, 'a dry run writes nothing')

    const first = await new_one.redmint(command)
    t.match(
      parsed(first),
      { dry_run: false, total: 19, kinds: { 'signing-key': { created: 8 } } },
      first.stderr,
    )
    const wanted = await records(servers, old)
    t.ok(Object.keys(wanted).length > 15)
    t.strictSame(await records(servers, new_one), wanted)

    const before = await keyspaceOf(servers, new_one.prefix)
    const again = await new_one.redmint([...command, '--on-conflict', 'replace'])
    t.match(parsed(again), {
      total: 19,
      kinds: { user: { unchanged: 2 }, 'signing-key': { unchanged: 8 }, consent: { unchanged: 1 } },
    })
    t.strictSame(await keyspaceOf(servers, new_one.prefix), before)

    const settings = { ...context.settings, key_encryption_key: Buffer.from(`${'k'.repeat(43)}=`, 'base64') }
    const sealer = new Sealer({ store: new_one.storage.sealing_keys, settings, log: SILENT, now: Date.now })
    t.teardown(() => sealer.close())
    await sealer.reload()
    const there = { ...context, storage: new_one.storage, settings, sealer, keys: { notBefore: 0 } }
    const google = recordOf(await new_one.storage.records.read(PROVIDER, 'google'))
    t.equal(google && (await openClientSecret(there, google)), PROVIDER_SECRET)
    t.match(await checkSecondStep(there, 'alice', appCode(key, Date.now())), 'right')
    t.match(await checkSecondStep(there, 'alice', recovery_code), /recovery|right/)
    const sign_in = { purpose: 'sign_in', bound_to: 'request' } as const
    const used = await usePasskey(there, sign_in, passkey.get(requestOptions(there, sign_in)), 'Firefox')
    t.match(used, { outcome: 'ok', user: { username: 'alice' } })
  })
}
