// An issuer whose assertions a service trusts: its keys, its record and the JWTs that it signs.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SigningAlg } from '../../src/core/algs.ts'
import { ISSUER as KIND } from '../../src/issuers/issuer-kind.ts'
import { formatIssuer, type IssuerDefinition } from '../../src/issuers/issuer-record.ts'
import { signJws } from '../../src/keys/compact-jws.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { ISSUER, type Service } from './service.ts'
import { until } from './until.ts'

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const CLIENT_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export type Claims = Record<string, unknown>

/** A key of an issuer. */
export interface IssuerKey {
  readonly kid: string
  readonly alg: SigningAlg
  readonly privateKey: KeyObject
  readonly jwk: Record<string, unknown>
}

const MAKE = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

/** Makes a key. */
export function issuerKey(kid: string = randomUUID(), alg: SigningAlg = 'ES256'): IssuerKey {
  const { privateKey, publicKey } = MAKE[alg]()
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } }
}

/** Returns the key set of an issuer as JSON. */
export const keySetOf = (...keys: IssuerKey[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Returns a JWT with these claims; members of `header` that are undefined are left out. */
export function assertionOf(key: IssuerKey, claims: Claims | string, header: Claims = {}): string {
  const full = { alg: key.alg, kid: key.kid, typ: 'JWT', ...header }
  return signJws(key, `${encode(full)}.${encode(claims)}`)
}

/** Returns the claims of an assertion that is made now for the test service; overrides with undefined leave one out. */
export function claimsOf(iss: string, sub: string, overrides: Claims = {}): Claims {
  const iat = Math.floor(Date.now() / 1000)
  return { iss, sub, aud: ISSUER, iat, exp: iat + 120, jti: randomUUID(), ...overrides }
}

/** Writes the record of an issuer, with its keys by value unless the record says where they are. */
export async function trust(
  { records }: RecordStore,
  key: IssuerKey,
  definition: IssuerDefinition,
): Promise<void> {
  const given = definition.jwks_uri === undefined ? { jwks: keySetOf(key) } : {}
  const hash = formatIssuer({ ...given, ...definition })
  await records.put({ kind: KIND, id: definition.issuer, hash })
}

/** Writes the record of an issuer, and waits until a service uses it. */
export async function trustAt(service: Service, key: IssuerKey, definition: IssuerDefinition): Promise<void> {
  await trust(service.storage, key, definition)
  const found = (await service.storage.records.read(KIND, definition.issuer))?.hash
  const { issuers } = service.fastify.redmint
  await until('the service uses the record', async () => {
    const used = await issuers.find(definition.issuer)
    const isDisabled = found?.disabled === 'true'
    return isDisabled ? used === undefined : isDeepStrictEqual(used && formatIssuer(used), { ...found })
  })
}
