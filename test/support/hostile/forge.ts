import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { JWK } from 'jose'
import type { Test } from 'tap'
import type { SigningAlg } from '../../../src/core/algs.ts'
import { parseSigningKeys } from '../../../src/keys/key-record.ts'
import { bearer, ISSUER } from '../service.ts'
import { each, type Siege } from './siege.ts'

export interface Key {
  kid: string
  alg: SigningAlg
  jwk: JWK
  privateKey: KeyObject
  publicKey: KeyObject
}

type Json = Record<string, unknown>

/** The parts of a token: JSON text or an object for header and payload, and the signing function. */
export interface Recipe {
  header?: Json | string
  payload?: Json | string | Buffer
  /** Signs the input; default: the real key for the algorithm in the header. */
  signature?: (input: Buffer) => Buffer | string
}

/**
 * The real keys of a service, the four current ones first. Asserts that a token signed by each is accepted, so
 * that a later refusal is caused by what was changed.
 */
export async function stolenKeys(t: Test, service: Siege): Promise<Key[]> {
  const keys = await readKeys(service)
  await each(t, 'a token signed by each real key is accepted', keys, async (key) => {
    const { status, body } = await service.send({ url: '/api/resource', headers: bearer(forge(key)) })
    return status === 200 && body.includes('alice') ? [] : [`${status} ${body}`]
  })
  return keys
}

/**
 * The errors in responses to bad tokens: none if each is 401 with a challenge. The API and userinfo
 * share their guard, so one token is enough to test the second endpoint.
 */
export async function tokenFaults(service: Siege, ...tokens: string[]): Promise<string[]> {
  const doors = tokens.map((token) => ({ url: '/api/resource', token }))
  const attempts = [...doors, ...tokens.slice(0, 1).map((token) => ({ url: '/userinfo', token }))]
  const found = []
  for (const { url, token } of attempts) {
    const { status, headers, body } = await service.send({ url, headers: bearer(token) })
    const challenged = String(headers['www-authenticate']).startsWith('Bearer realm="redmint"')
    if (status !== 401 || !challenged || body.includes('alice')) found.push(`${url}: ${status} ${body}`)
  }
  return found
}

/** The same token, signed by each current key. */
export const byEveryKey = (keys: readonly Key[], recipe: (key: Key) => Recipe): string[] =>
  keys.slice(0, 4).map((key) => forge(key, recipe(key)))

async function readKeys(service: Siege): Promise<Key[]> {
  const records = parseSigningKeys(await service.storage.signing_keys.read())
  const order = ['current', 'next', 'retired']
  return records
    .sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
    .map(({ kid, alg, public_jwk, private_jwk }) => ({
      kid,
      alg,
      jwk: public_jwk,
      privateKey: createPrivateKey({ key: { ...private_jwk }, format: 'jwk' }),
      publicKey: createPublicKey({ key: { ...public_jwk }, format: 'jwk' }),
    }))
}

export const keyFor = (keys: readonly Key[], alg: SigningAlg): Key => {
  const key = keys.find((candidate) => candidate.alg === alg)
  if (key === undefined) throw new Error(`no key for ${alg}`)
  return key
}

/** The claims of a valid access token for alice. */
export function rightClaims(overrides: Json = {}): Json {
  const iat = Math.floor(Date.now() / 1000)
  const who = { iss: ISSUER, sub: 'alice', aud: ISSUER, client_id: 'app', scope: 'openid api.read' }
  const claims: Json = { ...who, jti: 'AAAAAAAAAAAAAAAA.jti', iat, exp: iat + 900, ...overrides }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

/** A compact token; without a recipe a valid one, signed by `key`. */
export function forge(
  key: Key,
  { header, payload, signature = signer(key.alg, key.privateKey) }: Recipe = {},
) {
  const head = encode(header ?? rightHeader(key))
  const input = `${head}.${encode(payload ?? rightClaims())}`
  return `${input}.${Buffer.from(signature(Buffer.from(input))).toString('base64url')}`
}

export const rightHeader = ({ alg, kid }: Pick<Key, 'alg' | 'kid'>, overrides: Json = {}): Json => ({
  alg,
  kid,
  typ: 'at+jwt',
  ...overrides,
})

export function encode(part: Json | string | Buffer): string {
  const bytes = typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)
  return Buffer.from(bytes as string).toString('base64url')
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING }

/** Signs with the algorithm and any key. */
export function signer(alg: string, key: KeyObject): (input: Buffer) => Buffer {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('RS')) return (input) => sign(hash, input, key)
  if (alg.startsWith('PS'))
    return (input) => sign(hash, input, { key, ...PSS, saltLength: Number(alg.slice(2)) / 8 })
  if (alg.startsWith('ES')) return (input) => sign(hash, input, { key, dsaEncoding: 'ieee-p1363' })
  return (input) => sign(null, input, key)
}

/** Signs with a shared secret: HS256, HS384 or HS512. */
export const hmac = (alg: string, secret: string | Buffer) => (input: Buffer) =>
  createHmac(`sha${alg.slice(2)}`, secret)
    .update(input)
    .digest()

/** Keys of the attacker, one for each algorithm. */
export function attackersKeys(): Key[] {
  const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pairs = {
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    RS256: rsa(),
    PS256: rsa(),
    EdDSA: generateKeyPairSync('ed25519'),
  }
  return Object.entries(pairs).map(([alg, { publicKey, privateKey }]) => ({
    kid: 'evil',
    alg: alg as SigningAlg,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'evil', alg, use: 'sig' } as JWK,
    privateKey,
    publicKey,
  }))
}
