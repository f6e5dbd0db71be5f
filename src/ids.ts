import { randomBytes } from 'node:crypto'

const GRANT_BYTES = 12
const SECRET_BYTES = 32
const TOKEN = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{43})$/

/** The parts of a code or token string. `grant` names the sign-in that it came of; `secret` proves possession. */
export interface TokenParts {
  grant: string
  secret: string
}

/** A new grant part: 96 random bits, 16 base64url characters, the Redis Cluster hash tag of all that comes of it. */
export function newGrantId(): string {
  return randomBytes(GRANT_BYTES).toString('base64url')
}

/** A new code or token string `<grant>.<secret>`: 60 characters, 256 random bits in the secret. */
export function newToken(grant: string): string {
  return `${grant}.${randomBytes(SECRET_BYTES).toString('base64url')}`
}

/** Takes a code or token string apart, or returns undefined where no such string was ever issued. */
export function parseToken(token: string): TokenParts | undefined {
  const match = TOKEN.exec(token)
  return match?.[1] && match[2] ? { grant: match[1], secret: match[2] } : undefined
}
