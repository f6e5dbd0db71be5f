import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Browser, isCookieValue } from '../src/sessions/browser.ts'

/** New values of the cookies: `session: undefined` removes that cookie; absent properties change nothing. */
interface NewCookies {
  id?: string
  session?: string | undefined
}

/** Returns the browser of a request. @throws FastifyError unless this plugin is registered for its route */
export function browserOf(request: FastifyRequest): Browser {
  return request.getDecorator<Browser>('browser')
}

/** Sets the cookies of a browser. @throws FastifyError unless this plugin is registered for the route */
export function keepBrowser(reply: FastifyReply, browser: NewCookies): FastifyReply {
  return reply.getDecorator<(browser: NewCookies) => FastifyReply>('keepBrowser')(browser)
}

// In seconds; browsers limit it to 400 days.
const BROWSER_LIFETIME = 365 * 86_400

/** The two cookies of a browser: its id and its session. */
export default fp(
  async (fastify) => {
    const { issuer } = fastify.redmint.settings
    const secure = issuer.startsWith('https:')
    // RFC 6265bis §4.1.3.2: another host or plain http cannot set such a cookie. Loopback has no https.
    const prefix = secure ? '__Host-' : ''
    const names = { id: `${prefix}redmint-browser`, session: `${prefix}redmint-session` } as const
    const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure }
    // A host may have registered it already: its decorators must be unique.
    if (!fastify.hasRequestDecorator('cookies')) await fastify.register(cookie)

    fastify.decorateRequest('browser', {
      getter(this: FastifyRequest): Browser {
        const { [names.id]: id, [names.session]: session } = this.cookies
        return { ...(isCookieValue(id) ? { id } : {}), ...(isCookieValue(session) ? { session } : {}) }
      },
    })
    fastify.decorateReply('keepBrowser', function (this: FastifyReply, browser: NewCookies) {
      if (browser.id !== undefined)
        this.setCookie(names.id, browser.id, { ...options, maxAge: BROWSER_LIFETIME })
      if (browser.session !== undefined) this.setCookie(names.session, browser.session, options)
      else if ('session' in browser) this.clearCookie(names.session, options)
      return this
    })
  },
  { name: 'redmint-browser', dependencies: ['redmint-context'] },
)
