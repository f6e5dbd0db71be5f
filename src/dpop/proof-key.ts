import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { SigningAlg } from '../core/algs.ts'
import { atMost } from '../core/at-most.ts'
import { isObject } from '../core/json.ts'
import { readVerificationKey, type VerificationKey } from '../keys/verification-key.ts'

/** The key of a proof; its `kid` is its thumbprint. Or the reason why it cannot be one. */
export type ProofKey =
  | { readonly ok: true; readonly key: VerificationKey }
  | { readonly ok: false; readonly reason: string }

/** The members of a JWK that make its thumbprint, in their order (RFC 7638 §3.2, RFC 8037 §2). */
const MEMBERS = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
} as const

// RFC 7518 §6.2.2, §6.3.2 and §6.4.1.
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

// In bytes. A larger modulus or exponent makes verification cost as much as the sender likes.
const MAX_MODULUS = 512
const MAX_EXPONENT = 4

// To import a P-256 key costs more than to verify a signature (80 and 70 µs). About 5 MB of memory.
const verified = new LRUCache<string, VerificationKey>(atMost(2000))

// 32 bytes: the last character has four bits of them.
const THUMBPRINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

const refused = (reason: string): ProofKey => ({ ok: false, reason })

/** Reads the `jwk` of a proof (RFC 9449 §4.2). */
export function readProofKey(alg: SigningAlg, jwk: unknown): ProofKey {
  if (!isObject(jwk)) return refused('its jwk is not a JSON object')
  // RFC 9449 §4.3.
  const secret = PRIVATE.find((name) => Object.hasOwn(jwk, name))
  if (secret !== undefined) return refused(`its jwk has the private member ${secret}`)
  const members = requiredMembers(jwk)
  if (members === undefined || !isCanonical(members)) return refused(`its jwk is not a public key for ${alg}`)
  if (isCostly(members)) return refused('its jwk has an RSA modulus or exponent that is too large')
  const jkt = hash('sha256', JSON.stringify(members), 'base64url')
  const key = verified.get(idOf(alg, jkt)) ?? readVerificationKey(jkt, alg, members)
  return key === undefined ? refused(`its jwk is not a public key for ${alg}`) : { ok: true, key }
}

/** Whether a string can be the SHA-256 thumbprint of a key (RFC 7638 §3). */
export function isJwkThumbprint(text: string): boolean {
  return THUMBPRINT.test(text)
}

/** Keeps a key that verified a signature, so that it is not imported again. */
export function keepProofKey(key: VerificationKey): void {
  verified.set(idOf(key.alg, key.kid), key)
}

const idOf = (alg: SigningAlg, jkt: string) => `${alg} ${jkt}`

/** Returns what the thumbprint of a JWK is made of, in the order of RFC 7638 §3.3. */
function requiredMembers(jwk: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const { kty } = jwk
  if (kty !== 'EC' && kty !== 'OKP' && kty !== 'RSA') return undefined
  const members: Record<string, string> = {}
  for (const name of MEMBERS[kty]) {
    const value = Object.hasOwn(jwk, name) ? jwk[name] : undefined
    if (typeof value !== 'string') return undefined
    members[name] = value
  }
  return members
}

// A key has one thumbprint: the decoder of keys also accepts other spellings of the same number.
function isCanonical({ x, y, n, e }: Readonly<Record<string, string>>): boolean {
  for (const text of [x, y, n, e]) {
    if (text !== undefined && bytesOf(text).toString('base64url') !== text) return false
  }
  // RFC 7518 §6.2.1.2 and §6.2.1.3: the full size of a coordinate of P-256. RFC 8037 §2: so of Ed25519.
  for (const text of [x, y]) {
    if (text !== undefined && bytesOf(text).length !== 32) return false
  }
  // RFC 7518 §2: no leading zeros.
  for (const text of [n, e]) {
    if (text !== undefined && (bytesOf(text)[0] ?? 0) === 0) return false
  }
  return true
}

function isCostly({ n, e }: Readonly<Record<string, string>>): boolean {
  return (
    n !== undefined &&
    e !== undefined &&
    (bytesOf(n).length > MAX_MODULUS || bytesOf(e).length > MAX_EXPONENT)
  )
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')
