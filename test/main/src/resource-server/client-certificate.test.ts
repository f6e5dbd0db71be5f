// The certificate that a token is bound to (RFC 8705 §3): that of the connection, or of what a proxy says.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { thumbprintOf } from '../../../../src/resource-server/client-certificate.ts'
import { createResourceServer, type ResourceServerOptions } from '../../../../src/resource-server/create.ts'
import { sha256 } from '../../../support/dpop.ts'
import { CERTIFICATE, KEY } from '../../../support/outbound/self-signed.ts'
import { signWith, startAuthorizationServer } from '../../../support/resource-server/authorization-server.ts'

const API = 'https://api.example.com'
const DER = new X509Certificate(CERTIFICATE).raw
const THUMBPRINT = sha256(DER)

t.test('a certificate is PEM, DER or its thumbprint', async (t) => {
  for (const given of [CERTIFICATE, DER, new Uint8Array(DER), THUMBPRINT, `${CERTIFICATE}\n${CERTIFICATE}`]) {
    t.equal(thumbprintOf(given), THUMBPRINT)
  }
  for (const given of [undefined, '', 'x', encodeURIComponent(CERTIFICATE), Buffer.of(1), `${THUMBPRINT}=`]) {
    t.equal(thumbprintOf(given), undefined, String(given))
  }
})

async function start(t: Test, options: Partial<ResourceServerOptions> = {}) {
  const { issuer, state } = await startAuthorizationServer(t)
  const api = createResourceServer({ issuer, resource: API, ...options })
  const server = createServer(
    { key: KEY, cert: CERTIFICATE, requestCert: true, rejectUnauthorized: false },
    async (request, response) => {
      const status = await api.verify(request).then(
        () => 200,
        (error) => api.answer(error).status,
      )
      response.writeHead(status).end()
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: API,
    sub: 'app',
    client_id: 'app',
    jti: 'jti',
    iat: now,
    exp: now + 600,
    cnf: { 'x5t#S256': THUMBPRINT },
  }
  const [key] = state.keys
  const token = key === undefined ? '' : signWith(key, claims)
  /** The status of a request, on a connection with this certificate. */
  const ask = async (client: { key?: string; cert?: string }, headers: Record<string, string> = {}) => {
    const { port } = server.address() as AddressInfo
    const asking = request({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...client,
    })
    const [response] = await once(asking.end(), 'response')
    response.resume()
    return response.statusCode
  }
  return { api, ask }
}

t.test('by default the certificate is that of the connection', async (t) => {
  const { api, ask } = await start(t)
  t.equal(await ask({ key: KEY, cert: CERTIFICATE }), 200)
  t.equal(await ask({}), 401)
  t.equal(await ask({}, { 'client-cert': `:${DER.toString('base64')}:` }), 401, 'no header is read')
  t.notOk('tls_client_certificate_bound_access_tokens' in api.metadata)
})

t.test('a proxy passes the certificate on', async (t) => {
  const certificateOf: NonNullable<ResourceServerOptions['certificateOf']> = ({ headers }) =>
    decodeURIComponent(String(headers['x-client-cert']))
  const { api, ask } = await start(t, { certificateOf })
  t.equal(await ask({}, { 'x-client-cert': encodeURIComponent(CERTIFICATE) }), 200)
  t.equal(await ask({}, { 'x-client-cert': 'x' }), 401)
  t.equal(await ask({ key: KEY, cert: CERTIFICATE }), 401, 'the connection is that of the proxy')
  t.equal(api.metadata.tls_client_certificate_bound_access_tokens, true)
})
