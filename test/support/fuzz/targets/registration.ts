import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import redmint from '../../../../app.ts'
import { createInstance } from '../../../../instance.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { secretHash } from '../../../../src/clients/record/client-secret.ts'
import { redirectUriProblem } from '../../../../src/clients/record/redirect-uri.ts'
import { isObject, parseJson, parseObject } from '../../../../src/core/json.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { bearer, ISSUER, useTestKeys } from '../../service.ts'
import type { Target } from '../target.ts'

type Json = Record<string, unknown>

const SCOPES = ['openid', 'notes.read']
const HOUR = 3_600_000
const BODY_LIMIT = 5 * 1024
const TEXTS = [
  ...'https://a.example/cb|https://a.example/x|http://127.0.0.1/cb|a.b:/cb|http://a.example/cb|https://*.a/|#'.split(
    '|',
  ),
  ...'authorization_code|refresh_token|client_credentials|implicit|code|token|none|client_secret_basic'.split(
    '|',
  ),
  ...'client_secret_post|private_key_jwt|web|native|openid|api.read|openid notes.read|ES256|none|a b'.split(
    '|',
  ),
  ...['true', '', 'null', '\0', '\ud800', '\ufffd', '"', '\\', 'é', '__proto__', 'x'.repeat(101)],
]
const MEMBERS = [
  ...'redirect_uris client_name client_uri logo_uri policy_uri tos_uri scope contacts software_id'.split(' '),
  ...'grant_types response_types token_endpoint_auth_method application_type software_version'.split(' '),
  ...'id_token_signed_response_alg post_logout_redirect_uris backchannel_logout_uri client_id'.split(' '),
  ...'client_secret client_secret_expires_at registration_access_token client_secret_hash disabled'.split(
    ' ',
  ),
  ...'jwks jwks_uri token_endpoint_auth_signing_alg dpop_bound_access_tokens'.split(' '),
  ...'first_party can_introspect require_pkce access_token_ttl registered_at lapses_at __proto__'.split(' '),
]
const APP = { redirect_uris: ['https://a.example/cb'], token_endpoint_auth_method: 'none' }
const SIGNER = { ...APP, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.example/jwks' }
const WEB = { redirect_uris: ['https://a.example/cb'], grant_types: ['authorization_code', 'refresh_token'] }

/** All fields that such a record may have; none of the others is what a client may decide about. */
const FIELDS = [
  ...'client_id client_name client_uri logo_uri policy_uri tos_uri is_public client_secret_hash'.split(' '),
  ...'token_endpoint_auth_method redirect_uris application_type allowed_scopes grant_types'.split(' '),
  ...'refresh_tokens id_token_signed_response_alg post_logout_redirect_uris contacts'.split(' '),
  ...'backchannel_logout_uri software_id software_version'.split(' '),
  ...'jwks jwks_uri token_endpoint_auth_signing_alg dpop_bound_access_tokens'.split(' '),
  ...'client_secret_created_at registered_at lapses_at registration_token_hash'.split(' '),
]
/** The members of private and symmetric keys (RFC 7518 §6). */
const SECRET = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']
/** The fields that a change must leave as they are. */
const KEPT = ['registered_at', 'lapses_at', 'registration_token_hash', 'allowed_scopes']

/** Hosts that are the device of the user. */
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost\.?)$/

let hours = 0
// Each registration is in a window of its own, and none stays for long.
const storage = new MemoryStorage({ now: () => Date.now() + hours * HOUR })
let started: Promise<FastifyInstance> | undefined

async function start(): Promise<FastifyInstance> {
  await useTestKeys(storage)
  const fastify = createInstance({ level: 'silent' })
  const registration = { client_registration: 'open', self_registered_scopes: SCOPES } as const
  await fastify.register(redmint, { issuer: ISSUER, demo: false, storage, ...registration })
  await fastify.ready()
  return fastify
}

async function send(method: 'POST' | 'PUT', url: string, payload: string, headers = {}) {
  started ??= start()
  const type = { 'content-type': 'application/json' }
  const fastify = await started
  const { statusCode, body } = await fastify.inject({
    method,
    url,
    payload,
    headers: { ...type, ...headers },
  })
  return { status: statusCode, json: parseObject(body) ?? {} }
}

const register = (payload: string) => {
  hours += 1
  return send('POST', '/oauth2/register', payload)
}

async function recordOf(client_id: unknown): Promise<Hash> {
  const found = await storage.records.read(CLIENT, String(client_id))
  assert.ok(found?.ok, 'the record parses')
  // What operators read with redis-cli, and another replica parses.
  for (const text of Object.values(found.hash)) assert.ok(text.isWellFormed())
  return found.hash
}

/** RFC 7591 §3.2.2: an error that says what to correct. */
function assertRefused(payload: string, { status, json }: { status: number; json: Json }): void {
  if (status === 413) assert.ok(Buffer.byteLength(payload) > BODY_LIMIT)
  else assert.equal(status, 400)
  if (status === 400) assert.match(String(json.error), /^invalid_(client_metadata|redirect_uri)$/)
  assert.match(String(json.error_description), /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/)
}

/** What a client gets for these metadata is what the policy lets it have, and the answer says what is stored. */
function assertAllowed(metadata: unknown, hash: Hash, answer: Json): void {
  assert.ok(isObject(metadata))
  assert.deepEqual(
    Object.keys(hash).filter((field) => !FIELDS.includes(field)),
    [],
  )
  const method = metadata.token_endpoint_auth_method
  assert.equal(hash.is_public, String(method === 'none'))
  assert.equal(!hash.client_secret_hash, method === 'none' || method === 'private_key_jwt')
  if (method === 'private_key_jwt') assert.ok(!hash.jwks !== !hash.jwks_uri, 'one place with its keys')
  // RFC 7517 §9.3: nobody but the client has its private keys.
  for (const key of keysOf(hash.jwks)) for (const secret of SECRET) assert.ok(!Object.hasOwn(key, secret))
  if (answer.client_secret !== undefined) {
    assert.equal(hash.client_secret_hash, secretHash(String(answer.client_secret)))
  }
  assert.equal(hash.allowed_scopes, SCOPES.join(' '))
  assert.match(String(hash.grant_types), /^authorization_code( refresh_token)?$/)
  const uris = String(hash.redirect_uris).split(' ')
  assert.deepEqual(uris, [...new Set(metadata.redirect_uris as string[])], 'as the client sent them')
  for (const uri of uris) {
    assert.equal(redirectUriProblem(uri), undefined)
    // Plain http is for the device of the user alone (RFC 8252 §7.3).
    if (/^http:/i.test(uri)) assert.match(new URL(uri).hostname, LOOPBACK)
  }
  const origins = uris.filter((uri) => uri.startsWith('https:')).map((uri) => new URL(uri).origin)
  for (const page of ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']) {
    const uri = hash[page]
    if (uri !== undefined) assert.ok(origins.includes(new URL(uri).origin), `${page} ${uri}`)
  }
  assert.deepEqual(answer.redirect_uris, uris)
  assert.equal(answer.scope, hash.allowed_scopes)
  assert.equal(answer.client_name ?? hash.client_id, hash.client_name ?? hash.client_id)
}

function keysOf(jwks: string | undefined): object[] {
  const keys = parseObject(jwks ?? '')?.keys
  return Array.isArray(keys) ? keys : []
}

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 8 }))
const value = fc.oneof(
  { arbitrary: text, weight: 4 },
  { arbitrary: fc.array(text, { maxLength: 3 }), weight: 4 },
  { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
)
const changes = fc.dictionary(fc.constantFrom(...MEMBERS), value, { maxKeys: 3 })
const KEY = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'k', alg: 'ES256' },
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
}
const words = [
  ...[JSON.stringify({ keys: [KEY] }), JSON.stringify(KEY), '"d":"x"', '"k":"x"', '"keys":'],
  ...MEMBERS.map((member) => `"${member}":`),
  ...TEXTS.map((word) => JSON.stringify(word)),
  ...['{', '}', '[', ']', ',', 'null', '7', '"$c"', '"client_id":"$c",', '\\ud800', JSON.stringify(APP)],
]
const documents = (more: Json = {}) =>
  fc
    .tuple(fc.constantFrom<Json>(APP, WEB, SIGNER), changes)
    .map(([base, changed]) => JSON.stringify({ ...base, ...changed, ...more }))

/** The body of a registration (RFC 7591 §3.1). */
export const registration: Target = {
  name: 'registration',
  words,
  inputs: fc.oneof({ arbitrary: documents(), weight: 8 }, { arbitrary: fc.string(), weight: 1 }),
  async check(input) {
    const payload = input.toWellFormed()
    const answer = await register(payload)
    if (answer.status !== 201) return assertRefused(payload, answer)
    const { client_id } = answer.json
    assert.match(String(client_id), /^self-[\w-]+$/, 'the server chooses it')
    assertAllowed(parseJson(payload), await recordOf(client_id), answer.json)
  },
}

/** The body of a change (RFC 7592 §2.2), with `$c` for the client_id. */
export const registrationChange: Target = {
  name: 'registration-change',
  words,
  inputs: fc.oneof(
    { arbitrary: documents({ client_id: '$c' }), weight: 8 },
    { arbitrary: documents(), weight: 1 },
  ),
  async check(input) {
    const { json: own } = await register(JSON.stringify(WEB))
    const { client_id, registration_access_token } = own
    const before = await recordOf(client_id)
    const payload = input.toWellFormed().replaceAll('$c', String(client_id))
    const url = `/oauth2/register/${client_id}`
    const answer = await send('PUT', url, payload, bearer(String(registration_access_token)))
    const after = await recordOf(client_id)
    if (answer.status !== 200) {
      assert.deepEqual(after, before, 'a change that is refused changes nothing')
      return assertRefused(payload, answer)
    }
    const metadata = parseJson(payload)
    assert.ok(isObject(metadata) && metadata.client_id === client_id, 'a change names its client')
    assertAllowed(metadata, after, answer.json)
    for (const field of KEPT) assert.equal(after[field], before[field], field)
  },
}
