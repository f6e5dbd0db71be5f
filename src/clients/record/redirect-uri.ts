import { isForDevelopment } from '../../core/dev-mode.ts'
import { nearestName } from '../../core/nearest.ts'
import { isUrl, queryOf } from '../../core/uri.ts'

/** What kind of application a client is (OpenID Connect Registration §2). */
export const APPLICATION_TYPES = ['web', 'native'] as const
export type ApplicationType = (typeof APPLICATION_TYPES)[number]

const LOOPBACK = {
  web: /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
  // OpenID Connect Registration §2 has localhost; RFC 8252 §8.3 recommends the addresses instead.
  native: /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/,
}
// As URL writes it.
const LOOPBACK_HOST = /^(?:127(?:\.\d+){3}|\[::1\]|(?:.*\.)?localhost\.?)$/
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const UNSAFE_CHARACTER = /[\x00-\x20\x7F-\uFFFF\\"<>^`{|}]/
// Redirect URIs are compared as strings, so a wildcard or a pattern would match nothing but itself.
const NO_PATTERNS =
  'wildcards are not supported: register each URI (RFC 9700 §2.1), or for previews make a client for each one with redmint client for-preview'
// Of the patterns of other servers: `{name}`, `<name>`, `(a|b)`, `^…`; and in a host `.…`, `[a-z]`, `%s`, `:name`, `(…)`.
const PATTERN = /[{|}^<>]/
const PATTERN_IN_HOST =
  /^https?:\/\/(?!\[[\da-f:.]+\](?:[:/?]|$))(?:\.|[^@/?]*(?:[[\]%$()+!,;]|:(?!\d*(?:[/?]|$))))[^@/?]*(?:[/?]|$)/i
const STRAY_PERCENT = /%(?![0-9A-Fa-f]{2})/
// RFC 6749 §4.1.2, RFC 9207 §2, JARM §2.3.1, OpenID Connect Session Management §2, RP-Initiated Logout §3.
const ANSWER_NAMES = new Set(
  'code state iss error error_description error_uri response session_state'.split(' '),
)
const WEB_AUTHORITY = /^https?:\/\/[^/?]/i
// Schemes without a dot that are not those of an app: the browser, or a general-purpose program, would get the code.
const NO_APP = new Set(
  'about blob chrome data feed file filesystem ftp ftps intent javascript jar ldap localhost mailto resource sftp sms ssh tel urn vbscript view-source ws wss'.split(
    ' ',
  ),
)

/**
 * Whether a presented redirect_uri equals a registered one as a string (RFC 9700 §2.1), except for the port of a literal
 * loopback address (RFC 8252 §7.3), and of a native application also for that of localhost.
 */
export function matchesRedirectUri(
  presented: string,
  registered: readonly string[],
  type: ApplicationType,
): boolean {
  if (registered.includes(presented)) return true
  const withoutPort = stripLoopbackPort(presented, type)
  return withoutPort !== undefined && registered.some((uri) => stripLoopbackPort(uri, type) === withoutPort)
}

/** Returns the type whose loopback addresses have any port: a server for development has clients on any port. */
export const portRuleOf = (
  { application_type }: { readonly application_type: ApplicationType },
  settings: Parameters<typeof isForDevelopment>[0],
): ApplicationType => (isForDevelopment(settings) ? 'native' : application_type)

/** Anybody can present a URI that is not registered, so only a few are compared, and no long ones. */
const MAX_COMPARED = 20
const MAX_COMPARED_LENGTH = 200

/** Says for the log which registered URI is most similar to a presented one that matches none. */
export function nearestRedirectUri(presented: string, registered: readonly string[]): string {
  if (registered.length === 0) return 'the client has registered none'
  const isShort = (uri: string) => uri.length <= MAX_COMPARED_LENGTH
  const compared = isShort(presented) ? registered.slice(0, MAX_COMPARED).filter(isShort) : []
  const nearest = nearestName(presented, compared)
  if (nearest !== undefined) return `the nearest one is ${nearest}`
  return registered.length > MAX_COMPARED
    ? `none of the first ${MAX_COMPARED} registered ones is similar`
    : 'none of the registered ones is similar'
}

/**
 * Returns what a log may show of a URI that anybody can present: where it leads, without its query, at most 200
 * characters.
 */
export function loggedAddress(uri: string): string {
  if (!isUrl(uri)) return 'not a URL'
  const { protocol, host, pathname } = new URL(uri)
  return `${protocol}${host === '' ? '' : '//'}${host}${pathname}`.slice(0, MAX_COMPARED_LENGTH)
}

function stripLoopbackPort(uri: string, type: ApplicationType): string | undefined {
  const match = LOOPBACK[type].exec(uri)
  if (!match || Number(match[2] ?? 1) > 65535) return undefined
  return `${match[1]}${match[3]}`
}

/** Whether a registered URI leads to an app on the user's device: loopback, or a private-use scheme (RFC 8252 §7). */
export function isNativeRedirectUri(uri: string): boolean {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase()
  if (scheme === 'https') return false
  return scheme !== 'http' || LOOPBACK_HOST.test(new URL(uri).hostname)
}

/**
 * Who gets the answer at a registered URI: the origin of a web address, `http://localhost` for any program on the user's
 * device, or a private-use scheme with its colon.
 */
export function recipientOf(uri: string): string {
  const { protocol, origin } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return protocol
  return isNativeRedirectUri(uri) ? 'http://localhost' : origin
}

/** Whether a URI has a private-use scheme that is not a reversed domain name, such as `vscode:` (RFC 8252 §7.1). */
export function hasBareScheme(uri: string): boolean {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase()
  return scheme !== undefined && !['http', 'https'].includes(scheme) && !scheme.includes('.')
}

/** Returns the problem of two URIs that a comma joins, or undefined. A record that has them already stays valid. */
export function commaProblem(uri: string): string | undefined {
  return /,(?:[A-Za-z][A-Za-z0-9+.-]*:|$)/.test(uri)
    ? 'has a comma between URIs: separate them by spaces, or repeat the flag'
    : undefined
}

/** Returns the problem of http on a host that is not loopback, or undefined. A record that has it already stays valid. */
export function plainHttpProblem(uri: string): string | undefined {
  if (!/^http:/i.test(uri) || !isUrl(uri) || LOOPBACK_HOST.test(new URL(uri).hostname)) return undefined
  return 'is http on a host that is not loopback, so codes are sent unencrypted: use https (RFC 9700 §2.6)'
}

/**
 * Returns the problem of a query with a name that answers have too: the application would get it twice. Or undefined. A
 * record that has it already stays valid.
 */
export function answerNameProblem(uri: string): string | undefined {
  for (const name of new URLSearchParams(queryOf(uri)).keys()) {
    if (ANSWER_NAMES.has(name)) return `has "${name}" in its query, which answers add (RFC 6749 §3.1)`
  }
  return undefined
}

/**
 * Returns why a URI that is registered now cannot be a redirect_uri, in addition to what redirectUriProblem says of all, or
 * undefined. A record that has it already stays valid.
 */
export function newRedirectUriProblem(uri: string): string | undefined {
  return commaProblem(uri) ?? patternProblem(uri) ?? plainHttpProblem(uri) ?? answerNameProblem(uri)
}

/** Returns the problem of a pattern in a host, or undefined. A record that has it already stays valid. */
function patternProblem(uri: string): string | undefined {
  return PATTERN_IN_HOST.test(uri) ? `has a pattern in its host, but ${NO_PATTERNS}` : undefined
}

/** The same of a URI after a logout, which may be http: no code is sent there. */
export function newLogoutRedirectProblem(uri: string): string | undefined {
  return commaProblem(uri) ?? answerNameProblem(uri)
}

/**
 * Returns why a URI cannot be a redirect_uri of any client, or undefined; then `URL` parses it. The application_type
 * decides about a bare scheme.
 */
export function redirectUriProblem(uri: string): string | undefined {
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined) return 'is not absolute (RFC 6749 §3.1.2)'
  if (uri.includes('#')) return 'has a fragment (RFC 6749 §3.1.2)'
  if (UNSAFE_CHARACTER.test(uri))
    return `has a character that is not allowed in a URI (RFC 3986 §2)${PATTERN.test(uri) ? `, and ${NO_PATTERNS}` : ''}`
  if (STRAY_PERCENT.test(uri)) return 'has a "%" without two hexadecimal digits (RFC 3986 §2.1)'
  const is_web = scheme === 'http' || scheme === 'https'
  if (NO_APP.has(scheme)) return `has the scheme "${scheme}:", which does not lead to an application`
  if (uri.includes('*')) return `has a "*", but ${NO_PATTERNS}`
  if ((is_web && !WEB_AUTHORITY.test(uri)) || !isUrl(uri))
    return `is not a valid URL${PATTERN_IN_HOST.test(uri) ? `, and ${NO_PATTERNS}` : ''}`
  const { hostname, username, password } = new URL(uri)
  if (hostname.includes('*')) return `has a "*" in its host, but ${NO_PATTERNS}`
  return username || password ? 'has a user name or password' : undefined
}
