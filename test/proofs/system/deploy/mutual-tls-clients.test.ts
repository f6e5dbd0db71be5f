// openid-client with a certificate, through the HAProxy of deploy/: it finds the aliases of the endpoints by discovery.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { temporaryFolder } from '../../../support/build.ts'
import {
  CN,
  der,
  type Issued,
  issue,
  name,
  PROXY_SECRET,
  SAN,
  WITH_CERTIFICATES,
} from '../../../support/certificates.ts'
import { startBalancer } from '../../../support/haproxy.ts'
import { freePort } from '../../../support/process.ts'
import { createClient } from '../../../support/records.ts'
import { startListening } from '../../../support/server.ts'
import { CLIENTS, REDIRECT_URI } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const SUBJECT = name([CN, 'billing'])
const authority = issue({ subject: name([CN, 'Authority of the tests']), is_authority: true })
const issued = issue({ subject: SUBJECT }, authority)
const self_signed = issue({ subject: name([CN, 'whatever']) })
const REFUSED = { name: 'WWWAuthenticateChallengeError', status: 401 }

const { client_secret_hash: _, ...WEB } = CLIENTS.web
const METHODS = {
  tls_client_auth: {
    certificate: issued,
    other: self_signed,
    method: client.TlsClientAuth(),
    fields: { tls_client_auth_subject_dn: 'CN=billing' },
  },
  self_signed_tls_client_auth: {
    certificate: self_signed,
    other: issued,
    method: client.TlsClientAuth(),
    fields: { jwks: JSON.stringify({ keys: [self_signed.publicKey.export({ format: 'jwk' })] }) },
  },
} as const
type Method = keyof typeof METHODS

/** A service behind HAProxy, and the origin at which that asks for certificates. */
async function start(t: Test, access_token_format: (typeof ACCESS_TOKEN_FORMATS)[number]) {
  const mtls_port = await freePort()
  const mtls_origin = `https://127.0.0.1:${mtls_port}`
  const { storage, issuer } = await startListening(t, {
    ...WITH_CERTIFICATES,
    mtls_origin,
    access_token_format,
  })
  for (const [method, { fields }] of Object.entries(METHODS)) {
    const definition: ClientDefinition = {
      ...WEB,
      ...fields,
      client_id: method,
      allowed_scopes: ['openid', 'offline_access', 'api.read'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: method as Method,
      tls_client_certificate_bound_access_tokens: true,
      require_pushed_authorization_requests: true,
    }
    await createClient(storage, method, formatClient(definition))
  }
  const folder = await temporaryFolder(t, 'mutual-tls-clients')
  const names = [der(SAN.ip, Buffer.of(127, 0, 0, 1))]
  const served = issue({ subject: name([CN, 'mtls']), names }, authority)
  await writeFile(join(folder, 'mtls.pem'), served.pem + served.key_pem)
  await writeFile(join(folder, 'clients.pem'), authority.pem)
  const replica = Number(new URL(issuer).port)
  const files = `ssl crt ${folder}/mtls.pem ca-file ${folder}/clients.pem`
  const balancer = await startBalancer(t, [replica, replica, replica], {
    BIND_MTLS: `127.0.0.1:${mtls_port} ${files} verify optional crt-ignore-err all ca-ignore-err all`,
    CLIENT_CERTIFICATE_SECRET: PROXY_SECRET,
  })
  await until('HAProxy has a replica', async () => (await fetch(`${balancer.address}/health`)).ok)
  return { issuer, mtls_origin }
}

/** Returns a fetch that has a certificate for https, and the URLs that were asked for. */
function fetchWith({ key_pem: key, pem: cert }: Issued) {
  const urls: string[] = []
  const send: client.CustomFetch = async (url, { method, headers, body }) => {
    urls.push(url)
    if (!url.startsWith('https:')) return await fetch(url, { method, headers, body: body ?? null })
    const sending = request(url, { method, headers, ca: authority.pem, key, cert })
    sending.end(body instanceof URLSearchParams ? body.toString() : undefined)
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    const { statusCode, headersDistinct } = answer
    const given = Object.entries(headersDistinct).flatMap(([field, values = []]) =>
      values.map((value): [string, string] => [field, value]),
    )
    return new Response((await text(answer)) || null, { status: statusCode ?? 0, headers: given })
  }
  return { send, urls }
}

const thumbprint = (certificate: Issued) => createHash('sha256').update(certificate.der).digest('base64url')

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`${format} access tokens`, async (t) => {
    const { issuer, mtls_origin } = await start(t, format)
    for (const [id, { certificate, other, method }] of Object.entries(METHODS)) {
      for (const has_proofs of [false, true]) {
        await t.test(`${id}, ${has_proofs ? 'with DPoP' : 'certificates only'}`, async (t) => {
          const { send, urls } = fetchWith(certificate)
          const config = await client.discovery(
            new URL(issuer),
            id,
            { use_mtls_endpoint_aliases: true },
            method,
            { execute: [client.allowInsecureRequests], [client.customFetch]: send },
          )
          urls.length = 0
          const keys = await client.randomDPoPKeyPair('ES256')
          const options = has_proofs ? { DPoP: client.getDPoPHandle(config, keys) } : {}
          const pkceCodeVerifier = client.randomPKCECodeVerifier()
          const checks = { expectedState: client.randomState(), idTokenExpected: true, pkceCodeVerifier }
          const parameters = {
            redirect_uri: REDIRECT_URI,
            scope: 'openid offline_access api.read',
            state: checks.expectedState,
            code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
            code_challenge_method: 'S256',
            subject: 'alice',
            prompt: 'consent',
          }
          const url = await client.buildAuthorizationUrlWithPAR(config, parameters, options)
          t.equal(url.origin, issuer, 'browsers are not asked for certificates')
          const { headers } = await fetch(url, { redirect: 'manual' })
          const callback = new URL(headers.get('location') ?? 'none:')
          const first = await client.authorizationCodeGrant(config, callback, checks, undefined, options)
          const { refresh_token = '' } = first
          const tokens = await client.refreshTokenGrant(config, refresh_token, undefined, options)
          t.equal(tokens.token_type, has_proofs ? 'dpop' : 'bearer')
          const { access_token } = tokens
          t.same(await client.fetchUserInfo(config, access_token, 'alice', options), { sub: 'alice' })
          const api = new URL(`${mtls_origin}/api/resource`)
          const ask = async () =>
            await client.fetchProtectedResource(config, access_token, api, 'GET', null, undefined, options)
          t.match(await (await ask()).json(), { subject: 'alice' })
          const { cnf } = await client.tokenIntrospection(config, access_token)
          const jkt = await options.DPoP?.calculateThumbprint()
          t.same(cnf, { ...(jkt && { jkt }), 'x5t#S256': thumbprint(certificate) })

          config[client.customFetch] = fetchWith(other).send
          await t.rejects(ask(), REFUSED, 'with another certificate')
          await t.rejects(client.refreshTokenGrant(config, refresh_token, undefined, options), REFUSED)
          config[client.customFetch] = send
          await client.tokenRevocation(config, access_token)
          await t.rejects(client.fetchUserInfo(config, access_token, 'alice', options), REFUSED, 'revoked')
          const asked = new Set(urls.map((one) => new URL(one).origin))
          t.same([...asked], [mtls_origin], 'each endpoint has an alias')
        })
      }
    }
  })
}
