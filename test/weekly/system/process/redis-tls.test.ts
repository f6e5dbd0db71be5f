// A server whose connections to Redis all use TLS, with certificates of a private authority that have a name only.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../support/build.ts'
import { CN, der, issue, name, SAN } from '../../../support/certificates.ts'
import { startServer } from '../../../support/process.ts'
import {
  type RedisServer,
  startCluster,
  startRedis,
  startSentinel,
  type TlsFiles,
} from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

interface Arrangement {
  readonly environment: Record<string, string>
  /** Runs redis-cli where the record of a client is. */
  readonly cli: RedisServer['cli']
}

const ARRANGEMENTS: Record<string, (t: Test, tls: TlsFiles) => Promise<Arrangement>> = {
  async 'a single server'(t, tls) {
    const { url, cli } = await startRedis(t, { tls })
    return { environment: { REDIS_URL: url }, cli }
  },
  async 'a Cluster'(t, tls) {
    const { nodes, masters } = await startCluster(t, { tls })
    return {
      environment: { REDIS_CLUSTER_NODES: nodes, REDIS_TLS: 'true' },
      cli: async (...command) => (await masters[0]?.cli('-c', ...command)) ?? '',
    }
  },
  async 'a master behind Sentinels'(t, tls) {
    const { name: master_name, sentinels, master } = await startSentinel(t, { replicas: 0, tls })
    return {
      environment: { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: master_name, REDIS_TLS: 'true' },
      cli: master.cli,
    }
  },
}

for (const [what, start] of Object.entries(ARRANGEMENTS)) {
  t.test(`TLS to ${what}`, async (t) => {
    const tls = await certificateFiles(t)
    const { environment, cli } = await start(t, tls)
    await registerClient({ cli }, CLIENTS.service)
    const trusting = { ...environment, NODE_EXTRA_CA_CERTS: tls.authority }
    const { token } = visit((await startReady(t, trusting)).address)
    const ask = () => token({ grant_type: 'client_credentials' }, basic('service'))
    t.equal((await ask()).status, 200)

    await cli('HSET', `redmint:client:${CLIENTS.service.client_id}`, 'disabled', 'true')
    await until('the connection that reports changes has done so', async () => (await ask()).status === 401)
  })
}

t.test('a Redis that wants a certificate of its clients: the log says what to change', async (t) => {
  const tls = await certificateFiles(t)
  const redis = await startRedis(t, { tls, args: ['--tls-auth-clients', 'yes'] })
  const server = await startServer(t, { REDIS_URL: redis.url, NODE_EXTRA_CA_CERTS: tls.authority })
  t.ok(await server.prints(/is there, but cannot be used: .* set its tls-auth-clients to no/), server.stdout)
  t.notMatch(server.stdout, 'use a rediss:// URL')
})

async function certificateFiles(t: Test): Promise<TlsFiles> {
  const folder = await temporaryFolder(t, 'redis-tls')
  const authority = issue({ subject: name([CN, 'authority']), is_authority: true })
  const names = [der(SAN.dns, Buffer.from('localhost'))]
  const { pem, key_pem } = issue({ subject: name([CN, 'redis']), names }, authority)
  const contents = { authority: authority.pem, certificate: pem, key: key_pem }
  const files = Object.entries(contents).map(
    ([file, content]) => [file, join(folder, file), content] as const,
  )
  await Promise.all(files.map(([, path, content]) => writeFile(path, content)))
  return Object.fromEntries(files.map(([file, path]) => [file, path])) as typeof contents
}
