// Forged, confused and oversized assertions of a trusted issuer: none is accepted, and none reaches the key set in vain.

import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { fetchFailure, type GetDocument } from '../../../../src/outbound/public-get.ts'
import { createClient } from '../../../support/records.ts'
import { startService } from '../../../support/service.ts'
import {
  assertionOf,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  trust,
} from '../../../support/trusted-issuer.ts'

const IDP = 'https://idp.example.com'
const [KEY, FOREIGN, RSA] = [issuerKey('key'), issuerKey('foreign'), issuerKey('rsa', 'RS256')]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function besieged(t: Test) {
  let fetches = 0
  const fetch_key_set: GetDocument = async () => {
    fetches += 1
    return { ok: true, document: { keys: [KEY.jwk, RSA.jwk] }, headers: {} }
  }
  const service = await startService(t, { trusted_issuers: true, fetch_key_set })
  await trust(service.storage, KEY, { issuer: IDP, jwks_uri: `${IDP}/keys` })
  const client = {
    client_id: 'job',
    client_name: 'Job',
    is_public: false,
    redirect_uris: [],
    allowed_scopes: ['api.read'],
    grant_types: [JWT_BEARER],
    assertion_issuer: IDP,
  } as const
  await createClient(service.storage, 'job', formatClient(client))
  const send = (assertion: string) => service.token({ grant_type: JWT_BEARER, assertion })
  const refuses = async (name: string, assertion: string) => {
    const { status, json } = await send(assertion)
    t.match({ status, json }, { status: 400, json: { error: 'invalid_grant' } }, name)
  }
  return { service, send, refuses, fetched: () => fetches }
}

const claims = (overrides: Claims = {}) => claimsOf(IDP, 'job', overrides)

t.test('only the keys of the issuer sign', async (t) => {
  const { send, refuses } = await besieged(t)
  t.equal((await send(assertionOf(KEY, claims()))).status, 200)
  t.equal((await send(assertionOf(RSA, claims()))).status, 200)
  await refuses('another key by the same name', assertionOf({ ...FOREIGN, kid: 'key' }, claims()))
  await refuses('an unknown key', assertionOf(FOREIGN, claims()))
  const embedded = {
    jwk: FOREIGN.jwk,
    jku: 'https://evil.example.com/keys',
    x5u: 'https://evil.example.com/x',
    x5c: ['AA=='],
  }
  await refuses('keys in the header', assertionOf(FOREIGN, claims(), embedded))
  await refuses(
    'keys in the header by a known name',
    assertionOf(FOREIGN, claims(), { ...embedded, kid: 'key' }),
  )
  const [header = '', , signature = ''] = assertionOf(KEY, claims()).split('.')
  await refuses('other claims', `${header}.${encode(claims({ sub: 'admin' }))}.${signature}`)
})

t.test('only the algorithm of the key counts', async (t) => {
  const { refuses } = await besieged(t)
  const input = (header: object) => `${encode({ kid: 'key', typ: 'JWT', ...header })}.${encode(claims())}`
  const secrets = [JSON.stringify(KEY.jwk), RSA.jwk.n as string, String(KEY.jwk.x)]
  for (const secret of secrets) {
    const signed = input({ alg: 'HS256' })
    await refuses(
      'HMAC with the public key',
      `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`,
    )
  }
  await refuses('RS256 named, ES256 signed', assertionOf(KEY, claims(), { alg: 'RS256', kid: 'rsa' }))
  await refuses('PS256 named, RS256 signed', assertionOf(RSA, claims(), { alg: 'PS256' }))
})

t.test('what is malformed or too large costs no signature and no fetch', async (t) => {
  const { refuses, fetched } = await besieged(t)
  await refuses('a long assertion', assertionOf(KEY, claims({ filler: 'x'.repeat(9000) })))
  const deep = JSON.parse('['.repeat(2000) + ']'.repeat(2000))
  await refuses('deep claims', assertionOf(KEY, claims({ aud: deep })))
  for (const text of ['[]', '"text"', 'null', '{', '{"iss":1}', '{}']) {
    await refuses(`claims ${text}`, assertionOf(KEY, text))
  }
  await refuses('an assertion in an assertion', assertionOf(KEY, assertionOf(KEY, claims()), { cty: 'JWT' }))
  for (const iss of [
    'http://idp.example.com',
    'idp.example.com',
    `${IDP}?x`,
    `${IDP}#x`,
    ' ',
    'x'.repeat(600),
    [IDP],
    {},
  ]) {
    await refuses(`iss ${JSON.stringify(iss).slice(0, 40)}`, assertionOf(KEY, claims({ iss })))
  }
  await refuses('expired', assertionOf(KEY, claims({ exp: 1 })))
  await refuses('another audience', assertionOf(KEY, claims({ aud: 'x' })))
  t.equal(fetched(), 0, 'the key set was never asked for')
})

t.test('a flood of unknown keys fetches the key set once more', async (t) => {
  const { send, fetched } = await besieged(t)
  await send(assertionOf(KEY, claims()))
  t.equal(fetched(), 1)
  for (let i = 0; i < 100; i += 1) {
    t.equal((await send(assertionOf(KEY, claims(), { kid: `kid-${i}` }))).status, 400)
  }
  t.equal(fetched(), 2)
})

t.test('an issuer whose keys cannot be fetched is a temporary error, and spends nothing', async (t) => {
  let away = true
  const fetch_key_set: GetDocument = async () =>
    away
      ? fetchFailure('network', 'is away (ECONNREFUSED)')
      : { ok: true, document: { keys: [KEY.jwk] }, headers: {} }
  const service = await startService(t, { trusted_issuers: true, fetch_key_set })
  await trust(service.storage, KEY, { issuer: IDP, jwks_uri: `${IDP}/keys` })
  const form = { grant_type: JWT_BEARER, assertion: assertionOf(KEY, claims()) }
  const { status, json, headers } = await service.token(form)
  t.match({ status, json }, { status: 503, json: { error: 'temporarily_unavailable' } })
  t.ok(headers['retry-after'])
  t.match(service.log.join(''), /ECONNREFUSED/)
  away = false
  t.equal(
    (await service.token(form)).json.error,
    'invalid_grant',
    'there is no such client, but the key is found',
  )
})
