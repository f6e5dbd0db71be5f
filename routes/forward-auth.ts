import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { trustOf } from '../plugins/address.ts'
import { callerOf } from '../plugins/caller.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { bearerChallenge, REALM } from '../src/core/challenge.ts'
import { PATHS, ROOT_PATHS, routePrefix } from '../src/core/paths.ts'
import { currentUser, NOBODY, tokenUser } from '../src/forward-auth/current-user.ts'
import {
  type ForwardedApplication,
  findApplication,
  type HeaderValue,
  isPageRequest,
  isPreflight,
  targetOf,
} from '../src/forward-auth/forwarded.ts'
import { TARGET_COOKIES } from '../src/forward-auth/long-target.ts'
import { finishSignIn, startSignIn } from '../src/forward-auth/sign-in.ts'
import { readPresentedToken } from '../src/resource-server/presented-token.ts'
import { readQuery } from './query.ts'

const UNKNOWN_HOST = {
  error: 'forbidden',
  error_description: 'No client of FORWARD_AUTH_CLIENTS has this host.',
}
const NOT_A_PROXY = {
  error: 'forbidden',
  error_description: 'Only a proxy whose address TRUSTED_PROXIES names may ask.',
}
const SIGNED_OUT = { error: 'unauthorized', error_description: 'Sign in with a browser.' }

/** The request that a proxy asks about. */
interface Asked {
  readonly host: HeaderValue
  readonly method: HeaderValue
  readonly uri: HeaderValue
}

/** The cookies at the host of an application, and at no other. */
const cookiesOf = ({ origin }: Pick<ForwardedApplication, 'origin'>) => ({
  start: ownCookie({ issuer: origin }, 'forward-start'),
  session: ownCookie({ issuer: origin }, 'forward'),
  /** The parts of a long target. */
  target: Array.from({ length: TARGET_COOKIES }, (_, part) =>
    ownCookie({ issuer: origin }, `forward-target-${part}`),
  ),
})

/** Tells proxies who the user of an application is, and signs browsers in there. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  // Whoever else asks writes what the proxy should have written.
  const isTrusted = trustOf(redmint.settings.client_certificate_proxies)
  const answer = (request: FastifyRequest, reply: FastifyReply, asked: Asked) =>
    isTrusted(request.socket.remoteAddress ?? '')
      ? answerProxy(request, reply, asked)
      : reply.status(403).send(NOT_A_PROXY)

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
    comeBack,
  )
}

/** Answers what a trusted proxy asks. */
async function answerProxy(request: FastifyRequest, reply: FastifyReply, { host, method, uri }: Asked) {
  const { redmint } = request.server
  const application = await findApplication(redmint, host)
  if (application === undefined) return reply.status(403).send(UNKNOWN_HOST)
  const { forward_auth_bearer = false, forward_auth_preflights = false } = application.client
  const presented = forward_auth_bearer ? readPresentedToken(request.raw) : undefined
  if (presented?.scheme === 'Bearer')
    return reply.headers(await tokenUser(redmint, application, presented.token)).send()
  const { session } = cookiesOf(application)
  const user = await currentUser(redmint, application, session.read(request))
  if (user !== undefined) return reply.headers(user).send()
  const { accept, origin, 'sec-fetch-mode': mode, 'access-control-request-method': asked } = request.headers
  if (forward_auth_preflights && isPreflight(method, origin, asked)) return reply.headers(NOBODY).send()
  if (isPageRequest(method, accept, mode)) return leave(request, reply, application, uri)
  if (forward_auth_bearer) reply.header('www-authenticate', bearerChallenge(REALM))
  return reply.status(401).send(SIGNED_OUT)
}

/** Sends a browser to the sign-in. */
function leave(
  request: FastifyRequest,
  reply: FastifyReply,
  application: ForwardedApplication,
  uri: HeaderValue,
) {
  const { redmint } = request.server
  const { start, target: targets } = cookiesOf(application)
  const to = targetOf(application, uri)
  const { location, key, target } = startSignIn(redmint, application, to, start.read(request))
  const maxAge = redmint.settings.sign_in_ttl
  reply.setCookie(start.name, key, { ...start.options, maxAge })
  for (const [part, value] of target.entries()) {
    const { name = '', options } = targets[part] ?? {}
    reply.setCookie(name, value, { ...options, maxAge })
  }
  return reply.redirect(location, 302)
}

/** Ends the sign-in of a browser, at the host of the application. */
async function comeBack(request: FastifyRequest, reply: FastifyReply) {
  const query = request.query as Readonly<Record<string, string>>
  const { redmint } = request.server
  const caller = callerOf(request, reply)
  const { application, location, kept, seconds } = await finishSignIn(redmint, query, caller, (at) => {
    const { start, target } = cookiesOf(at)
    return { key: start.read(request), target: target.map((part) => part.read(request) ?? '') }
  })
  const { session, target } = cookiesOf(application)
  for (const part of target) if (part.read(request) !== undefined) reply.clearCookie(part.name, part.options)
  reply.setCookie(session.name, kept, { ...session.options, maxAge: seconds })
  return reply.redirect(location, 303)
}

export default route
