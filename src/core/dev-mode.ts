import { isLoopbackHost } from './uri.ts'

/** What the kid of a signing key of a server for development begins with. */
export const DEV_KID = 'dev-'

/** Whether a key is one of a server for development, which signs whatever it is asked to. */
export const isDevKid = (kid: string) => kid.startsWith(DEV_KID)

/** Whether a server is for development: demo mode, but for a demonstration to everybody. */
export const isForDevelopment = ({ demo }: { readonly demo?: boolean | 'private' | 'public' }) =>
  demo === true || demo === 'private'

/** What an API does with a server for development: with its tokens, and with addresses of a private network. */
export type DevRule = (typeof DEV_RULES)[number]
export const DEV_RULES = ['refuse', 'allow'] as const

// Names that no public host has: those of a network of containers, RFC 6761, RFC 6762, RFC 8375, .internal of ICANN.
const PRIVATE_NAME =
  /^(?:[a-z0-9]|[a-z0-9_][a-z0-9_-]*[a-z0-9])$|\.(?:localhost|local|internal|test|home\.arpa)$/

/** Whether a host name, as `URL` writes it, is one that only a private network has: `auth`, `auth.internal`. */
export function isPrivateName(hostname: string): boolean {
  // A label of digits is an address to URL.
  return PRIVATE_NAME.test(hostname)
}

/** Returns what a server does with addresses of its private network. */
export const devRuleOf = ({ demo }: { readonly demo?: boolean | 'private' | 'public' }): DevRule =>
  demo === 'private' ? 'allow' : 'refuse'

/** Whether a host, as `URL` writes it, may be asked without TLS: this machine, and for development a private network. */
export const mayBeHttp = (hostname: string, dev: DevRule): boolean =>
  isLoopbackHost(hostname) || (dev === 'allow' && isPrivateName(hostname))
