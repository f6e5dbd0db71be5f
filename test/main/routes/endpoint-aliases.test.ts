// Endpoint aliases for client certificates (RFC 8705 §5): what a client signs for a URL must be for the one that it asked.
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { CN, issue, name, PROXY_SECRET, proxied, WITH_CERTIFICATES } from '../../support/certificates.ts'
import { makeDpopKey, makeProof, sha256 } from '../../support/dpop.ts'
import { forEachService, type Start } from '../../support/lifecycle.ts'
import { createClient } from '../../support/records.ts'
import { type Answer, authorizationRequest, basic, CLIENTS, ISSUER } from '../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  keySetOf,
} from '../../support/trusted-issuer.ts'

const MTLS_ORIGIN = 'https://mtls.auth.example.com'
const SETTINGS = { ...WITH_CERTIFICATES, mtls_origin: MTLS_ORIGIN }
const FORM = { grant_type: 'client_credentials' }
const PROVEN = issuerKey('key')
const KEY = makeDpopKey()

type Arrival = Pick<InjectOptions, 'headers' | 'remoteAddress'>

const secret = { 'client-cert-secret': PROXY_SECRET }
const AT_THE_ALIAS: Readonly<Record<string, Arrival>> = {
  'with a certificate': { headers: proxied(issue({ subject: name([CN, 'own']) })) },
  'without a certificate': { headers: secret },
}
const AT_THE_ISSUER: Readonly<Record<string, Arrival>> = {
  'as anybody': {},
  'with another secret': { headers: { 'client-cert-secret': `${PROXY_SECRET}x` } },
  'with the secret, but not from the proxy': { headers: secret, remoteAddress: '198.51.100.7' },
  'with the alias as Host': { headers: { host: new URL(MTLS_ORIGIN).host } },
}

type Ask = (arrival: Arrival, origin: string) => Promise<Answer>

/** Asserts that each request is accepted exactly if what is signed is for the origin by which it came. */
async function onlyItsOwn(t: Test, what: string, error: string, ask: Ask) {
  for (const [arrivals, own, other] of [
    [AT_THE_ALIAS, MTLS_ORIGIN, ISSUER],
    [AT_THE_ISSUER, ISSUER, MTLS_ORIGIN],
  ] as const) {
    for (const [how, arrival] of Object.entries(arrivals)) {
      const { status, text } = await ask(arrival, own)
      t.ok(status === 200 || status === 201, `${what}, ${how}: ${text}`)
      t.match((await ask(arrival, other)).json, { error }, `${what}, ${how}, for ${other}`)
    }
  }
}

async function running(start: Start, settings: Parameters<Start>[0] = SETTINGS) {
  const service = await start(settings)
  // The clock of the service may stand still.
  const now = () => Math.floor(service.now() / 1000)
  const proofOf = (htu: string, claims: Record<string, unknown> = {}) =>
    makeProof(KEY, { htm: 'POST', htu, iat: now(), ...claims })
  const post = (
    { headers, ...arrival }: Arrival,
    url: string,
    form: Record<string, string>,
    more: Record<string, string>,
  ) =>
    service.request({
      ...arrival,
      method: 'POST',
      url,
      headers: { ...headers, ...more, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    })
  const token: Ask = (arrival, origin) =>
    post(arrival, PATHS.token, FORM, { ...basic('web'), dpop: proofOf(origin + PATHS.token) })
  return { service, now, proofOf, post, token }
}

forEachService('a DPoP proof is for the origin by which its request came', async (t, start) => {
  const { service, proofOf, post, token } = await running(start)
  await onlyItsOwn(t, 'token', 'invalid_dpop_proof', token)
  await onlyItsOwn(t, 'pushed request', 'invalid_dpop_proof', (arrival, origin) =>
    post(arrival, PATHS.par, authorizationRequest(), { dpop: proofOf(origin + PATHS.par) }),
  )
  const { json } = await token({}, ISSUER)
  const ath = sha256(String(json.access_token))
  const url = PATHS.demo_resource
  await onlyItsOwn(t, 'API', 'invalid_dpop_proof', ({ headers, ...arrival }, origin) =>
    service.request({
      ...arrival,
      url,
      headers: {
        ...headers,
        authorization: `DPoP ${json.access_token}`,
        dpop: proofOf(origin + url, { htm: 'GET', ath }),
      },
    }),
  )
})

forEachService('without MTLS_ORIGIN every request comes by the issuer', async (t, start) => {
  const { token } = await running(start, WITH_CERTIFICATES)
  for (const arrival of Object.values(AT_THE_ALIAS)) {
    t.equal((await token(arrival, ISSUER)).status, 200)
    t.match((await token(arrival, MTLS_ORIGIN)).json, { error: 'invalid_dpop_proof' })
  }
})

forEachService('so is an assertion of an old client that names the endpoint', async (t, start) => {
  const { service, now, post } = await running(start)
  const { client_secret_hash: _, ...bare } = CLIENTS.web
  const keyed = {
    ...bare,
    client_id: 'keyed',
    token_endpoint_auth_method: 'private_key_jwt',
    assertion_audience: 'endpoint',
    jwks: keySetOf(PROVEN),
  } as const
  await createClient(service.storage, 'keyed', formatClient(keyed))
  const proof = (aud: string) => ({
    client_assertion_type: CLIENT_ASSERTION_TYPE,
    client_assertion: assertionOf(PROVEN, claimsOf('keyed', 'keyed', { aud, iat: now(), exp: now() + 120 })),
  })
  await onlyItsOwn(t, 'assertion', 'invalid_client', (arrival, origin) =>
    post(arrival, PATHS.token, { ...FORM, ...proof(origin + PATHS.token) }, {}),
  )
  for (const arrival of Object.values({ ...AT_THE_ALIAS, ...AT_THE_ISSUER })) {
    t.equal((await post(arrival, PATHS.token, { ...FORM, ...proof(ISSUER) }, {})).status, 200, 'the issuer')
  }
})
