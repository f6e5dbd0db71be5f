import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { AccessTokenFormat } from '../config/environment.ts'
import { expandedKey, extractedKey } from '../core/hkdf.ts'
import { parseToken } from '../core/token-string.ts'
import type { SealedAnswer, Spending } from '../storage/families.ts'

// The record of a spent refresh token has the answer for a retry, encrypted with keys derived from the spent token, so a
// dump of storage contains no usable token. Each key encrypts once, so the nonce can be constant.
const NONCE = Buffer.alloc(12)
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** How an access token was issued. */
export interface Issued {
  format: AccessTokenFormat
  /** The opaque access token, or the jti of the JWT. */
  jti: string
  /** Seconds since 1970. */
  issued_at: number
  /** The lifetime in seconds. */
  access_token_ttl: number
}

/** The tokens that a refresh answers with. */
export interface Answered {
  refresh_token: string
  issued: Issued
}

/** Encrypts the secret parts of the issued tokens with keys from `spent`: 64 base64url characters each. */
export function sealAnswer(
  spent: string,
  operation: string,
  { refresh_token, issued }: Answered,
): Required<SealedAnswer> {
  const facts = [issued.format, issued.issued_at, issued.access_token_ttl].join(' ')
  const extracted = extractedKey(Buffer.from(spent), Buffer.from(operation))
  return {
    successor: seal(key(extracted, 'successor'), refresh_token),
    access_token: seal(key(extracted, `access token ${facts}`), issued.jti),
    issued: facts,
  }
}

/**
 * Returns the tokens that `operation` sealed when it spent a refresh token.
 * @throws Error if they were sealed for another token or changed
 */
export function openAnswer(spent: string, { operation, sealed }: Spending): Answered {
  const family = parseToken(spent)?.family
  const extracted = extractedKey(Buffer.from(spent), Buffer.from(operation))
  const open = (label: string, text: string) => `${family}.${unseal(key(extracted, label), text)}`
  const { successor, access_token = '', issued = '' } = sealed
  const refresh_token = open('successor', successor)
  // The key depends on these facts, so they are as sealed.
  const jti = open(`access token ${issued}`, access_token)
  const [format, issued_at, access_token_ttl] = issued.split(' ')
  return {
    refresh_token,
    issued: {
      format: format === 'jwt' ? 'jwt' : 'opaque',
      jti,
      issued_at: Number(issued_at),
      access_token_ttl: Number(access_token_ttl),
    },
  }
}

function key(extracted: Buffer, label: string): Buffer {
  return expandedKey(extracted, `redmint ${label}`)
}

function seal(key: Buffer, token: string): string {
  const cipher = createCipheriv(CIPHER, key, NONCE)
  const secret = Buffer.from(parseToken(token)?.secret ?? '', 'base64url')
  return Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function unseal(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(CIPHER, key, NONCE)
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const secret = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
  return secret.toString('base64url')
}
