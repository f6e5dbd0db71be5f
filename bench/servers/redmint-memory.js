// The built redmint with its storage in memory and the benchmark's client, otherwise as server.js starts it. In
// production, redmint demands Redis, and only the process itself can write to its memory.
import redmint from '../../dist/app.js'
import { createInstance } from '../../dist/instance.js'
import { CLIENT } from '../../dist/src/clients/record/client-kind.js'
import { formatClient } from '../../dist/src/clients/record/client-record.js'
import { readConfig } from '../../dist/src/config/config.js'
import { openStorage } from '../../dist/src/service/open-storage.js'

const config = readConfig({ ...process.env, NODE_ENV: '', REDIS_URL: '', DEMO: 'false' })
const fastify = createInstance({ ...config, level: config.log_level })
const storage = openStorage(config, fastify.log)
await fastify.register(redmint, { ...config.settings, storage })
const client = JSON.parse(process.env.CLIENT)
await storage.records.create({ kind: CLIENT, id: client.client_id, hash: formatClient(client) })
await fastify.listen({ host: config.host, port: config.port })
