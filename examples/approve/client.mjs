// An MCP client with a page, which shows addresses that the MCP server asks its user to open. It has one user at a time.
import { randomBytes } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import express from 'express'

const { PORT = '5000', MCP_URL = 'http://localhost:4000/mcp', ELICITS = 'url' } = process.env
const ORIGIN = `http://127.0.0.1:${PORT}`
/** How long a tool may wait for its user. */
const PATIENCE_MS = 600_000

/** What the SDK keeps between the steps. */
const kept = {}
const provider = {
  redirectUrl: `${ORIGIN}/callback`,
  clientMetadata: {
    client_name: 'Notes client',
    redirect_uris: [`${ORIGIN}/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  clientInformation: () => kept.client,
  saveClientInformation(client) {
    kept.client = client
  },
  tokens: () => kept.tokens,
  saveTokens(tokens) {
    kept.tokens = tokens
  },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier(verifier) {
    kept.verifier = verifier
  },
  state() {
    kept.state = randomBytes(16).toString('base64url')
    return kept.state
  },
  saveDiscoveryState(discovery) {
    kept.discovery = discovery
  },
  redirectToAuthorization(address) {
    kept.address = address
  },
}

const newTransport = () => new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider })
const ARGUMENTS = { add_note: { text: 'Buy milk' } }

/** What the page shows. */
let shown = {}

/** Calls a tool, and shows what the server asks meanwhile, and its answer. */
async function call(name) {
  kept.address = undefined
  const capabilities = ELICITS === 'url' ? { elicitation: { url: {} } } : {}
  const client = new Client({ name: 'notes-client', version: '1.0.0' }, { capabilities })
  if (ELICITS === 'url')
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message, url } }) => {
      // The user opens it, if the user wants to.
      shown = { message, url }
      return { action: 'accept' }
    })
  try {
    await client.connect(newTransport())
    const { content } = await client.callTool({ name, arguments: ARGUMENTS[name] }, undefined, {
      timeout: PATIENCE_MS,
    })
    shown = { text: content[0].text }
  } catch (error) {
    shown = kept.address === undefined ? { text: error.message } : { leave: kept.address.href }
  } finally {
    await client.close()
  }
}

const app = express()
const safe = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')

app.get('/', (_request, response) => {
  const { text, message, url, leave } = shown
  if (leave !== undefined) return response.redirect(303, leave)
  const link =
    url === undefined
      ? ''
      : `<p>${safe(message)} <a href="${safe(url)}" target="_blank">${safe(new URL(url).host)}</a></p>`
  return response.type('html').send(`<!doctype html>
<title>Notes client</title>
${text === undefined ? '<meta http-equiv="refresh" content="1">' : ''}
<form method="post">
  <button formaction="/call/list_notes">List notes</button>
  <button formaction="/call/add_note">Add a note</button>
</form>
${link}
<pre>${safe(text ?? '')}</pre>`)
})

function begin(tool, response) {
  kept.tool = tool
  shown = {}
  void call(tool)
  response.redirect(303, '/')
}
app.post('/call/:tool', ({ params, headers }, response) => {
  // Pages of other origins must not press the buttons.
  if (headers.origin !== ORIGIN) return response.status(403).end()
  return begin(params.tool, response)
})
app.get('/callback', async ({ query }, response) => {
  const issuer = kept.discovery?.authorizationServerMetadata?.issuer
  // RFC 9207 §2.4: the response must be of the server that was asked.
  if (!kept.state || query.state !== kept.state || query.iss !== issuer)
    return response.status(400).send('Not asked for.')
  kept.state = undefined
  if (query.error) return response.status(400).send(safe(String(query.error)))
  await newTransport().finishAuth(String(query.code))
  return begin(kept.tool, response)
})
app.listen(Number(PORT), '127.0.0.1', () => console.log(`The MCP client is at ${ORIGIN}`))
