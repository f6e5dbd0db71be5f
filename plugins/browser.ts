import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Sealer } from '../src/keys/sealer.ts'
import { SEALED_FOR } from '../src/keys/timing.ts'
import {
  type Browser,
  type BrowserIdentity,
  isCookieValue,
  type NewCookies,
  openBrowser,
  sealBrowser,
} from '../src/sessions/browser.ts'

/** Returns the browser of a request. @throws FastifyError unless this plugin is registered for its route */
export function browserOf(request: FastifyRequest): Browser {
  return request.getDecorator<Browser>('browser')
}

/** Sets the cookies of a browser. @throws FastifyError unless this plugin is registered for the route */
export function keepBrowser(reply: FastifyReply, cookies: NewCookies): FastifyReply {
  return reply.getDecorator<(cookies: NewCookies) => FastifyReply>('keepBrowser')(cookies)
}

// The identity is opened on demand: an answer to a user who is signed in already does not need it.
class RequestBrowser implements Browser {
  readonly session: string | undefined
  readonly #sealer: Pick<Sealer, 'open'>
  readonly #sealed: string | undefined
  #opened: { readonly identity: BrowserIdentity | undefined } | undefined

  constructor(sealer: Pick<Sealer, 'open'>, sealed: string | undefined, session: string | undefined) {
    this.session = session
    this.#sealer = sealer
    this.#sealed = sealed
  }

  get identity(): BrowserIdentity | undefined {
    this.#opened ??= { identity: openBrowser(this.#sealer, this.#sealed) }
    return this.#opened.identity
  }
}

// Values of ours have nothing to decode, and each malformed one of others would cost an exception.
const PARSE_OPTIONS: CookieSerializeOptions & { decode(value: string): string } = { decode: (value) => value }

/** The two cookies of a browser: its identity and its session. */
export default fp(
  async (fastify) => {
    const { settings, sealer } = fastify.redmint
    const { issuer, session_persistent, session_ttl } = settings
    const secure = issuer.startsWith('https:')
    // RFC 6265bis §4.1.3.2: another host or plain http cannot set such a cookie. Loopback has no https.
    const prefix = secure ? '__Host-' : ''
    const names = { browser: `${prefix}redmint-browser`, session: `${prefix}redmint-session` } as const
    const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure }
    // RFC 6265 §5.3: without Max-Age it ends with the browser. Both are set where the session starts.
    const kept = session_persistent ? { maxAge: session_ttl } : {}
    // A host may have registered it already: its decorators must be unique.
    if (!fastify.hasRequestDecorator('cookies'))
      await fastify.register(cookie, { parseOptions: PARSE_OPTIONS })

    fastify.decorateRequest('browser', {
      getter(this: FastifyRequest): Browser {
        const { [names.browser]: browser, [names.session]: session } = this.cookies
        return new RequestBrowser(sealer, browser, isCookieValue(session) ? session : undefined)
      },
    })
    fastify.decorateReply('keepBrowser', function (this: FastifyReply, cookies: NewCookies) {
      const { browser: identity, session } = cookies
      if (identity !== undefined)
        this.setCookie(names.browser, sealBrowser(sealer, identity), { ...options, maxAge: SEALED_FOR })
      if (session !== undefined) this.setCookie(names.session, session, { ...options, ...kept })
      else if ('session' in cookies) this.clearCookie(names.session, options)
      return this
    })
  },
  { name: 'redmint-browser', dependencies: ['redmint-context'] },
)
