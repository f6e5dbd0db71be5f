// The keys of clients that answers are encrypted to: which of a key set, and how often and from where they are fetched.

import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import type { NamedKeyHolder } from '../../../../../src/clients/keys/client-keys.ts'
import { EncryptionKeys } from '../../../../../src/clients/keys/encryption-keys.ts'
import { readEncryptionKeys } from '../../../../../src/keys/encryption-key.ts'
import { fetchFailure, type GetDocument } from '../../../../../src/outbound/public-get.ts'
import { decryptionKey, keySetWith, publicJwk } from '../../../../support/encryption-key.ts'
import { countImports } from '../../../../support/keys/count-imports.ts'

const JWKS_URI = 'https://rp.example.com/keys'
const CLIENT: NamedKeyHolder = { client_id: 'web', jwks_uri: JWKS_URI }
const EC = decryptionKey('ec')
const NEXT = decryptionKey('next')
const RSA = decryptionKey('rsa', 'RSA-OAEP-256')

/** Encryption keys on an injected clock, and what they fetched. */
function encryptionKeys() {
  const clock = { now: 1_800_000_000_000 }
  const documents = new Map<string, Record<string, unknown>>()
  const asked: string[] = []
  const get =
    (as: string): GetDocument =>
    async (url) => {
      asked.push(`${as} ${url}`)
      const document = documents.get(url)
      return document === undefined
        ? fetchFailure('network', 'could not be fetched')
        : { ok: true, document, headers: {} }
    }
  const fetching = { registered: get('registered'), described: get('described') }
  const keys = new EncryptionKeys(fetching, () => clock.now)
  return {
    keys,
    clock,
    asked,
    publish: (document: object) => documents.set(JWKS_URI, { ...document }),
    documents,
  }
}

const UNAVAILABLE = { code: 'temporarily_unavailable', status: 503 }
const NO_KEY = { code: 'invalid_client_metadata', status: 400, description: /"use" "enc"/ }

t.test('only keys for encryption are encrypted to', async (t) => {
  const make = (name: string) => publicJwk(generateKeyPairSync('ec', { namedCurve: name }).privateKey)
  const x25519 = publicJwk(generateKeyPairSync('x25519').privateKey)
  const ed25519 = publicJwk(generateKeyPairSync('ed25519').privateKey)
  const short = publicJwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
  const { alg: _, ...ec } = EC.jwk
  const { alg: __, ...rsa } = RSA.jwk
  const even = Buffer.from(String(rsa.n), 'base64url')
  even[even.length - 1] = 0
  // RFC 7748 §6.1: 0, 1, two points of order 8, p - 1, p and p + 1.
  const small_order = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    // The highest bit does not count (§5).
    '0000000000000000000000000000000000000000000000000000000000000080',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880',
  ]
  const cases: [string, unknown, string[]][] = [
    ['with alg', EC.jwk, ['ECDH-ES']],
    ['without alg', ec, ['ECDH-ES']],
    ['P-384, which is slow', { ...make('P-384'), use: 'enc' }, []],
    ['P-521, which is slow', { ...make('P-521'), use: 'enc' }, []],
    ['X25519', { ...x25519, use: 'enc' }, ['ECDH-ES']],
    ['RSA', rsa, ['RSA-OAEP-256']],
    ['secp256k1', { ...make('secp256k1'), use: 'enc' }, []],
    ['Ed25519', { ...ed25519, use: 'enc' }, []],
    ['a short RSA key', { ...short, use: 'enc' }, []],
    ['without use', { ...ec, use: undefined }, []],
    ['use sig', { ...ec, use: 'sig' }, []],
    ['another alg', { ...EC.jwk, alg: 'ECDH-ES+A256KW' }, []],
    ['an alg that does not fit', { ...EC.jwk, alg: 'RSA-OAEP-256' }, []],
    ['a signature alg', { ...EC.jwk, alg: 'ES256' }, []],
    ['half a point', { ...ec, x: 'AAAA' }, []],
    ['a point that is not on the curve', { ...ec, x: ec.y, y: ec.x }, []],
    ['RSA with the exponent 1', { ...rsa, e: 'AQ' }, []],
    ['RSA with an even exponent', { ...rsa, e: 'AQAA' }, []],
    ['RSA with an even modulus', { ...rsa, n: even.toString('base64url') }, []],
    ...small_order.map((x): [string, unknown, string[]] => [
      `X25519 of small order, ${x}`,
      { kty: 'OKP', crv: 'X25519', x: Buffer.from(x, 'hex').toString('base64url'), use: 'enc' },
      [],
    ]),
    ['no key', 'x', []],
    ['null', null, []],
  ]
  for (const [name, jwk, algs] of cases) {
    t.same(
      readEncryptionKeys({ keys: [jwk] }).map(({ alg }) => alg),
      algs,
      name,
    )
  }
  t.same(readEncryptionKeys({}), [])
  t.same(readEncryptionKeys({ keys: 'x' }), [])
})

t.test('of a huge key set only the first keys for encryption are imported', async (t) => {
  const imported = countImports(t)
  const others = Array.from({ length: 500 }, () => ({ ...RSA.jwk, use: 'sig' }))
  const off_curve = { ...EC.jwk, x: EC.jwk.y, y: EC.jwk.x }
  t.same(readEncryptionKeys({ keys: [...others, ...Array(20).fill(off_curve), EC.jwk] }), [])
  t.equal(imported(), 20)
})

t.test('one key for each algorithm is imported, and none that is slow', async (t) => {
  const slow = ['P-384', 'P-521'].map((name) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: name })
    return { ...publicKey.export({ format: 'jwk' }), use: 'enc' }
  })
  const imported = countImports(t)
  const keys = [...slow, RSA.jwk, ...Array(5).fill(EC.jwk), RSA.jwk]
  t.same(
    readEncryptionKeys({ keys }).map(({ kid }) => kid),
    ['rsa', 'ec'],
  )
  t.equal(imported(), 2)
})

t.test('the first key for the algorithm is used', async (t) => {
  const { keys } = encryptionKeys()
  const client = { client_id: 'web', jwks: keySetWith(RSA, NEXT, EC) }
  t.equal((await keys.demand(client, 'ECDH-ES')).kid, 'next')
  t.equal((await keys.demand(client, 'RSA-OAEP-256')).kid, 'rsa')
  await t.rejects(keys.demand({ client_id: 'web', jwks: keySetWith(EC) }, 'RSA-OAEP-256'), NO_KEY)
  await t.rejects(keys.demand({ client_id: 'web' }, 'ECDH-ES'), NO_KEY)
})

t.test('keys at an address are fetched, and again when they are not fresh or one is missing', async (t) => {
  const { keys, clock, asked, publish, documents } = encryptionKeys()
  await t.rejects(keys.demand(CLIENT, 'ECDH-ES'), UNAVAILABLE)
  publish({ keys: [EC.jwk] })
  t.equal((await keys.demand(CLIENT, 'ECDH-ES')).kid, 'ec')
  await keys.demand(CLIENT, 'ECDH-ES')
  t.equal(asked.length, 2, 'the second one was kept')
  await t.rejects(keys.demand(CLIENT, 'RSA-OAEP-256'), NO_KEY)
  await t.rejects(keys.demand(CLIENT, 'RSA-OAEP-256'), NO_KEY)
  t.equal(asked.length, 3, 'looked for once')
  publish({ keys: [NEXT.jwk, RSA.jwk] })
  clock.now += 61_000
  t.equal((await keys.demand(CLIENT, 'RSA-OAEP-256')).kid, 'rsa')
  t.equal((await keys.demand(CLIENT, 'ECDH-ES')).kid, 'next')
  t.equal(asked.length, 4)
  publish({ keys: [EC.jwk] })
  clock.now += 600_000
  t.equal((await keys.demand(CLIENT, 'ECDH-ES')).kid, 'ec', 'the withdrawn key is not used once more')
  publish({ keys: [NEXT.jwk] })
  const refreshed = { ...CLIENT, keys_refreshed_at: '2026-11-22T08:00:00.000Z' }
  t.equal((await keys.demand(refreshed, 'ECDH-ES')).kid, 'next', 'an operator had them fetched')
  documents.clear()
  clock.now += 601_000
  t.equal((await keys.demand(refreshed, 'ECDH-ES')).kid, 'next', 'for an hour without the address')
  clock.now += 3_600_000
  await t.rejects(keys.demand(refreshed, 'ECDH-ES'), UNAVAILABLE)
})

t.test('a key set with a private key is not used', async (t) => {
  const { keys, publish } = encryptionKeys()
  const { d } = EC.privateKey.export({ format: 'jwk' })
  for (const jwk of [
    { ...EC.jwk, d },
    { kty: 'oct', k: 'c2VjcmV0' },
  ]) {
    publish({ keys: [NEXT.jwk, jwk] })
    await t.rejects(keys.demand(CLIENT, 'ECDH-ES'), UNAVAILABLE)
  }
})

t.test('clients that described themselves are asked for apart from others', async (t) => {
  const { keys, asked, publish } = encryptionKeys()
  publish({ keys: [EC.jwk] })
  await keys.demand({ ...CLIENT, registered_at: '2026-11-22T08:00:00.000Z' }, 'ECDH-ES')
  await keys.demand({ ...CLIENT, document_host: 'rp.example.com' }, 'ECDH-ES')
  await keys.demand(CLIENT, 'ECDH-ES')
  t.same(asked, [`described ${JWKS_URI}`, `registered ${JWKS_URI}`])
})
