import type { AccessTokenFormat } from '../config/environment.ts'
import { hmacSha256 } from '../core/hkdf.ts'
import { parseToken, randomText, successorWith } from '../core/token-string.ts'
import type { Spending } from '../storage/families.ts'
import type { StatusBit } from '../storage/noted-jwts.ts'

// A refresh derives its tokens from the presented token and the id of its operation. Who presents a spent token again gets
// the operation from its grant record, and so the same tokens. Neither the token nor the record yields them alone.

/** How an access token was issued. */
export interface Issued {
  format: AccessTokenFormat
  /** The opaque access token, or the jti of the JWT. */
  jti: string
  /** Seconds since 1970. */
  issued_at: number
  /** The lifetime in seconds. */
  access_token_ttl: number
  /** Where the status of the JWT is; absent: in no list. */
  status?: StatusBit
}

/** The tokens that a refresh answers with. */
export interface RefreshedTokens {
  refresh_token: string
  issued: Issued
}

/** Returns the id of a new operation: 128 random bits, 22 base64url characters. It is secret, as it yields tokens. */
export function newOperation(): string {
  return randomText(16)
}

/** Returns the successor of a refresh token. @throws TypeError if the token is malformed */
export function derivedSuccessor(presented: string, operation: string): string {
  return successorWith(presented, derivedText(presented, 'successor', operation))
}

/** Returns the opaque access token, or the jti of the JWT. @throws TypeError if the token is malformed */
export function derivedJti(presented: string, operation: string): string {
  const family = parseToken(presented)?.family
  if (family === undefined) throw new TypeError('not a token string')
  return `${family}.${derivedText(presented, 'access token', operation)}`
}

/** Returns how the access token of a plan is issued, for a retry. */
export function answeredText({ format, issued_at, access_token_ttl, status }: Omit<Issued, 'jti'>): string {
  const issued = `${format} ${issued_at} ${access_token_ttl}`
  return status === undefined ? issued : `${issued} ${status.list} ${status.index}`
}

/** Returns the tokens of the operation that spent a refresh token. @throws Error if its record was changed by hand */
export function answerOf(spent: string, { operation, answered }: Spending): RefreshedTokens {
  const [, format, issued_at, access_token_ttl, list, index] =
    /^(jwt|opaque) (\d{1,15}) (\d{1,15})(?: ([\w-]{1,64}) (\d{1,15}))?$/.exec(answered) ?? []
  if (format === undefined) throw new Error('the grant record is malformed: answered')
  return {
    refresh_token: derivedSuccessor(spent, operation),
    issued: {
      format: format === 'jwt' ? 'jwt' : 'opaque',
      jti: derivedJti(spent, operation),
      issued_at: Number(issued_at),
      access_token_ttl: Number(access_token_ttl),
      ...(list !== undefined && { status: { list, index: Number(index) } }),
    },
  }
}

// 256 bits. The labels keep the purposes apart; an operation has a constant length.
function derivedText(token: string, label: string, operation: string): string {
  return hmacSha256(Buffer.from(token), Buffer.from(`redmint ${label} ${operation}`)).toString('base64url')
}
