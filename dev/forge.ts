import { createHmac, type KeyObject } from 'node:crypto'
import type { SigningAlg } from '../src/core/algs.ts'
import { signJws } from '../src/keys/compact-jws.ts'

type Members = Readonly<Record<string, unknown>>

/** The content of a JWT; a member that is undefined is left out. */
export interface Jwt {
  readonly header: Members
  readonly claims: Members
}

/** What signs. */
export interface Signer {
  readonly alg: SigningAlg
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Returns the content of a JWT; undefined if it is none, or encrypted. */
export function readJwt(token: string): Jwt | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [header, claims] = parts.map((part) => Buffer.from(part, 'base64url').toString())
  try {
    return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
  } catch {
    return undefined
  }
}

/** Returns a JWT with exactly this content and a signature by a key, whatever the header says. */
export function signedBy({ alg, privateKey }: Pick<Signer, 'alg' | 'privateKey'>, jwt: Jwt): string {
  return signJws({ alg, privateKey }, inputOf(jwt))
}

/** Returns a JWT with exactly this content and these bytes for its signature. */
export const withSignature = (jwt: Jwt, signature: Uint8Array): string =>
  `${inputOf(jwt)}.${Buffer.from(signature).toString('base64url')}`

/** Returns an unsecured JWT (RFC 7519 §6). */
export const unsecured = ({ header, claims }: Jwt): string =>
  withSignature({ header: { ...header, alg: 'none', kid: undefined }, claims }, new Uint8Array())

/** Returns a JWT with exactly this content and a MAC for its signature. */
export const withMac = (secret: string, jwt: Jwt): string =>
  withSignature(jwt, createHmac('sha256', secret).update(inputOf(jwt)).digest())

/** Returns a JWT whose signature is a MAC with something public for its secret, and that says so. */
export const macBy = (secret: string, { header, claims }: Jwt): string =>
  withMac(secret, { header: { ...header, alg: 'HS256' }, claims })

/** Returns a JWT of the same content whose signature is wrong by one bit. */
export function withFlippedBit(token: string): string {
  const at = token.lastIndexOf('.') + 1
  const signature = Buffer.from(token.slice(at), 'base64url')
  const middle = signature.length >> 1
  signature[middle] = (signature[middle] ?? 0) ^ 1
  return token.slice(0, at) + signature.toString('base64url')
}

/** Returns a public key as text, as a library that takes any key for a secret reads it. */
export const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

const encode = (value: Members) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inputOf = ({ header, claims }: Jwt) => `${encode(header)}.${encode(claims)}`
