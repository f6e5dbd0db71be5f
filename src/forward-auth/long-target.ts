import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { s256Challenge } from '../tokens/pkce.ts'

/** A longer target does not fit into the state of an authorization request: the browser keeps it. */
export const MAX_IN_STATE = 1024

// RFC 6265 §6.1: browsers keep 4096 bytes of a cookie, its name and attributes included.
const COOKIE_LENGTH = 3600
const MAX_INFLATED = 8192

/** How many cookies a target takes at most. */
export const TARGET_COOKIES = 3

/** What the state says of a target that is elsewhere. */
export const digestOf = s256Challenge

/** Returns a long target as values of cookies: smaller, because proxies bound what all cookies have. */
export function packTarget(target: string): string[] {
  const packed = deflateRawSync(target).toString('base64url')
  const parts = Math.ceil(packed.length / COOKIE_LENGTH)
  return Array.from({ length: parts }, (_, i) => packed.slice(i * COOKIE_LENGTH, (i + 1) * COOKIE_LENGTH))
}

/** Returns the target in cookies; undefined unless it is the one with the digest. */
export function unpackTarget(parts: readonly string[], digest: string): string | undefined {
  try {
    const packed = Buffer.from(parts.join(''), 'base64url')
    const target = inflateRawSync(packed, { maxOutputLength: MAX_INFLATED }).toString('latin1')
    return digestOf(target) === digest ? target : undefined
  } catch {
    return undefined
  }
}
