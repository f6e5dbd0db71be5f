import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../plugins/caller.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { PATHS, ROOT_PATHS, routePrefix } from '../src/core/paths.ts'
import { currentUser } from '../src/forward-auth/current-user.ts'
import {
  type Application,
  findApplication,
  type Header,
  isPageRequest,
  targetOf,
} from '../src/forward-auth/forwarded.ts'
import { finishSignIn, startSignIn } from '../src/forward-auth/sign-in.ts'
import { readQuery } from './query.ts'

const UNKNOWN_HOST = {
  error: 'forbidden',
  error_description: 'No client of FORWARD_AUTH_CLIENTS has this host.',
}
const SIGNED_OUT = { error: 'unauthorized', error_description: 'Sign in with a browser.' }

/** The request that a proxy asks about. */
interface Asked {
  readonly host: Header
  readonly method: Header
  readonly uri: Header
}

/** The cookies at the host of an application, and at no other. */
const cookiesOf = ({ origin }: Pick<Application, 'origin'>) => ({
  start: ownCookie({ issuer: origin }, 'forward-start'),
  session: ownCookie({ issuer: origin }, 'forward'),
})

/** Tells proxies who the user of an application is, and signs browsers in there. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  const answer = async (request: FastifyRequest, reply: FastifyReply, { host, method, uri }: Asked) => {
    const application = await findApplication(redmint, host)
    if (application === undefined) return reply.status(403).send(UNKNOWN_HOST)
    const { start, session } = cookiesOf(application)
    const user = await currentUser(redmint, application, session.read(request))
    if (user !== undefined) return reply.headers(user).send()
    const { accept, 'sec-fetch-mode': mode } = request.headers
    if (!isPageRequest(method, accept, mode)) return reply.status(401).send(SIGNED_OUT)
    const to = targetOf(application, uri)
    const { location, key } = startSignIn(redmint, application, to, start.read(request))
    reply.setCookie(start.name, key, { ...start.options, maxAge: redmint.settings.sign_in_ttl })
    return reply.redirect(location, 302)
  }

  const path = routePrefix(redmint.settings) + PATHS.forward_auth
  fastify.get(path, { schema: { hide: true } }, (request, reply) =>
    answer(request, reply, {
      host: request.headers['x-forwarded-host'],
      method: request.headers['x-forwarded-method'],
      uri: request.headers['x-forwarded-uri'],
    }),
  )
  // Envoy sends the request itself, without its body, and puts this path in front of its own.
  fastify.all(`${path}/*`, { schema: { hide: true } }, (request, reply) =>
    answer(request, reply, {
      host: request.headers.host,
      method: request.method,
      uri: request.url.slice(path.length),
    }),
  )

  fastify.get(
    ROOT_PATHS.forward_callback,
    { schema: { hide: true }, config: { page: 'sign-in' }, preValidation: readQuery },
    async (request, reply) => {
      const query = request.query as Readonly<Record<string, string>>
      const { application, location, kept, seconds } = await finishSignIn(
        redmint,
        query,
        callerOf(request, reply),
        (at) => cookiesOf(at).start.read(request),
      )
      const { session } = cookiesOf(application)
      reply.setCookie(session.name, kept, { ...session.options, maxAge: seconds })
      return reply.redirect(location, 303)
    },
  )
}

export default route
