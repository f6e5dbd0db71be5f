// Client certificates through the HAProxy of deploy/: real connections, to a real service behind it.
import { writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { temporaryFolder } from '../../../support/build.ts'
import {
  CN,
  der,
  type Issued,
  issue,
  name,
  newKeys,
  PROXY_SECRET,
  proxied,
  SAN,
  WITH_CERTIFICATES,
} from '../../../support/certificates.ts'
import { startBalancer } from '../../../support/haproxy.ts'
import { readText } from '../../../support/markdown.ts'
import { freePort, run } from '../../../support/process.ts'
import { createClient } from '../../../support/records.ts'
import { startListening } from '../../../support/server.ts'
import { bearer, CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const FORM = { grant_type: 'client_credentials' }
const SUBJECT = name([CN, 'billing'])

const authority = issue({ subject: name([CN, 'Authority of the tests']), is_authority: true })
const impostor = issue({ subject: name([CN, 'Authority of the tests']), is_authority: true })
const own = issue({ subject: SUBJECT }, authority)
const self_signed = issue({ subject: SUBJECT })
const keys = newKeys()

/** A service with clients for both methods, behind HAProxy with an address that asks for certificates. */
const { storage, issuer } = await startListening(t, WITH_CERTIFICATES)
const { client_secret_hash: _, ...client } = formatClient(CLIENTS.service)
const bound = { tls_client_certificate_bound_access_tokens: 'true' }
await createClient(storage, 'by-authority', {
  ...client,
  ...bound,
  client_id: 'by-authority',
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_subject_dn: 'CN=billing',
})
await createClient(storage, 'by-key', {
  ...client,
  client_id: 'by-key',
  token_endpoint_auth_method: 'self_signed_tls_client_auth',
  jwks: JSON.stringify({ keys: [keys.publicKey.export({ format: 'jwk' })] }),
})

const folder = await temporaryFolder(t, 'mutual-tls')
const served = issue(
  { subject: name([CN, 'mtls']), names: [der(SAN.ip, Buffer.of(127, 0, 0, 1))] },
  authority,
)
await writeFile(join(folder, 'mtls.pem'), served.pem + served.key_pem)
await writeFile(join(folder, 'clients.pem'), authority.pem)
const mtls_port = await freePort()
const replica = Number(new URL(issuer).port)
/** The line of the page, with the files and the port of the tests. */
const bindOfPage = (page: string) =>
  (/^BIND_MTLS="(.*)"$/m.exec(page)?.[1] ?? '')
    .replace('*:8443', `127.0.0.1:${mtls_port}`)
    .replaceAll('/certificates', folder)
const balancer = await startBalancer(t, [replica, replica, replica], {
  BIND_MTLS: bindOfPage(await readText('docs/mutual-tls.md')),
  CLIENT_CERTIFICATE_SECRET: PROXY_SECRET,
})

interface Sent {
  readonly certificate?: Issued
  readonly form?: Record<string, string>
  readonly path?: string
  readonly headers?: Record<string, string | string[]>
  /** The plain address instead of the one that asks for certificates. */
  readonly plain?: boolean
  readonly agent?: Agent
}

interface Answer {
  readonly status: number
  readonly json: Record<string, unknown>
  /** Whether the TLS session began on another connection. */
  readonly resumed: boolean
}

function send({ certificate, form, path = '/oauth2/token', headers = {}, plain, agent }: Sent) {
  const { key_pem: key, pem: cert } = certificate ?? {}
  const url = (plain ? balancer.address : `https://127.0.0.1:${mtls_port}`) + path
  return new Promise<Answer>((resolve, reject) => {
    const options = {
      method: form === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      ...(plain ? {} : { ca: authority.pem, ...(certificate && { key, cert }), ...(agent && { agent }) }),
    }
    const sending = (plain ? plainRequest : request)(url, options, (response) => {
      const { socket } = response
      const resumed = socket instanceof TLSSocket && socket.isSessionReused()
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        const isJson = String(response.headers['content-type']).includes('json')
        const { statusCode: status = 0 } = response
        resolve({ status, json: isJson ? JSON.parse(text) : {}, resumed })
      })
    })
    sending.on('error', reject)
    sending.end(form && new URLSearchParams(form).toString())
  })
}

await until('HAProxy has a replica', async () => (await send({ path: '/health' })).status === 200)

t.test('a certificate of the authority authenticates, and binds the token', async (t) => {
  const form = { ...FORM, client_id: 'by-authority' }
  const { status, json } = await send({ certificate: own, form })
  t.equal(status, 200)
  const headers = bearer(String(json.access_token))
  const path = '/api/resource'
  t.equal((await send({ certificate: own, path, headers })).status, 200)
  t.equal((await send({ certificate: self_signed, path, headers })).status, 401, 'another certificate')
  t.equal((await send({ path, headers })).status, 401, 'no certificate')
  t.equal((await send({ plain: true, path, headers })).status, 401, 'the address for browsers')
})

t.test('a certificate with the same subject from elsewhere does not', async (t) => {
  const form = { ...FORM, client_id: 'by-authority' }
  const day = 86_400_000
  const past = { not_before: new Date(Date.now() - 2 * day), not_after: new Date(Date.now() - day) }
  const rows: [why: string, certificate: Issued][] = [
    ['self-signed', self_signed],
    ['of another authority with the same name', issue({ subject: SUBJECT }, impostor)],
    ['of a client that is no authority', issue({ subject: SUBJECT }, own)],
    ['expired', issue({ subject: SUBJECT, ...past }, authority)],
  ]
  for (const [why, certificate] of rows) t.equal((await send({ certificate, form })).status, 401, why)
  t.equal((await send({ form })).status, 401, 'no certificate')
})

t.test('a self-signed certificate of its key authenticates a client', async (t) => {
  const form = { ...FORM, client_id: 'by-key' }
  const certificate = issue({ subject: name([CN, 'whatever']), keys })
  t.equal((await send({ certificate, form })).status, 200)
  t.equal((await send({ certificate: self_signed, form })).status, 401, 'another key')
})

t.test('HAProxy removes the headers that a client sends', async (t) => {
  const form = { ...FORM, client_id: 'by-authority' }
  const headers = proxied(own)
  const doubled = { ...headers, 'client-cert': [String(headers['client-cert']), ':AAAA:'] }
  for (const spoofed of [headers, doubled]) {
    t.equal((await send({ form, headers: spoofed })).status, 401, 'with no certificate')
    t.equal(
      (await send({ form, headers: spoofed, certificate: self_signed })).status,
      401,
      'with another one',
    )
    t.equal((await send({ form, headers: spoofed, plain: true })).status, 401, 'at the address for browsers')
    t.equal((await send({ form, headers: spoofed, certificate: own })).status, 200, 'with its own')
  }
})

t.test('a resumed TLS session has the certificate of its beginning', async (t) => {
  const form = { ...FORM, client_id: 'by-authority' }
  for (const [certificate, expected] of [
    [own, 200],
    [self_signed, 401],
  ] as const) {
    // Each request is on a connection of its own, which resumes the session of an earlier one.
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 1 })
    t.teardown(() => agent.destroy())
    const resumed: boolean[] = []
    for (let count = 0; count < 3; count += 1) {
      const answer = await send({ certificate, form, agent })
      t.equal(answer.status, expected)
      resumed.push(answer.resumed)
    }
    t.ok(resumed.includes(true), 'a session was resumed')
  }
})

t.test('HAProxy names no authority when it asks, so that every client sends what it has', async (t) => {
  const asked = run(t, 'openssl', ['s_client', '-connect', `127.0.0.1:${mtls_port}`], {})
  t.ok(await asked.prints(/No client certificate CA names sent/), asked.stdout)
  t.notMatch(asked.stdout, 'Acceptable client certificate CA names')
  t.match(
    (await readText('deploy/haproxy.cfg')).replace(/\n# +/g, ' '),
    /BIND_MTLS .* ca-file \S+ no-ca-names verify optional crt-ignore-err all ca-ignore-err all/,
  )
})
