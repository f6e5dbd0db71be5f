import type { IncomingHttpHeaders } from 'node:http'
import fp from 'fastify-plugin'
import { isForDevelopment, mayBeHttp } from '../src/core/dev-mode.ts'
import { demoFromOutside } from '../src/core/errors.ts'
import { isUrl } from '../src/core/uri.ts'
import { answerJsonError } from './errors.ts'

/**
 * In demo mode on loopback, refuses each request that another machine may have caused: that of a page whose name was
 * rebound to 127.0.0.1, which has the name in Host, and that of a tunnel or proxy. Its clients and secrets are public. In
 * a private network, the name may be one of that network.
 */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    if (!isForDevelopment(settings)) return
    fastify.addHook('onRequest', async (request, reply) => {
      const cause = outsideOf(request.headers, settings.demo === 'private')
      // Not an error of the page: each page and problem would say it in another way.
      if (cause !== undefined) return answerJsonError(demoFromOutside(cause), request, reply)
    })
  },
  { name: 'redmint-demo-hosts' },
)

/** Returns what shows that a request may come from outside; undefined if nothing does. */
function outsideOf(headers: IncomingHttpHeaders, in_network: boolean): string | undefined {
  const { host = '' } = headers
  if (!isInside(host, in_network))
    return in_network ? 'Host is no private name' : 'Host is not a name of this machine'
  const forwarded = Object.keys(headers).find((name) => /^(x-forwarded-.*|forwarded)$/.test(name))
  return forwarded && `a proxy sent ${forwarded.slice(0, 40)}`
}

function isInside(host: string, in_network: boolean): boolean {
  const url = `http://${host}`
  if (!/^[a-z0-9.:[\]_-]+$/i.test(host) || !isUrl(url)) return false
  const { hostname } = new URL(url)
  return mayBeHttp(hostname, in_network ? 'allow' : 'refuse')
}
