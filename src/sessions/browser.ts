import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sid, TransactionId } from '../core/ids.ts'

/** The cookies of a browser; malformed values are ignored. */
export interface Browser {
  /** The browser id: identifies this browser, signed in or not. */
  readonly id?: string
  /** The secret of its session. */
  readonly session?: string
}

const VALUE = /^[A-Za-z0-9_-]{43}$/

/** Returns a new value for a cookie: 256 random bits, 43 base64url characters. */
export function newCookieValue(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a cookie value has the form of newCookieValue. */
export function isCookieValue(value: string | undefined): value is string {
  return value !== undefined && VALUE.test(value)
}

/** Returns the SHA-256 of a cookie value, its form in storage: a dump contains no usable cookie. */
export function cookieDigest(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

/**
 * Returns the CSRF token of a form. It is bound to the browser, the pending request and the session at the time when
 * the page was shown.
 */
export function csrfToken(browser_id: string, transaction: TransactionId, sid: Sid = ''): string {
  return createHmac('sha256', browser_id).update(`csrf ${transaction} ${sid}`).digest('base64url')
}

/** Compares two texts in constant time. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
