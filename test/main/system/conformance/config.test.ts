// The plan oidcc-config-certification-test-plan: the metadata and the key set.
import { importJWK, type JWK } from 'jose'
import t, { type Test } from 'tap'
import { isScopeToken } from '../../../../src/core/scope.ts'
import { startPlan } from '../../../support/conformance/plan.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const BASE64URL = /^[\w-]+$/

t.test('oidcc-discovery-endpoint-verification', async (t) => {
  const { get, metadata: json } = await startPlan(t, 'query', { pairwise_salt: 'sixteen characters' })
  const { status, headers } = await get(WELL_KNOWN)
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json(; *charset=utf-8)?$/i)

  const issuer = new URL(String(json.issuer))
  t.strictSame([issuer.protocol, issuer.search, issuer.hash], ['https:', '', ''])
  t.equal(String(json.issuer) + WELL_KNOWN, 'https://auth.example.com/.well-known/openid-configuration')

  const addresses = Object.keys(json).filter((name) => name.endsWith('_endpoint') || name === 'jwks_uri')
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
    t.ok(addresses.includes(name), name)
  }
  for (const name of addresses) {
    t.type(json[name], 'string')
    t.equal(new URL(String(json[name])).protocol, 'https:', name)
  }
  t.notOk(addresses.includes('registration_endpoint'), 'clients are registered by hand')

  const lists = Object.entries(json).filter(([name]) => /_(supported|methods_supported)$/.test(name))
  for (const [name, value] of lists) {
    if (typeof value === 'boolean') continue
    t.ok(Array.isArray(value) && value.length > 0, `${name} is a list of something (RFC 8414 §3.2)`)
    const list = value as unknown[]
    for (const entry of list) t.type(entry, 'string', name)
    t.equal(new Set(list).size, list.length, `${name} has no entry twice`)
  }
  const has = (name: string, value: string) => (json[name] as string[]).includes(value)
  t.ok(has('response_types_supported', 'code'))
  t.ok(has('grant_types_supported', 'authorization_code'))
  t.ok(has('scopes_supported', 'openid'))
  t.ok(has('id_token_signing_alg_values_supported', 'RS256'))
  t.ok(has('claims_supported', 'sub'))
  t.ok(has('code_challenge_methods_supported', 'S256'))
  t.ok((json.scopes_supported as string[]).every(isScopeToken))
  t.strictSame(json.subject_types_supported, ['public', 'pairwise'])
  t.strictSame(Intl.getCanonicalLocales(json.ui_locales_supported as string[]), json.ui_locales_supported)

  t.equal(json.claims_parameter_supported, true)
  t.equal(json.request_parameter_supported, true)
  t.equal(json.request_uri_parameter_supported, false, 'absent would mean true')
  t.strictSame(json.request_object_signing_alg_values_supported, [
    'ES256',
    'RS256',
    'PS256',
    'EdDSA',
    'Ed25519',
  ])
  t.strictSame(json.userinfo_signing_alg_values_supported, json.id_token_signing_alg_values_supported)
})

t.test('oidcc-discovery-endpoint-verification: the key set', async (t) => {
  const { get, pathOf, keys } = await startPlan(t)
  t.match((await get(pathOf('jwks_uri'))).headers['content-type'], /^application\/(jwk-set\+)?json\b/)
  t.ok(keys.length > 0)
  t.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length, 'each kid is there once')
  for (const key of keys) await checkKey(t, key)
})

async function checkKey(t: Test, key: JWK) {
  t.match(key.kid, /./)
  t.equal(key.use, 'sig')
  t.type(key.alg, 'string')
  for (const name of PRIVATE) t.notOk(Object.hasOwn(key, name), `${key.kid} has no ${name}`)
  const numbers = { RSA: [key.n, key.e], EC: [key.x, key.y], OKP: [key.x] }[String(key.kty)]
  t.ok(numbers, `${key.kty} is a kind of public key`)
  for (const number of numbers ?? []) t.match(number, BASE64URL, 'unpadded base64url')
  if (key.kty === 'RSA') t.ok(Buffer.from(String(key.n), 'base64url').length >= 256, '2048 bits at least')
  await t.resolves(importJWK(key), 'a library reads it')
}
