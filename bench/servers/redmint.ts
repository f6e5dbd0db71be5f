// redmint as it runs in production, with the client that is measured; storage by REDIS_URL, else memory.
import redmint from '../../app.ts'
import { createInstance } from '../../instance.ts'
import { readConfig } from '../../src/config.ts'
import { formatClient } from '../../src/records/client.ts'
import { openStorage } from '../../src/storage/open.ts'
import { CLIENT } from '../client.ts'

const config = readConfig({ ...process.env, DEMO: 'false' })
const fastify = createInstance({ level: 'warn' })
const storage = openStorage(config, fastify.log)
await fastify.register(redmint, { ...config.settings, storage })
await fastify.listen({ host: '127.0.0.1', port: config.port })
while (!(await isWritable())) await new Promise((resolve) => setTimeout(resolve, 20))
await storage.createClient(CLIENT.client_id, formatClient(CLIENT))
process.send?.('listening')

async function isWritable(): Promise<boolean> {
  return storage.probe().then(
    () => true,
    () => false,
  )
}
