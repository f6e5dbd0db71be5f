// An MCP server that asks its user before a tool writes, and the API behind it, which writes with that approval alone.
import { randomUUID } from 'node:crypto'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createResourceServer } from 'redmint/resource-server'
import { z } from 'zod'
import { approvals } from './approval.mjs'

const { PORT = '4000', ISSUER = 'http://localhost:3000' } = process.env
const { CLIENT_ID = 'notes-server', CLIENT_SECRET = 'notes-server-secret' } = process.env
const MCP = `http://localhost:${PORT}/mcp`
const NOTES = `http://localhost:${PORT}/notes`

const client = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
const approval = approvals({ issuer: ISSUER, ...client })
// Servers for development give anybody any token.
const dev = process.env.NODE_ENV === 'production' ? 'refuse' : 'allow'
const mcp = createResourceServer({ issuer: ISSUER, resource: MCP, scopes_supported: ['notes.read'], dev })
// Each token for a note passes once.
const store = createResourceServer({
  issuer: ISSUER,
  resource: NOTES,
  introspection: client,
  once: 'spend',
  dev,
})

/** The notes of each user. */
const notes = new Map()
const notesOf = (user) => notes.get(user) ?? []

/** @param user the `sub` of the access token */
function toolsOf(user) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  const answer = (result) => ({ content: [{ type: 'text', text: JSON.stringify(result) }] })
  server.registerTool('list_notes', { description: 'Lists your notes.' }, () =>
    answer({ notes: notesOf(user) }),
  )
  server.registerTool(
    'add_note',
    {
      description: 'Adds a note, after you allowed it.',
      inputSchema: { text: z.string().min(1).max(200) },
    },
    async ({ text }, call) => {
      const detail = { type: 'note', text }
      const token = await approval.ask({ user, resource: NOTES, scope: 'notes.write', detail }, () =>
        lead(server, call),
      )
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(NOTES, { method: 'POST', headers })
      if (!response.ok) throw new Error(`The note was not written: ${response.status}`)
      return answer(await response.json())
    },
  )
  return server
}

/** Shows the user where the question is, if the client can. It is on the account page, and no address answers it. */
async function lead({ server }, { requestId: relatedRequestId }) {
  if (server.getClientCapabilities()?.elicitation?.url === undefined) return
  const message = 'Notes asks for your answer before it writes.'
  const url = `${ISSUER}/account#asks`
  const shown = { mode: 'url', elicitationId: randomUUID(), url, message }
  const { action } = await server.elicitInput(shown, { relatedRequestId })
  if (action !== 'accept') throw new Error('The user did not look at the question.')
}

const send = (response, { status, headers, body }) => response.status(status).set(headers).send(body)

/** The token of a request; undefined: it is answered already. */
async function tokenOf(api, request, response, needs) {
  try {
    return await api.verify(request, needs)
  } catch (error) {
    send(response, api.answer(error))
  }
}

/** What is open, by its id: a tool waits for its user there. */
const sessions = new Map()

async function open(user) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, { user, transport }),
  })
  transport.onclose = () => sessions.delete(transport.sessionId)
  await toolsOf(user).connect(transport)
  return transport
}

const app = createMcpExpressApp()
app.get(mcp.metadata_path, (_request, response) => send(response, mcp.document))
app.all('/mcp', async (request, response) => {
  const token = await tokenOf(mcp, request, response, { scopes: ['notes.read'] })
  if (token === undefined) return
  const id = request.headers['mcp-session-id']
  const session = sessions.get(id)
  // A session is of one user, whoever knows its id.
  if (id !== undefined && session?.user !== token.subject) return response.status(404).end()
  const transport = session?.transport ?? (await open(token.subject))
  await transport.handleRequest(request, response, request.body)
})
app.post('/notes', async (request, response) => {
  const token = await tokenOf(store, request, response, { scopes: ['notes.write'] })
  if (token === undefined) return
  const [{ text }] = token.claims.authorization_details
  notes.set(token.subject, [...notesOf(token.subject), text])
  response.json({ notes: notesOf(token.subject) })
})
app.listen(Number(PORT), '127.0.0.1', () => console.log(`The MCP server is at ${MCP}`))
