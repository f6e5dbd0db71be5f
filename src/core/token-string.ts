import { randomFillSync } from 'node:crypto'
import type { FamilyId, Sid } from './ids.ts'

const ID_BYTES = 12
const SECRET_BYTES = 32
const SHARED_LENGTH = 21
const FAMILY_LENGTH = 16
const LENGTH = 60
// With the length and the place of the dot, it says the same as counted repetitions, which take longer.
const TWO_PARTS = /^[\w-]+\.[\w-]+$/

/** The parts of a code or token string: `family` is the id of its family, `secret` proves possession. */
export interface TokenParts {
  family: FamilyId
  secret: string
}

// A call of the system's generator costs the same for 4 KiB as for 12 bytes. Each byte is used once.
const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/** Returns so many random bytes, at most 4096, in base64url. */
export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const text = pool.toString('base64url', used, used + bytes)
  used += bytes
  return text
}

/**
 * Returns a new id whose equality decides: 128 random bits, 22 base64url characters. Not that of `randomUUID`, which Node
 * takes from a store that a start-up snapshot keeps.
 */
export function newId(): string {
  return randomText(16)
}

/** Returns a new family id: 96 random bits, 16 base64url characters, the Redis Cluster hash tag of its family. */
export function newFamilyId(): FamilyId {
  return randomText(ID_BYTES)
}

/** Returns a new sid: 96 random bits, 16 base64url characters. */
export function newSid(): Sid {
  return randomText(ID_BYTES)
}

/** Returns a new code or token string `<family id>.<secret>`: 60 characters, 256 random bits in the secret. */
export function newToken(family: FamilyId): string {
  return `${family}.${randomText(SECRET_BYTES)}`
}

/**
 * Returns the successor of a refresh token. It shares the first 21 characters of the secret with all refresh tokens of
 * its family; the other 22 are the last of `text`, and have 130 bits.
 * @param text 256 bits in base64url
 * @throws TypeError if the token is malformed
 */
export function successorWith(token: string, text: string): string {
  const parts = parseToken(token)
  if (parts === undefined) throw new TypeError('not a code or token string')
  return `${parts.family}.${sharedPart(parts)}${text.slice(SHARED_LENGTH)}`
}

/** Returns the part of the secret that all refresh tokens of a family share: 126 random bits. */
export function sharedPart({ secret }: TokenParts): string {
  return secret.slice(0, SHARED_LENGTH)
}

/** Whether a string has the form of an opaque token, and so cannot be a JWT. */
export function isOpaqueToken(token: string): boolean {
  return token.length === LENGTH && token[FAMILY_LENGTH] === '.' && TWO_PARTS.test(token)
}

/** Returns the family of a string that is known to have the form of a code or token. */
export function familyIn(token: string): FamilyId {
  return token.slice(0, FAMILY_LENGTH)
}

/** Parses a code or token string. Returns undefined if it does not have that form. */
export function parseToken(token: string): TokenParts | undefined {
  if (!isOpaqueToken(token)) return undefined
  return { family: familyIn(token), secret: token.slice(FAMILY_LENGTH + 1) }
}
