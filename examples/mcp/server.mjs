// An MCP server with two tools. Its tokens come from redmint: ISSUER.
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createResourceServer } from 'redmint/resource-server'
import { z } from 'zod'

const { PORT = '4000', ISSUER = 'http://localhost:3000' } = process.env
const RESOURCE = `http://localhost:${PORT}/mcp`

const api = createResourceServer({
  issuer: ISSUER,
  resource: RESOURCE,
  scopes_supported: ['notes.read', 'notes.write'],
  // Servers for development give anybody any token.
  dev: process.env.NODE_ENV === 'production' ? 'refuse' : 'allow',
})

/** The notes of each user. */
const notes = new Map()

/** @param user the `sub` of the access token */
function toolsOf(user) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  const own = () => notes.get(user) ?? []
  const answer = (result) => ({ content: [{ type: 'text', text: JSON.stringify(result) }] })
  server.registerTool('list_notes', { description: 'Lists your notes.' }, () =>
    answer({ user, notes: own() }),
  )
  server.registerTool(
    'add_note',
    { description: 'Adds a note.', inputSchema: { text: z.string().max(200) } },
    ({ text }) => {
      notes.set(user, [...own(), text])
      return answer({ user, notes: own() })
    },
  )
  return server
}

/** What a token needs for these messages; one request may have several. */
function needsOf(body) {
  const writes = [body].flat().some((message) => message?.params?.name === 'add_note')
  return { scopes: writes ? ['notes.read', 'notes.write'] : ['notes.read'] }
}

const send = (response, { status, headers, body }) => response.status(status).set(headers).send(body)

const app = createMcpExpressApp()
// For clients in a browser.
app.use((request, response, next) => {
  response.set({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': '*, authorization',
    'access-control-expose-headers': 'WWW-Authenticate',
  })
  if (request.method === 'OPTIONS') response.status(204).end()
  else next()
})
app.get(api.metadata_path, (_request, response) => send(response, api.document))
app.all('/mcp', async (request, response) => {
  let token
  try {
    token = await api.verify(request, needsOf(request.body))
  } catch (error) {
    return send(response, api.answer(error))
  }
  // Without a session there is nothing to listen to, and nothing that another token could take over.
  if (request.method !== 'POST') return response.status(405).set('allow', 'POST').end()
  const server = toolsOf(token.subject)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})
app.listen(Number(PORT), '127.0.0.1', () => console.log(`The MCP server is at ${RESOURCE}`))
