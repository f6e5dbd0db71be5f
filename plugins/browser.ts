import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Browser, isCookieValue } from '../src/sessions/browser.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Which browser sends this request. */
    readonly browser: Browser
  }
  interface FastifyReply {
    /** Gives the browser what it is known by from now on; undefined ends it. What is left out stays. */
    keepBrowser(browser: { id?: string; session?: string | undefined }): FastifyReply
  }
}

// Seconds; browsers keep a cookie for 400 days at most.
const BROWSER_LIFETIME = 365 * 86_400

/** The two cookies of a browser: which one it is, and its session. */
export default fp(
  async (fastify) => {
    const { issuer } = fastify.redmint.settings
    const secure = issuer.startsWith('https:')
    // RFC 6265bis §4.1.3.2: neither another host nor plain http can set such a cookie. Loopback has no https.
    const prefix = secure ? '__Host-' : ''
    const names = { id: `${prefix}redmint-browser`, session: `${prefix}redmint-session` } as const
    const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure }
    // A host that has it already shares it: its decorators cannot be made anew.
    if (!fastify.hasRequestDecorator('cookies')) await fastify.register(cookie)

    fastify.decorateRequest('browser', {
      getter(this: FastifyRequest): Browser {
        const { [names.id]: id, [names.session]: session } = this.cookies
        return { ...(isCookieValue(id) ? { id } : {}), ...(isCookieValue(session) ? { session } : {}) }
      },
    })
    fastify.decorateReply('keepBrowser', function (this: FastifyReply, browser) {
      if (browser.id !== undefined)
        this.setCookie(names.id, browser.id, { ...options, maxAge: BROWSER_LIFETIME })
      if (browser.session !== undefined) this.setCookie(names.session, browser.session, options)
      else if ('session' in browser) this.clearCookie(names.session, options)
      return this
    })
  },
  { name: 'redmint-browser', dependencies: ['redmint-context'] },
)
