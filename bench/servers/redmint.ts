// redmint as it runs in production, with the clients of the benchmarks; storage by REDIS_URL, else memory.

import redmint from '../../app.ts'
import { createInstance } from '../../instance.ts'
import { formatClient } from '../../src/clients/client-record.ts'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/open-storage.ts'
import { createClient } from '../../test/support/records.ts'
import { APP, CLIENT } from '../client.ts'

// Production needs Redis, but some measurements run in memory.
const config = readConfig({ ...process.env, NODE_ENV: '', DEMO: 'false' })
const fastify = createInstance({ level: 'warn', trusted_proxies: config.trusted_proxies })
const storage = openStorage(config, fastify.log)
await fastify.register(redmint, { ...config.settings, storage })
await fastify.listen({ host: '127.0.0.1', port: config.port })
while (!(await isWritable())) await new Promise((resolve) => setTimeout(resolve, 20))
for (const client of [CLIENT, APP]) await createClient(storage, client.client_id, formatClient(client))
process.send?.('listening')

async function isWritable(): Promise<boolean> {
  return storage.probe().then(
    () => true,
    () => false,
  )
}
