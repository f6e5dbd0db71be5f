// The key sets of trusted issuers: how often they are fetched, what is taken from them, and from where.

import t from 'tap'
import { KeySets } from '../../../../src/issuers/key-sets.ts'
import { KeySetUnavailable } from '../../../../src/keys/published-keys.ts'
import { fetchFailure, type GetDocument, getPublicly } from '../../../../src/outbound/public-get.ts'
import { json, lookupOf, startDocumentHost } from '../../../support/outbound/document-host.ts'
import { type IssuerKey, issuerKey } from '../../../support/trusted-issuer.ts'

const ISSUER = 'https://idp.example.com'
const JWKS_URI = `${ISSUER}/keys`
const SOURCE = { issuer: ISSUER, jwks_uri: JWKS_URI }
const [OLD, NEW] = [issuerKey('old'), issuerKey('new')]

/** Key sets on an injected clock, and what they fetched. */
function keySets(...keys: IssuerKey[]) {
  const clock = { now: 1_800_000_000_000 }
  const documents: Record<string, Record<string, unknown> | undefined> = {}
  const publish = (...published: IssuerKey[]) => {
    documents[JWKS_URI] = { keys: published.map(({ jwk }) => jwk) }
  }
  publish(...keys)
  const asked: string[] = []
  const get: GetDocument = async (url) => {
    asked.push(url)
    const document = documents[url]
    return document === undefined
      ? fetchFailure('network', 'could not be fetched')
      : { ok: true, document, headers: {} }
  }
  return { sets: new KeySets(get, () => clock.now), clock, documents, publish, asked }
}

t.test('a key set is fetched once, and again in the background', async (t) => {
  const { sets, clock, asked, publish } = keySets(OLD)
  const found = await Promise.all([1, 2, 3].map(() => sets.find(SOURCE, 'old', 'ES256')))
  t.ok(found.every((key) => key?.kid === 'old'))
  t.strictSame(asked, [JWKS_URI], 'concurrent requests ask once')
  await sets.find(SOURCE, 'old', 'ES256')
  t.equal(asked.length, 1, 'while it is fresh')
  publish(NEW)
  clock.now += 601_000
  t.equal((await sets.find(SOURCE, 'old', 'ES256'))?.kid, 'old', 'the answer does not wait')
  t.equal(asked.length, 2)
  t.equal(await sets.find(SOURCE, 'old', 'ES256'), undefined, 'a withdrawn key verifies nothing any more')
})

t.test('an unknown key is looked for once, and then not for a minute', async (t) => {
  const { sets, clock, asked, publish } = keySets(OLD)
  t.equal(await sets.find(SOURCE, 'new', 'ES256'), undefined)
  t.equal(asked.length, 1, 'what was fetched for it is not fetched once more')
  publish(OLD, NEW)
  t.equal((await sets.find(SOURCE, 'new', 'ES256'))?.kid, 'new', 'whatever was fetched a moment ago')
  t.equal(asked.length, 2)
  for (let i = 0; i < 50; i += 1) t.equal(await sets.find(SOURCE, `kid ${i}`, 'ES256'), undefined)
  t.equal(asked.length, 2, 'a flood of unknown keys')
  clock.now += 61_000
  await sets.find(SOURCE, 'unknown', 'ES256')
  t.equal(asked.length, 3)
})

t.test('while an issuer is away its keys are used for a time, and are never guessed', async (t) => {
  const { sets, clock, documents, asked } = keySets(OLD)
  await sets.find(SOURCE, 'old', 'ES256')
  documents[JWKS_URI] = undefined
  clock.now += 700_000
  t.equal((await sets.find(SOURCE, 'old', 'ES256'))?.kid, 'old')
  clock.now += 2 * 3_600_000
  await t.rejects(sets.find(SOURCE, 'old', 'ES256'), KeySetUnavailable)
  const before = asked.length
  for (let i = 0; i < 20; i += 1) await t.rejects(sets.find(SOURCE, 'old', 'ES256'), KeySetUnavailable)
  t.ok(asked.length - before <= 6, 'a host is asked six times a minute at most')
})

t.test('discovery finds the key set, and only of the issuer itself', async (t) => {
  const { sets, documents, asked, clock } = keySets(OLD)
  const at = `${ISSUER}/.well-known/openid-configuration`
  documents[at] = { issuer: ISSUER, jwks_uri: JWKS_URI }
  t.equal((await sets.find({ issuer: ISSUER }, 'old', 'ES256'))?.kid, 'old')
  t.strictSame(asked, [at, JWKS_URI])
  const wrong = [
    { issuer: 'https://evil.example.com', jwks_uri: JWKS_URI },
    { issuer: ISSUER, jwks_uri: 'http://idp.example.com/keys' },
    { issuer: ISSUER },
  ]
  for (const document of wrong) {
    const other = keySets(OLD)
    other.documents[at] = document
    await t.rejects(other.sets.find({ issuer: ISSUER }, 'old', 'ES256'), KeySetUnavailable)
    t.notOk(other.asked.includes(JWKS_URI))
  }
  clock.now += 1
})

t.test('which keys of a set verify', async (t) => {
  const rsa = issuerKey('rsa', 'RS256')
  const { alg: _, use: __, ...plain } = rsa.jwk
  const find = async (keys: unknown, kid: string | undefined, alg: 'ES256' | 'RS256' | 'PS256' | 'EdDSA') =>
    new KeySets(async () => ({ ok: true, document: { keys }, headers: {} }), Date.now).find(SOURCE, kid, alg)
  t.ok(await find([plain], 'rsa', 'RS256'))
  t.ok(await find([plain], 'rsa', 'PS256'), 'a key without alg fits both')
  t.notOk(await find([rsa.jwk], 'rsa', 'PS256'), 'a key with alg fits only that')
  t.notOk(await find([plain], 'rsa', 'ES256'))
  t.ok(await find([{ ...plain, use: 'jwt-svid' }], 'rsa', 'RS256'), 'SPIFFE')
  t.ok(await find([OLD.jwk], undefined, 'ES256'), 'the only one, without kid')
  t.notOk(await find([OLD.jwk, NEW.jwk], undefined, 'ES256'), 'one of two, without kid')
  const { kid: ___, ...nameless } = OLD.jwk
  t.notOk(await find([nameless], '', 'ES256'), 'a key without a name has none')
  const secret = { kty: 'oct', k: Buffer.alloc(32).toString('base64url'), kid: 'oct' }
  const useless = [
    { ...plain, use: 'enc' },
    { ...plain, key_ops: ['encrypt'] },
    { ...plain, n: 'AQAB' },
    { ...OLD.jwk, crv: 'P-384' },
    secret,
    'x',
    null,
  ]
  for (const jwk of useless) await t.rejects(find([jwk], 'rsa', 'RS256'), KeySetUnavailable)
  for (const keys of [undefined, {}, [], Array.from({ length: 101 }, () => OLD.jwk)]) {
    await t.rejects(find(keys, 'old', 'ES256'), KeySetUnavailable)
  }
})

t.test('a host that is slow, huge, private or redirects gives no keys', async (t) => {
  const keys = { keys: [OLD.jwk] }
  const host = await startDocumentHost(t, {
    '/good': json(keys, { 'content-type': 'application/jwk-set+json' }),
    '/huge': json({ ...keys, more: 'x'.repeat(70_000) }),
    '/moved': (response) => response.writeHead(302, { location: '/good' }).end(),
    '/slow': () => {},
    '/page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  })
  const find = (path: string, options: object = {}) => {
    const media_types = ['application/json', 'application/jwk-set+json']
    const where = { ...host.options, timeout: 300, media_types, max_bytes: 65_536, ...options }
    const sets = new KeySets((url) => getPublicly(url, where), Date.now)
    return sets.find({ issuer: ISSUER, jwks_uri: host.origin + path }, 'old', 'ES256')
  }
  t.equal((await find('/good', { timeout: 5000 }))?.kid, 'old')
  for (const path of ['/huge', '/moved', '/slow', '/page', '/missing'])
    await t.rejects(find(path), KeySetUnavailable)
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1']) {
    const { lookup } = lookupOf(address)
    await t.rejects(find('/good', { allow_private: false, lookup }), /not public/, address)
  }
})
