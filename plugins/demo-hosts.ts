import type { IncomingHttpHeaders } from 'node:http'
import fp from 'fastify-plugin'
import { demoFromOutside } from '../src/core/errors.ts'
import { isLoopbackHost, isUrl } from '../src/core/uri.ts'
import { answerJsonError } from './errors.ts'

/**
 * In demo mode on loopback, refuses each request that another machine may have caused: that of a page whose name was
 * rebound to 127.0.0.1, which has the name in Host, and that of a tunnel or proxy. Its clients and secrets are public.
 */
export default fp(
  async (fastify) => {
    if (fastify.redmint.settings.demo !== true) return
    fastify.addHook('onRequest', async (request, reply) => {
      const cause = outsideOf(request.headers)
      // Not an error of the page: each page and problem would say it in another way.
      if (cause !== undefined) return answerJsonError(demoFromOutside(cause), request, reply)
    })
  },
  { name: 'redmint-demo-hosts' },
)

/** Returns what shows that a request may come from outside; undefined if nothing does. */
function outsideOf(headers: IncomingHttpHeaders): string | undefined {
  const { host = '' } = headers
  if (!isOfThisMachine(host)) return 'Host is not a name of this machine'
  const forwarded = Object.keys(headers).find((name) => /^(x-forwarded-.*|forwarded)$/.test(name))
  return forwarded && `a proxy sent ${forwarded.slice(0, 40)}`
}

function isOfThisMachine(host: string): boolean {
  const url = `http://${host}`
  return /^[a-z0-9.:[\]]+$/i.test(host) && isUrl(url) && isLoopbackHost(new URL(url).hostname)
}
