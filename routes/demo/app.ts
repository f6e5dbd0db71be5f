import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { DEMO_LINK_PATH, DEMO_LINKS } from '../../src/config/demo-defaults.ts'
import { PATHS, pathAt } from '../../src/core/paths.ts'
import {
  type DemoAnswer,
  type DemoAttempt,
  type DemoTokens,
  demoSignOut,
  finishDemo,
  refreshDemo,
  startDemo,
} from '../../src/demo/demo-app.ts'
import { DEMO_PAGE } from '../../src/demo/demo-clients.ts'
import { demoLinkPage, demoPage, demoStartPage, type ShownAnswer } from '../../src/demo/demo-page.ts'
import { demoAccountFor } from '../../src/demo/demo-user.ts'
import type { View } from '../../src/pages/layout.ts'
import { readQuery } from '../query.ts'
import { callerFor, type DemoCookie, keepInCookie, shownTokens } from './client.ts'

const SENDS: Readonly<Record<string, string>> = { api: PATHS.demo_resource, userinfo: PATHS.userinfo }

/** One of the two. */
interface Kept {
  readonly attempt: DemoAttempt
  readonly tokens: DemoTokens
}

/** The demo: a client of this service, in a page. It keeps its tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const cookie = keepInCookie<Kept>(fastify, { path: PATHS.demo, purpose: 'demo' })
  const hidden = { schema: { hide: true } }

  fastify.get(PATHS.demo, hidden, async (request) => {
    const { tokens } = cookie.read(request)
    return tokens === undefined ? start(request) : show(request, tokens)
  })

  fastify.get(`${PATHS.demo}/sign-in`, hidden, async (_request, reply) => {
    const { attempt, location } = startDemo(redmint.settings)
    return cookie.keep(reply, { attempt }).redirect(location)
  })

  fastify.get(DEMO_PAGE.callback, { ...hidden, preValidation: readQuery }, async (request, reply) => {
    const response = request.query as Readonly<Record<string, string>>
    const { attempt } = cookie.read(request)
    const result = await finishDemo(redmint, attempt, response, callerFor(fastify, request))
    return conclude(cookie, request, reply, result)
  })

  fastify.post<{ Body?: { action?: string } }>(PATHS.demo, hidden, async (request, reply) =>
    take(cookie, request, reply, request.body?.action),
  )

  for (const name of Object.keys(DEMO_LINKS) as (keyof typeof DEMO_LINKS)[]) {
    fastify.get(`${DEMO_LINK_PATH}/${name}`, hidden, async (request) =>
      demoLinkPage(name, { ...request.view(), query: '' }),
    )
  }
}

export default route

async function take(
  cookie: DemoCookie<Kept>,
  request: FastifyRequest,
  reply: FastifyReply,
  action = '',
): Promise<FastifyReply | string> {
  const { settings } = request.server.redmint
  const { tokens } = cookie.read(request)
  const path = SENDS[action]
  if (tokens === undefined) return reply.redirect(pathAt(settings, PATHS.demo), 303)
  const caller = callerFor(request.server, request)
  if (path !== undefined) {
    const answer = await caller.get(path, tokens.access_token)
    return show(request, tokens, { request: `GET ${pathAt(settings, path)}`, ...answer })
  }
  if (action === 'refresh') return conclude(cookie, request, reply, await refreshDemo(tokens, caller))
  return cookie.clear(reply).redirect(demoSignOut(settings, tokens), 303)
}

function conclude(
  cookie: DemoCookie<Kept>,
  request: FastifyRequest,
  reply: FastifyReply,
  result: DemoTokens | DemoAnswer,
): FastifyReply {
  if (!('access_token' in result)) return cookie.clear(reply).send(start(request, { problem: result.json }))
  const page = pathAt(request.server.redmint.settings, PATHS.demo)
  return cookie.keep(reply, { tokens: result }).redirect(page, 303)
}

function start(request: FastifyRequest, refused: { readonly problem?: unknown } = {}): string {
  const { settings } = request.server.redmint
  const account = { ...demoAccountFor(settings), shows_mail: settings.demo === true }
  return demoStartPage({ ...account, ...refused }, viewOf(request))
}

/** The view of a page after a form or a response: a link shows it again at the demo's address, as far as kept. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), path: pathAt(request.server.redmint.settings, PATHS.demo), query: '' }
}

function show(request: FastifyRequest, tokens: DemoTokens, last?: ShownAnswer): string {
  return demoPage(
    { ...shownTokens(tokens, request.server.redmint.now()), ...(last && { last }) },
    viewOf(request),
  )
}
