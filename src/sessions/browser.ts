import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Sid, TransactionId } from '../core/ids.ts'
import { randomText } from '../core/token-string.ts'
import type { Sealer } from '../keys/sealer.ts'

/** Who a browser is, signed in or not. Its cookie holds this sealed: a browser can neither read nor make one. */
export interface BrowserIdentity {
  /** The browser id: binds forms and pending requests. It is new after each sign-in and sign-out. */
  readonly id: string
  /** The digest of the browser id before the last sign-in or sign-out. */
  readonly former?: string
  /** The name under which failed sign-ins are counted. It is new after each sign-in, and stays after a sign-out. */
  readonly device: string
  /**
   * A digest of the user who signed in last: storage says whether that user still knows the browser. It stays after a
   * sign-out.
   */
  readonly known_to?: string
}

/** The cookies of a browser; those that are malformed or not ours count as absent. */
export interface Browser {
  readonly identity?: BrowserIdentity | undefined
  /** The value of its session's cookie. */
  readonly session?: string | undefined
  /** What a sign-in method had it remember, sealed. */
  readonly remembered?: string | undefined
  /** Whether its user saw an aside of a sign-in method lately. */
  readonly saw_aside?: boolean
}

/** New values of the cookies: `session: undefined` removes that cookie; absent properties change nothing. */
export interface NewCookies {
  readonly browser?: BrowserIdentity
  readonly session?: string | undefined
  /** Whether the user asked to stay signed in, where that is a choice. */
  readonly stays?: boolean
  /** A sealed text, and for how many seconds it is kept. */
  readonly remembered?: { readonly sealed: string; readonly seconds: number }
  /** For how many seconds its user counts as one who saw an aside. */
  readonly saw_aside?: { readonly seconds: number }
}

const VALUE_BYTES = 32
const VALUE = /^[A-Za-z0-9_-]{43}$/

/** Returns a new value for a cookie: 256 random bits, 43 base64url characters. */
export function newCookieValue(): string {
  return randomText(VALUE_BYTES)
}

/** Whether a cookie value has the form of newCookieValue. */
export function isCookieValue(value: string | undefined): value is string {
  return value !== undefined && VALUE.test(value)
}

/** Returns the SHA-256 of a cookie value, its form in storage: a dump contains no usable cookie. */
export function cookieDigest(value: string): string {
  return hash('sha256', value, 'base64url')
}

/** How many characters of a session's cookie find the session: 126 random bits. The other 132 bits sign in, and change. */
const FINDS_SESSION = 21

/** Returns a new value for the cookie of a session. @param former its value before; absent: of a new session */
export function newSessionCookie(former?: string): string {
  const value = newCookieValue()
  return former === undefined ? value : former.slice(0, FINDS_SESSION) + value.slice(FINDS_SESSION)
}

/** Returns the id of the session that a cookie finds, which all its cookies share: a digest. */
export function sessionIdOf(cookie: string): string {
  return cookieDigest(cookie.slice(0, FINDS_SESSION))
}

/** Returns the digest of the part of a session's cookie that signs in. */
export function sessionSecretOf(cookie: string): string {
  return cookieDigest(cookie.slice(FINDS_SESSION))
}

/** Returns the identity of a browser that was not seen before. */
export function newBrowserIdentity(): BrowserIdentity {
  return { id: newCookieValue(), device: newCookieValue() }
}

/** Returns the identity of a browser after a sign-in. Somebody who planted the old one knows nothing of the new one. */
export function identityAfterSignIn({ identity }: Browser): BrowserIdentity {
  return Object.assign(newBrowserIdentity(), formerOf(identity))
}

/** Returns the identity of a browser after a sign-out. It keeps `device`, and with it its own counters of failures. */
export function identityAfterSignOut({ identity }: Browser): BrowserIdentity {
  if (identity === undefined) return newBrowserIdentity()
  const { device, known_to } = identity
  return { id: newCookieValue(), device, ...(known_to && { known_to }), ...formerOf(identity) }
}

/** Returns the value of the cookie of a browser. @throws StorageUnavailable, as Sealer.seal */
export function sealBrowser(sealer: Pick<Sealer, 'seal'>, identity: BrowserIdentity): string {
  const { id, device, former = '', known_to = '' } = identity
  return sealer.seal('browser', `${id} ${device} ${former} ${known_to}`)
}

/** Returns the identity in the cookie of a browser; undefined if it is not ours. @throws StorageUnavailable */
export function openBrowser(
  sealer: Pick<Sealer, 'open'>,
  cookie: string | undefined,
): BrowserIdentity | undefined {
  const [id, device, former, known_to] = (cookie && sealer.open('browser', cookie))?.split(' ') ?? []
  if (!isCookieValue(id) || !isCookieValue(device)) return undefined
  const more = { ...(isCookieValue(former) && { former }), ...(isCookieValue(known_to) && { known_to }) }
  return { id, device, ...more }
}

/**
 * Returns the CSRF token of a form. It is bound to the browser, the pending request and the session at the time when
 * the page was shown.
 */
export function csrfToken(browser_id: string, transaction: TransactionId, sid: Sid = ''): string {
  return createHmac('sha256', browser_id).update(`csrf ${transaction} ${sid}`).digest('base64url')
}

/** Compares two texts. The time that it takes reveals only whether their lengths differ. */
export function sameText(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === others.length && timingSafeEqual(bytes, others)
}

function formerOf(identity: BrowserIdentity | undefined): { former?: string } {
  return identity === undefined ? {} : { former: cookieDigest(identity.id) }
}
