import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../src/config/settings.ts'
import { issuerPath, pathAt } from '../src/core/paths.ts'

// Values of ours have nothing to decode, and each malformed one of others would cost an exception.
const PARSE_OPTIONS: CookieSerializeOptions & { decode(value: string): string } = { decode: (value) => value }

/** Reads the cookies of requests. A host may do that already: its decorators must be unique. */
export async function readCookies(fastify: FastifyInstance): Promise<void> {
  if (!fastify.hasRequestDecorator('cookies')) await fastify.register(cookie, { parseOptions: PARSE_OPTIONS })
}

/** A cookie that only this issuer reads. */
export interface OwnCookie {
  readonly name: string
  readonly options: CookieSerializeOptions
  /** Returns the value that a browser sent; undefined if it sent none, or several. */
  read(request: FastifyRequest): string | undefined
}

/**
 * The cookie of an issuer with this name: two issuers on one host have different ones.
 * @param below the path below the issuer that it is sent to, with all paths below that; by default all
 */
export function ownCookie({ issuer }: Pick<Settings, 'issuer'>, what: string, below = ''): OwnCookie {
  const path = pathAt({ issuer }, below)
  const secure = issuer.startsWith('https:')
  // RFC 6265bis §4.1.3: plain http cannot set such a cookie, and with __Host- another host cannot either, but that is for
  // the whole host. Loopback has no https.
  const prefix = !secure ? '' : path === '' ? '__Host-' : '__Secure-'
  // A browser sends the cookies of a path to all paths below it, so the path is in the name, too.
  const name = `${prefix}redmint-${what}${issuerPath(issuer).replaceAll('/', '.')}`
  const assigned = `${name}=`
  return {
    name,
    options: { path: path === '' ? '/' : path, httpOnly: true, sameSite: 'lax', secure },
    // RFC 6265 §5.4: that of a longer path comes first. Another host of the domain, or another path, may have planted it.
    read: ({ cookies, headers }) => (isRepeated(assigned, headers.cookie) ? undefined : cookies?.[name]),
  }
}

function isRepeated(assigned: string, header = ''): boolean {
  const first = header.indexOf(assigned)
  return first >= 0 && header.includes(assigned, first + 1)
}
