import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest } from '../src/core/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether other sites send forms here, as a protocol says. */
    from_others?: boolean
  }
}

/**
 * Refuses a form that a browser says another site sent (RFC 6454 §7, Fetch Metadata §2.3), before it is read. It is a second
 * line: each form is bound to its browser besides. Programs and old browsers send neither header.
 * @param site the address of the pages
 * @param refuse answers in place of the error of the service
 */
export function refuseForeignForms(
  fastify: FastifyInstance,
  site: string,
  refuse?: (reply: FastifyReply) => FastifyReply,
): void {
  const own = new URL(site).origin
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'POST' || request.routeOptions.config.from_others === true) return done()
    if (!isForeign(request, own)) return done()
    if (refuse !== undefined) return void refuse(reply)
    done(ofAnotherSite(own))
  })
}

/**
 * Refuses the form of a page at a route to which other sites send forms, too, as refuseForeignForms does elsewhere.
 * @throws OAuthError
 */
export function demandOwnForm(request: FastifyRequest, site: string): void {
  const own = new URL(site).origin
  if (isForeign(request, own)) throw ofAnotherSite(own)
}

const ofAnotherSite = (own: string) =>
  invalidRequest('browser_request_ended', 'Another site sent this form: open the page here.', {
    status: 403,
    received: { fault: 'a form of another site' },
    expected: { origin: own },
  })

function isForeign(
  { headers: { origin, 'sec-fetch-site': sent_from } }: FastifyRequest,
  own: string,
): boolean {
  if (sent_from === 'cross-site') return true
  // Browsers send `null` with the forms of our pages, whose referrer policy is no-referrer (Fetch §3.2).
  return origin !== undefined && origin !== 'null' && origin !== own
}
