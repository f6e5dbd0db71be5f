// node-oidc-provider with its own sign-in pages, which take any name and password. ISSUER is where TLS before PORT is.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const { ISSUER, PORT, REDIRECT_URI } = process.env
const provider = new Provider(ISSUER, {
  clients: [{ client_id: 'redmint', token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT_URI] }],
  claims: { email: ['email', 'email_verified'], profile: ['name'] },
  // As other providers do, instead of in the user information alone.
  conformIdTokenClaims: false,
  findAccount: (_, sub) => ({
    accountId: sub,
    claims: async () => ({ sub, name: 'Dora', email: 'dora@example.org', email_verified: true }),
  }),
})
provider.proxy = true
const answer = provider.callback()
createServer((request, response) => {
  // Its addresses are those of the issuer, whatever connection a request comes by.
  request.headers.host = new URL(ISSUER).host
  request.headers['x-forwarded-proto'] = 'https'
  answer(request, response)
}).listen(Number(PORT), '127.0.0.1', () => console.log('listens'))
