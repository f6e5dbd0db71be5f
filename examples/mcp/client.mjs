// An MCP client with a page: it shows what the tools of MCP_URL answer. It has one user at a time.
import { randomBytes } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import express from 'express'

const { PORT = '5000', MCP_URL = 'http://localhost:4000/mcp', CLIENT_ID, CLIENT_METADATA_URL } = process.env
const ORIGIN = `http://127.0.0.1:${PORT}`

/** What the SDK keeps between the steps. */
const kept = {}
const provider = {
  redirectUrl: `${ORIGIN}/callback`,
  // A client ID metadata document, if the authorization server takes them.
  clientMetadataUrl: CLIENT_METADATA_URL,
  // Otherwise the client registers itself, unless it has a client_id.
  clientMetadata: {
    client_name: 'Notes client',
    redirect_uris: [`${ORIGIN}/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  clientInformation: () => kept.client ?? (CLIENT_ID && { client_id: CLIENT_ID }),
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
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') kept.client = undefined
    if (scope === 'all' || scope === 'tokens') kept.tokens = undefined
  },
}

/** Lets the SDK ask the user if a scope is missing: with a refresh token it would refresh, which adds no scope. */
async function fetchWithStepUp(address, options) {
  const response = await fetch(address, options)
  if (response.status === 403) delete kept.tokens?.refresh_token
  return response
}

const newTransport = () =>
  new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider: provider, fetch: fetchWithStepUp })
const ARGUMENTS = { add_note: { text: 'Buy milk' } }

/** Calls a tool. Returns its answer, or undefined if the user has to sign in at `kept.address` first. */
async function call(name) {
  kept.address = undefined
  const client = new Client({ name: 'notes-client', version: '1.0.0' })
  try {
    await client.connect(newTransport())
    const { content } = await client.callTool({ name, arguments: ARGUMENTS[name] })
    return content[0].text
  } catch (error) {
    if (kept.address !== undefined) return undefined
    throw error
  } finally {
    await client.close()
  }
}

const app = express()
const show = (response, text) =>
  response.type('html').send(`<!doctype html>
<title>Notes client</title>
<form method="post">
  <button formaction="/call/list_notes">List notes</button>
  <button formaction="/call/add_note">Add a note</button>
</form>
<pre>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</pre>`)

/** Shows the answer of a tool, or sends the user away to sign in. */
async function showCall(name, response) {
  kept.tool = name
  try {
    const text = await call(name)
    if (text === undefined) response.redirect(303, kept.address.href)
    else show(response, text)
  } catch (error) {
    show(response, JSON.stringify({ error: error.message }))
  }
}

app.get('/', (_request, response) => show(response, ''))
app.post('/call/:tool', ({ params, headers }, response) => {
  // Pages of other origins must not press the buttons.
  if (headers.origin !== ORIGIN) return response.status(403).end()
  return showCall(params.tool, response)
})
app.get('/callback', async ({ query }, response) => {
  const issuer = kept.discovery?.authorizationServerMetadata?.issuer
  // RFC 9207 §2.4: the response must be of the server that was asked.
  if (!kept.state || query.state !== kept.state || query.iss !== issuer)
    return show(response, 'Not asked for.')
  kept.state = undefined
  if (query.error) return show(response, String(query.error))
  try {
    await newTransport().finishAuth(String(query.code))
  } catch (error) {
    return show(response, JSON.stringify({ error: error.message }))
  }
  return showCall(kept.tool, response)
})
app.listen(Number(PORT), '127.0.0.1', () => console.log(`The MCP client is at ${ORIGIN}`))
