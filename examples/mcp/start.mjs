// Starts redmint in demo mode with storage in memory, and beside it the MCP server and the MCP client.
import Fastify from 'fastify'
import redmint from 'redmint'
import { openStorage } from 'redmint/storage'

// npm passes a signal on to the shell of this script only, so the end of that shell ends this process.
const shell = process.ppid
if (process.env.npm_command) setInterval(() => process.ppid === shell || process.exit(), 200).unref()

const PORT = 3000
const fastify = Fastify()
const storage = openStorage({}, fastify.log)
// With Redis: redmint resource add http://localhost:4000/mcp --scope "notes.read notes.write" …
await storage.records.create({
  kind: { name: 'resource' },
  id: 'http://localhost:4000/mcp',
  hash: {
    resource_name: 'Notes',
    scopes: 'notes.read notes.write',
    access_token_format: 'jwt',
    access_token_ttl: '300',
  },
})

await fastify.register(redmint, {
  issuer: `http://localhost:${PORT}`,
  storage,
  demo: true,
  home: true,
  client_registration: 'open',
  self_registered_scopes: ['notes.read', 'notes.write'],
})
await fastify.listen({ host: '127.0.0.1', port: PORT })
console.log(
  `The authorization server is at http://localhost:${PORT}: sign in as alice with the password wonderland`,
)

await import('./server.mjs')
await import('./client.mjs')
