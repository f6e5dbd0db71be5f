// Forged, confused and oversized assertions of a client with keys: none is accepted, and none fetches its keys in vain.

import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { fetchFailure, type GetDocument } from '../../../../src/outbound/public-get.ts'
import { createClient } from '../../../support/records.ts'
import { CLIENTS, ISSUER, startService } from '../../../support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
} from '../../../support/trusted-issuer.ts'

const [KEY, FOREIGN, RSA] = [issuerKey('key'), issuerKey('foreign'), issuerKey('rsa', 'RS256')]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = (overrides: Claims = {}) => claimsOf('bank', 'bank', overrides)

async function besieged(t: Test, answer?: GetDocument) {
  let fetches = 0
  const get: GetDocument = async (url) => {
    fetches += 1
    return answer ? answer(url) : { ok: true, document: { keys: [KEY.jwk, RSA.jwk] }, headers: {} }
  }
  const service = await startService(t, { fetch_client_keys: { registered: get, described: get } })
  const { client_secret_hash: _, ...client } = CLIENTS.service
  const keys = {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://bank.example.com/keys',
  } as const
  await createClient(service.storage, 'bank', formatClient({ ...client, ...keys, client_id: 'bank' }))
  const send = (client_assertion: string) =>
    service.token({
      grant_type: 'client_credentials',
      client_assertion_type: CLIENT_ASSERTION_TYPE,
      client_assertion,
    })
  const refuses = async (name: string, assertion: string) => {
    const { status, json } = await send(assertion)
    t.match({ status, json }, { status: 401, json: { error: 'invalid_client' } }, name)
  }
  return { service, send, refuses, fetched: () => fetches }
}

t.test('only the keys of the client sign', async (t) => {
  const { send, refuses } = await besieged(t)
  t.equal((await send(assertionOf(KEY, claims()))).status, 200)
  t.equal((await send(assertionOf(RSA, claims()))).status, 200)
  await refuses('another key by the same name', assertionOf({ ...FOREIGN, kid: 'key' }, claims()))
  await refuses('an unknown key', assertionOf(FOREIGN, claims()))
  await refuses('one of two keys without a name', assertionOf(FOREIGN, claims(), { kid: undefined }))
  const embedded = {
    jwk: FOREIGN.jwk,
    jku: 'https://evil.example.com/keys',
    x5u: 'https://evil.example.com/x',
    x5c: ['AA=='],
  }
  await refuses('keys in the header', assertionOf(FOREIGN, claims(), embedded))
  const named = assertionOf(FOREIGN, claims(), { ...embedded, kid: 'key' })
  await refuses('keys in the header by a known name', named)
  const [header = '', , signature = ''] = assertionOf(KEY, claims()).split('.')
  await refuses('other claims', `${header}.${encode(claims({ aud: [ISSUER] }))}.${signature}`)
})

t.test('only the algorithm of the key counts', async (t) => {
  const { refuses } = await besieged(t)
  const input = (header: object) => `${encode({ kid: 'key', typ: 'JWT', ...header })}.${encode(claims())}`
  const pem = RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const secret of [JSON.stringify(KEY.jwk), RSA.jwk.n as string, String(KEY.jwk.x), pem, '']) {
    const signed = input({ alg: 'HS256' })
    const mac = createHmac('sha256', secret).update(signed).digest('base64url')
    await refuses('HMAC with what is public', `${signed}.${mac}`)
  }
  await refuses('RS256 named, ES256 signed', assertionOf(KEY, claims(), { alg: 'RS256', kid: 'rsa' }))
  await refuses('PS256 named, RS256 signed', assertionOf(RSA, claims(), { alg: 'PS256' }))
})

t.test('what is malformed, too large or invalid costs no signature and no fetch', async (t) => {
  const { refuses, fetched } = await besieged(t)
  await refuses('a long assertion', assertionOf(KEY, claims({ filler: 'x'.repeat(9000) })))
  const deep = JSON.parse('['.repeat(2000) + ']'.repeat(2000))
  await refuses('deep claims', assertionOf(KEY, claims({ aud: deep })))
  for (const text of ['[]', '"text"', 'null', '{', '{"iss":1}', '{}'])
    await refuses(`claims ${text}`, assertionOf(KEY, text))
  await refuses('an assertion in an assertion', assertionOf(KEY, assertionOf(KEY, claims()), { cty: 'JWT' }))
  const invalid: Claims[] = [
    { aud: `${ISSUER}/oauth2/token` },
    { aud: [ISSUER, 'https://evil.example.com'] },
    { aud: ISSUER.slice(0, -1) },
    { exp: 1 },
    { exp: undefined },
    { jti: undefined },
    { iss: 'shop', sub: 'shop' },
    { iss: 'x'.repeat(600), sub: 'x'.repeat(600) },
    { iss: '__proto__', sub: '__proto__' },
  ]
  for (const claim of invalid)
    await refuses(JSON.stringify(claim).slice(0, 60), assertionOf(KEY, claims(claim)))
  await refuses('another type', assertionOf(KEY, claims(), { typ: 'at+jwt' }))
  t.equal(fetched(), 0, 'its keys were never asked for')
})

t.test('a flood of unknown keys fetches the keys once more, and stores nothing', async (t) => {
  const { service, send, fetched } = await besieged(t)
  await send(assertionOf(KEY, claims()))
  t.equal(fetched(), 1)
  let stored = 0
  const { useOnce, grantOnce } = service.storage.families
  service.storage.families.useOnce = (...given) => {
    stored += 1
    return useOnce.apply(service.storage.families, given)
  }
  service.storage.families.grantOnce = (...given) => {
    stored += 1
    return grantOnce.apply(service.storage.families, given)
  }
  for (let i = 0; i < 100; i += 1)
    t.equal((await send(assertionOf(KEY, claims(), { kid: `kid-${i}` }))).status, 401)
  t.equal(fetched(), 2)
  t.equal(stored, 0)
  await send(assertionOf(KEY, claims()))
  t.equal(stored, 1, 'as a valid one does')
})

t.test('a client whose keys cannot be fetched looks like an unknown one, and nothing is spent', async (t) => {
  let away = true
  const { service, send } = await besieged(t, async () =>
    away
      ? fetchFailure('network', 'is away (ECONNREFUSED)')
      : { ok: true, document: { keys: [KEY.jwk] }, headers: {} },
  )
  const assertion = assertionOf(KEY, claims())
  const answers = [await send(assertion), await send(assertionOf(KEY, claimsOf('nobody', 'nobody')))]
  for (const { status } of answers) t.equal(status, 401)
  t.equal(new Set(answers.map(({ text }) => text)).size, 1)
  const headers = answers.map(({ headers: { date: _, 'x-request-id': _id, ...others } }) =>
    JSON.stringify(others),
  )
  t.equal(new Set(headers).size, 1)
  t.match(service.log.join(''), /ECONNREFUSED/, 'the operator learns it')
  away = false
  t.equal((await send(assertion)).status, 200)
})
