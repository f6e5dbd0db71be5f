import { nearestName } from '../core/nearest.ts'

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/
// As URL spells it.
const LOOPBACK_HOST = /^(?:127(?:\.\d+){3}|\[::1\]|(?:.*\.)?localhost\.?)$/
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const UNSAFE_CHARACTER = /[\x00-\x20\x7F-\uFFFF\\"<>^`{|}]/
const STRAY_PERCENT = /%(?![0-9A-Fa-f]{2})/
const WEB_AUTHORITY = /^https?:\/\/[^/?]/i

/**
 * Whether a presented redirect_uri equals a registered one as a string (RFC 9700 §2.1), except for the port of a literal
 * loopback address (RFC 8252 §7.3).
 */
export function matchesRedirectUri(presented: string, registered: readonly string[]): boolean {
  if (registered.includes(presented)) return true
  const withoutPort = stripLoopbackPort(presented)
  return withoutPort !== undefined && registered.some((uri) => stripLoopbackPort(uri) === withoutPort)
}

/** Longer ones are not compared: the time grows with the square of the length. */
const MAX_COMPARED = 200

/** Says for the log which registered URI is most similar to a presented one that matches none. */
export function nearestRedirectUri(presented: string, registered: readonly string[]): string {
  if (registered.length === 0) return 'the client has registered none'
  const nearest = presented.length > MAX_COMPARED ? undefined : nearestName(presented, registered)
  return nearest === undefined ? 'none of the registered ones is similar' : `the nearest one is ${nearest}`
}

function stripLoopbackPort(uri: string): string | undefined {
  const match = LOOPBACK.exec(uri)
  if (!match || Number(match[2] ?? 1) > 65535) return undefined
  return `${match[1]}${match[3]}`
}

/** Whether a registered URI leads to an app on the user's device: loopback, or a private-use scheme (RFC 8252 §7). */
export function isNativeRedirectUri(uri: string): boolean {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase()
  if (scheme === 'https') return false
  return scheme !== 'http' || LOOPBACK_HOST.test(new URL(uri).hostname)
}

/** Returns why a URI cannot be registered as a redirect_uri, or undefined if it can; then `URL` parses it. */
export function redirectUriProblem(uri: string): string | undefined {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined) return 'is not absolute (RFC 6749 §3.1.2)'
  if (uri.includes('#')) return 'has a fragment (RFC 6749 §3.1.2)'
  if (UNSAFE_CHARACTER.test(uri)) return 'has a character that is not allowed in a URI (RFC 3986 §2)'
  if (STRAY_PERCENT.test(uri)) return 'has a "%" without two hexadecimal digits (RFC 3986 §2.1)'
  const isWeb = scheme === 'http' || scheme === 'https'
  // RFC 8252 §7.1: a private-use scheme is a reversed domain name, unlike javascript:, data: and file:.
  if (!isWeb && !scheme.includes('.'))
    return `has the scheme "${scheme}:", which is neither http(s) nor a reversed domain name`
  // RFC 9700 §2.1: redirect URIs are compared as strings, so a wildcard would match nothing but itself.
  if (uri.includes('*'))
    return 'has a "*", but wildcards are not supported: register each URI (RFC 9700 §2.1)'
  if ((isWeb && !WEB_AUTHORITY.test(uri)) || !URL.canParse(uri)) return 'is not a valid URL'
  const { hostname, username, password } = new URL(uri)
  if (hostname.includes('*')) return 'has a "*" in its host'
  return username || password ? 'has a user name or password' : undefined
}
