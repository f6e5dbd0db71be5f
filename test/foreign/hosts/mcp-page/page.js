// A page that is an MCP client, by the SDK alone: discovery, registration, sign-in, calls and refreshes from a browser.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { origin, pathname, search } = location
const keep = (name, value) => {
  if (value === undefined) sessionStorage.removeItem(name)
  else sessionStorage.setItem(name, JSON.stringify(value))
}
const kept = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined

const provider = {
  redirectUrl: `${origin}/callback`,
  clientMetadata: {
    client_name: 'Notes in a page',
    redirect_uris: [`${origin}/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  },
  clientInformation: () => kept('client'),
  saveClientInformation: (client) => keep('client', client),
  tokens: () => kept('tokens'),
  saveTokens: (tokens) => keep('tokens', tokens),
  codeVerifier: () => kept('verifier'),
  saveCodeVerifier: (verifier) => keep('verifier', verifier),
  state() {
    keep('state', crypto.randomUUID())
    return kept('state')
  },
  redirectToAuthorization: (address) => location.assign(address),
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') keep('client')
    if (scope === 'all' || scope === 'tokens') keep('tokens')
  },
}
const newTransport = () => new StreamableHTTPClientTransport(new URL(mcp_url), { authProvider: provider })

const show = (what) => {
  document.querySelector('pre').textContent = JSON.stringify(what)
}

async function call(name) {
  keep('tool', name)
  const client = new Client({ name: 'notes-in-a-page', version: '1.0.0' })
  try {
    await client.connect(newTransport())
    const { content } = await client.callTool({ name, arguments: { text: 'Buy milk' } })
    show(JSON.parse(content[0].text))
  } catch (error) {
    // The browser is on its way to the sign-in.
    if (error.name !== 'UnauthorizedError') show({ error: error.message })
  } finally {
    await client.close()
  }
}

for (const button of document.querySelectorAll('button')) button.onclick = () => call(button.id)
if (pathname === '/callback') {
  const told = new URLSearchParams(search)
  if (told.get('state') !== kept('state')) throw new Error('not asked for')
  await newTransport().finishAuth(told.get('code'))
  // A reload must not bring the code once more.
  history.replaceState(null, '', '/')
  await call(kept('tool'))
}
