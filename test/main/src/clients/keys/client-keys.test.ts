// The keys of clients: which records may name keys, and how often and from where they are fetched.

import t from 'tap'
import { ClientKeys, findOwnKey, type KeyHolder } from '../../../../../src/clients/keys/client-keys.ts'
import { parseClient } from '../../../../../src/clients/record/client-record.ts'
import { KeySetUnavailable } from '../../../../../src/keys/published-keys.ts'
import { fetchFailure, type GetDocument, getPublicly } from '../../../../../src/outbound/public-get.ts'
import { countImports } from '../../../../support/keys/count-imports.ts'
import { json, lookupOf, startDocumentHost } from '../../../../support/outbound/document-host.ts'
import { type IssuerKey, issuerKey, keySetOf } from '../../../../support/trusted-issuer.ts'

const JWKS_URI = 'https://rp.example.com/keys'
const CLIENT: KeyHolder = { jwks_uri: JWKS_URI }
const STRANGER: KeyHolder = { ...CLIENT, registered_at: '2026-11-22T08:00:00.000Z' }
const [OLD, NEW] = [issuerKey('old'), issuerKey('new')]

/** Client keys on an injected clock, and what they fetched. */
function clientKeys(...keys: IssuerKey[]) {
  const clock = { now: 1_800_000_000_000 }
  const documents = new Map<string, Record<string, unknown>>()
  const publish = (...published: IssuerKey[]) =>
    documents.set(JWKS_URI, { keys: published.map(({ jwk }) => jwk) })
  publish(...keys)
  const asked: string[] = []
  const get: GetDocument = async (url) => {
    asked.push(url)
    const document = documents.get(url)
    return document === undefined
      ? fetchFailure('network', 'could not be fetched')
      : { ok: true, document, headers: {} }
  }
  const client_keys = new ClientKeys({ registered: get, described: get }, () => clock.now)
  return { client_keys, clock, documents, publish, asked }
}

const record = (more: Record<string, string>) =>
  parseClient('rp', {
    is_public: 'true',
    redirect_uris: 'https://rp.example.com/cb',
    allowed_scopes: 'openid',
    grant_types: 'authorization_code',
    ...more,
  })

t.test('a record with keys that nobody may publish, or without keys, is malformed', async (t) => {
  t.ok(record({ jwks: keySetOf(OLD) }).ok)
  t.ok(record({ jwks_uri: JWKS_URI }).ok)
  const { d } = OLD.privateKey.export({ format: 'jwk' })
  const keys: unknown[] = [
    [{ ...OLD.jwk, d }],
    [NEW.jwk, { ...OLD.jwk, d }],
    [{ kty: 'oct', k: 'c2VjcmV0' }],
    [{ kty: 'oct' }],
    [{ ...OLD.jwk, priv: 'x' }],
    [],
    'x',
    [null],
    Array.from({ length: 21 }, () => OLD.jwk),
    [{ ...OLD.jwk, x5c: ['x'.repeat(17_000)] }],
  ]
  const refused = [...keys.map((value) => JSON.stringify({ keys: value })), '{}', '[]', 'x', 'null']
  for (const jwks of refused) {
    const found = record({ jwks })
    t.match(found, { ok: false, problems: [{ field: 'jwks' }] }, jwks.slice(0, 80))
  }
  const uris = [
    'http://rp.example.com/keys',
    'https://user:word@rp.example.com/keys',
    `${JWKS_URI}#part`,
    `${JWKS_URI}?${'x'.repeat(512)}`,
    'keys',
  ]
  for (const jwks_uri of uris) {
    t.match(record({ jwks_uri }), { ok: false, problems: [{ field: 'jwks_uri' }] }, jwks_uri.slice(0, 80))
  }
  const both = record({ jwks: keySetOf(OLD), jwks_uri: JWKS_URI })
  t.match(both, { ok: false, problems: [{ field: 'jwks', problem: 'and jwks_uri exclude each other' }] })
})

t.test('a key set at an address has at most as many keys as one in a record', async (t) => {
  const { client_keys, documents } = clientKeys()
  const imported = countImports(t)
  for (const [length, problem] of [
    [20, undefined],
    [21, /has more than 20 keys/],
  ] as const) {
    const uri = `${JWKS_URI}/${length}`
    documents.set(uri, { keys: Array.from({ length }, () => OLD.jwk) })
    const finding = client_keys.find({ jwks_uri: uri }, 'old', 'ES256')
    if (problem === undefined) t.match(await finding, { kid: 'old' })
    else await t.rejects(finding, { name: 'KeySetUnavailable', message: problem })
  }
  t.equal(imported(), 20)
})

t.test('only the client itself learns that its keys cannot be fetched', async (t) => {
  const { client_keys, clock, documents } = clientKeys(OLD)
  const ask = (holder: KeyHolder, isProved: boolean) => {
    const client = { client_id: 'web', ...holder }
    const found = client_keys.find(client, 'old', 'ES256')
    return findOwnKey(client, found, ({ kid }) => isProved && kid === 'old', 'no key')
  }
  const away = { problem: /could not be fetched/, away: { client_id: 'web', code: 'network' } }
  t.match(await ask(CLIENT, false), { kid: 'old' })
  documents.clear()
  clock.now += 3 * 3_600_000
  const unavailable = { code: 'temporarily_unavailable', status: 503 }
  await t.rejects(ask(CLIENT, true), unavailable, 'by the key that was fetched last')
  t.match(await ask(CLIENT, false), away, 'a stranger')
  t.match(await ask({ ...CLIENT, keys_refreshed_at: 'now' }, true), away, 'by a stolen key')
  t.match(await ask({ jwks_uri: `${JWKS_URI}/2` }, true), away, 'never fetched')
  t.strictSame(await ask({ jwks: keySetOf(NEW) }, true), { problem: 'no key' })
})

t.test('keys of a record are found by kid and alg, and nothing is fetched', async (t) => {
  const { client_keys, asked } = clientKeys()
  const client = { jwks: keySetOf(OLD, NEW) }
  t.equal((await client_keys.find(client, 'new', 'ES256'))?.kid, 'new')
  t.equal(await client_keys.find(client, 'new', 'RS256'), undefined)
  t.equal(await client_keys.find(client, undefined, 'ES256'), undefined, 'one of two')
  t.equal((await client_keys.find({ jwks: keySetOf(OLD) }, undefined, 'ES256'))?.kid, 'old')
  t.equal(await client_keys.find({}, 'old', 'ES256'), undefined, 'a client without keys')
  t.strictSame(asked, [])
})

t.test('an unknown kid causes one fetch a minute, however often it is sent', async (t) => {
  const { client_keys, clock, asked, publish } = clientKeys(OLD)
  await client_keys.find(CLIENT, 'old', 'ES256')
  publish(OLD, NEW)
  t.equal((await client_keys.find(CLIENT, 'new', 'ES256'))?.kid, 'new', 'whatever was fetched a moment ago')
  for (let i = 0; i < 50; i += 1) t.equal(await client_keys.find(CLIENT, `kid ${i}`, 'ES256'), undefined)
  t.strictSame(asked, [JWKS_URI, JWKS_URI])
  clock.now += 61_000
  for (let i = 0; i < 50; i += 1) await client_keys.find(CLIENT, `kid ${i}`, 'ES256')
  t.equal(asked.length, 3)
})

t.test('a refresh makes every replica fetch, and never use what it had', async (t) => {
  const { client_keys, asked, publish, documents } = clientKeys(OLD)
  await client_keys.find(CLIENT, 'old', 'ES256')
  publish(NEW)
  const refreshed = { ...CLIENT, keys_refreshed_at: '2026-11-22T08:00:00.000Z' }
  t.equal(await client_keys.find(refreshed, 'old', 'ES256'), undefined)
  t.equal((await client_keys.find(refreshed, 'new', 'ES256'))?.kid, 'new')
  t.strictSame(asked, [JWKS_URI, JWKS_URI], 'once, and without a fragment')
  documents.clear()
  const again = { ...CLIENT, keys_refreshed_at: '2026-11-22T09:00:00.000Z' }
  await t.rejects(client_keys.find(again, 'new', 'ES256'), KeySetUnavailable, 'not the old ones instead')
})

t.test('clients that described themselves do not use up the budget of others', async (t) => {
  const { client_keys, documents, asked } = clientKeys(OLD)
  const published = documents.get(JWKS_URI) ?? {}
  documents.clear()
  for (let i = 0; i < 20; i += 1)
    await t.rejects(client_keys.find(STRANGER, 'old', 'ES256'), KeySetUnavailable)
  t.equal(asked.length, 6, 'a host is asked six times a minute at most')
  documents.set(JWKS_URI, published)
  const { registered_at: _, ...described } = { ...STRANGER, document_host: 'rp.example.com' }
  await t.rejects(client_keys.find(described, 'old', 'ES256'), KeySetUnavailable, 'of a document, too')
  t.equal((await client_keys.find(CLIENT, 'old', 'ES256'))?.kid, 'old')
})

t.test('a published private key is no key, and one that is published later ends the others', async (t) => {
  const { client_keys, clock, documents } = clientKeys(OLD)
  await client_keys.find(CLIENT, 'old', 'ES256')
  documents.set(JWKS_URI, { keys: [OLD.jwk, { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' }] })
  clock.now += 61_000
  t.equal(await client_keys.find(CLIENT, 'other', 'ES256'), undefined)
  await t.rejects(client_keys.find(CLIENT, 'old', 'ES256'), /private or a symmetric key/)
})

t.test('a host that is slow, huge, private, rebound, redirects or is no JSON gives no keys', async (t) => {
  const keys = { keys: [OLD.jwk] }
  const host = await startDocumentHost(t, {
    '/good': json(keys, { 'content-type': 'application/jwk-set+json' }),
    '/huge': json({ ...keys, more: 'x'.repeat(70_000) }),
    '/moved': (response) => response.writeHead(302, { location: '/good' }).end(),
    '/slow': () => {},
    '/text': json('keys'),
    '/page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  })
  const find = (path: string, options: object = {}) => {
    const media_types = ['application/json', 'application/jwk-set+json']
    const where = { ...host.options, timeout: 300, media_types, max_bytes: 65_536, ...options }
    const get: GetDocument = (url) => getPublicly(url, where)
    const client_keys = new ClientKeys({ registered: get, described: get }, Date.now)
    return client_keys.find({ jwks_uri: host.origin + path }, 'old', 'ES256')
  }
  t.equal((await find('/good', { timeout: 5000 }))?.kid, 'old')
  for (const path of ['/huge', '/moved', '/slow', '/text', '/page', '/missing'])
    await t.rejects(find(path), KeySetUnavailable, path)
  const before = host.requests.length
  const unsafe = { allow_private: false }
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1']) {
    await t.rejects(find('/good', { ...unsafe, ...lookupOf(address) }), /not public/, address)
  }
  const mixed = lookupOf('93.184.216.34', '127.0.0.1')
  await t.rejects(find('/good', { ...unsafe, ...mixed }), /not public/, 'one of two addresses')
  t.strictSame(mixed.asked, ['rp.example.com'], 'what was looked up once is what is asked')
  t.equal(host.requests.length, before)
})
