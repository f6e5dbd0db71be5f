// Checks of an id_token or access token, each of which can be left out: what is planted is found by name.
import { createHmac, createPublicKey, hash, type JsonWebKey, verify } from 'node:crypto'

export type Json = Record<string, unknown>
export type PublishedKey = JsonWebKey & { kid?: string; alg?: string }

/** What is left out, or wrong. */
export type Faults = ReadonlySet<string>

/** The parts of a JWT. */
export interface Parts {
  readonly header: Json
  readonly claims: Json
  readonly input: string
  readonly signature: Buffer
}

export const now = () => Math.floor(Date.now() / 1000)

/** @throws Error with what is wrong */
export function assert(is_right: boolean, what: string): void {
  if (!is_right) throw new Error(what)
}

/** Returns the parts of a JWT. @throws Error if it is none */
export function partsOf(token: string): Parts {
  const parts = token.split('.')
  const [header = '', claims = '', signature = ''] = parts
  assert(parts.length === 3, 'not a JWT')
  const parse = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Json
  return {
    header: parse(header),
    claims: parse(claims),
    input: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

const TYPES: Readonly<Record<string, string>> = { RS256: 'RSA', ES256: 'EC' }

/** Whether a key has this signature. */
export function isSignedBy({ header, input, signature }: Parts, jwk: PublishedKey): boolean {
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  if (TYPES[String(header.alg)] !== jwk.kty) return false
  return verify('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** Whether a MAC is one that anybody can make of a public key. */
export function isMacOfPublicKey({ input, signature }: Parts, keys: readonly PublishedKey[]): boolean {
  return keys.some((jwk) => {
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    return createHmac('sha256', pem).update(input).digest().equals(signature)
  })
}

/** Returns the at_hash of an access token. */
export function accessTokenHash(access_token: string): string {
  return hash('sha256', access_token, 'buffer').subarray(0, 16).toString('base64url')
}
