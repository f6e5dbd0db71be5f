// redmint with its storage in memory and the benchmark's client, otherwise as server.ts starts it. In production, redmint
// demands Redis, and only the process itself can write to its memory: so it runs from its sources.
import redmint from '../../app.ts'
import { createInstance } from '../../instance.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { readConfig } from '../../src/config/config.ts'
import { openStorage } from '../../src/service/open-storage.ts'

const config = readConfig({ ...process.env, NODE_ENV: '', REDIS_URL: '', DEMO: 'false' })
const fastify = createInstance({ ...config, level: config.log_level })
const storage = openStorage(config, fastify.log)
await fastify.register(redmint, { ...config.settings, storage })
const client = JSON.parse(process.env.CLIENT ?? '{}')
await storage.records.create({ kind: CLIENT, id: client.client_id, hash: formatClient(client) })
await fastify.listen({ host: config.host, port: config.port })
