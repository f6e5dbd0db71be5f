import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sid, TransactionId } from '../core/ids.ts'

/** What a browser's cookies say; a value that we cannot have given is none. */
export interface Browser {
  /** Tells this browser from every other, signed in or not. */
  readonly id?: string
  /** Names its session. */
  readonly session?: string
}

const VALUE = /^[A-Za-z0-9_-]{43}$/

/** A new value for a cookie: 256 random bits, 43 base64url characters. */
export function newCookieValue(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a cookie can hold a value of ours. */
export function isCookieValue(value: string | undefined): value is string {
  return value !== undefined && VALUE.test(value)
}

/** What stands for a cookie's value in storage: whoever reads a dump cannot send it. */
export function cookieDigest(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

/**
 * What a form has to send so that it is this browser's answer to the very page it was shown: bound to the browser, the
 * pending request and whoever was signed in then.
 */
export function csrfToken(browser_id: string, transaction: TransactionId, sid: Sid = ''): string {
  return createHmac('sha256', browser_id).update(`csrf ${transaction} ${sid}`).digest('base64url')
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
