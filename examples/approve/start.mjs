// Starts redmint in demo mode with storage in memory, and beside it the MCP server and the MCP client.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import Fastify from 'fastify'
import redmint from 'redmint'
import { openStorage } from 'redmint/storage'

// npm passes a signal on to the shell of this script only, so the end of that shell ends this process.
const shell = process.ppid
if (process.env.npm_command) setInterval(() => process.ppid === shell || process.exit(), 200).unref()

const PORT = 3000
const fastify = Fastify()
const storage = openStorage({}, fastify.log)
const create = (kind, id, fields) => storage.records.create({ kind: { name: kind }, id, hash: fields })

// With Redis these are commands: see README.md.
const jwt = { access_token_format: 'jwt', access_token_ttl: '300' }
await create('resource', 'http://localhost:4000/mcp', {
  resource_name: 'Notes',
  scopes: 'notes.read',
  ...jwt,
})
await create('resource', 'http://localhost:4000/notes', {
  resource_name: 'Store',
  scopes: 'notes.write',
  ...jwt,
})
await create('detail-type', 'note', {
  schema: await readFile(new URL('note.json', import.meta.url), 'utf8'),
  text: '{"en":"Write the note “{text}”"}',
  once: 'true',
})
await create('client', 'notes-server', {
  client_name: 'Notes',
  client_secret_hash: hash('sha256', 'notes-server-secret', 'base64'),
  is_public: 'false',
  redirect_uris: '',
  allowed_scopes: 'notes.write',
  grant_types: 'urn:openid:params:grant-type:ciba',
  asks_people: 'true',
  allowed_groups: 'staff',
  authorization_details_types: 'note',
  can_introspect: 'true',
})

await fastify.register(redmint, {
  issuer: `http://localhost:${PORT}`,
  storage,
  demo: true,
  home: true,
  ask_people: 'on',
  device_interval: 1,
  client_registration: 'open',
  self_registered_scopes: ['notes.read'],
})
await fastify.listen({ host: '127.0.0.1', port: PORT })
await storage.records.change({ name: 'user' }, 'alice', { set: { 'claim:groups': '["staff"]' } })
console.log(
  `The authorization server is at http://localhost:${PORT}: sign in as alice with the password wonderland`,
)

await import('./server.mjs')
await import('./client.mjs')
