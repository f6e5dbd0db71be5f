// A web application with MSAL Node and an issuer that is not Microsoft's (protocolMode OIDC).
import { createServer } from 'node:http'
import { ConfidentialClientApplication, CryptoProvider } from '@azure/msal-node'

const { ISSUER = '', CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const { host } = new URL(ISSUER)
const SECURE = `https://${host}`
const ORIGIN = `http://localhost:${PORT}`
const redirectUri = `${ORIGIN}/callback`
const scopes = ['openid', 'profile']

// MSAL refuses an issuer of plain http: this stands for the proxy that ends TLS.
const send =
  (method) =>
  async (url, { headers, body } = {}) => {
    const answer = await fetch(url.replace(SECURE, ISSUER), { method, headers, body })
    const text = (await answer.text()).replaceAll(`"${ISSUER}`, `"${SECURE}`)
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: JSON.parse(text) }
  }
const client = new ConfidentialClientApplication({
  auth: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, authority: SECURE, knownAuthorities: [host] },
  system: {
    protocolMode: 'OIDC',
    networkClient: { sendGetRequestAsync: send('GET'), sendPostRequestAsync: send('POST') },
  },
})
const random = new CryptoProvider()
const sessions = new Map()

async function begin(session) {
  const { verifier, challenge } = await random.generatePkceCodes()
  session.flow = { state: random.createNewGuid(), nonce: random.createNewGuid(), verifier }
  const { state, nonce } = session.flow
  const asked = { scopes, redirectUri, state, nonce, codeChallenge: challenge, codeChallengeMethod: 'S256' }
  return (await client.getAuthCodeUrl(asked)).replace(SECURE, ISSUER)
}

async function end(session, answer) {
  const { flow } = session
  if (flow === undefined || answer.get('state') !== flow.state)
    throw new Error('This browser began no such sign-in.')
  delete session.flow
  if (answer.has('error')) throw new Error(answer.get('error'))
  const { idTokenClaims } = await client.acquireTokenByCode({
    ...{ code: answer.get('code'), scopes, redirectUri },
    ...{ codeVerifier: flow.verifier, nonce: flow.nonce },
  })
  session.name = idTokenClaims.name ?? idTokenClaims.sub
  return '/'
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, ORIGIN)
  const id = /session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? random.createNewGuid()
  const session = sessions.get(id) ?? {}
  sessions.set(id, session)
  response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly; SameSite=Lax`)
  try {
    if (pathname === '/login') response.writeHead(302, { location: await begin(session) }).end()
    else if (pathname === '/callback')
      response.writeHead(302, { location: await end(session, searchParams) }).end()
    else response.end(session.name === undefined ? 'Sign in' : `Hello ${session.name}. Sign out`)
  } catch (error) {
    response.writeHead(400).end(error.message)
  }
}).listen(PORT, 'localhost', () => console.log('ready'))
