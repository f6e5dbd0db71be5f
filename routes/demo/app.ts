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
import { callerFor, keepInCookie, shownTokens } from './client.ts'

const SENDS: Readonly<Record<string, string>> = { api: PATHS.demo_resource, userinfo: PATHS.userinfo }

/** One of the two. */
interface Kept {
  readonly attempt: DemoAttempt
  readonly tokens: DemoTokens
}

/** The demo: a client of this service, in a page. It keeps its tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const { settings } = redmint
  const account = { ...demoAccountFor(settings), shows_mail: settings.demo === true }
  const page = pathAt(settings, PATHS.demo)
  const cookie = keepInCookie<Kept>(fastify, { path: PATHS.demo, purpose: 'demo' })

  fastify.get(PATHS.demo, { schema: { hide: true } }, async (request) => {
    const { tokens } = cookie.read(request)
    return tokens === undefined ? demoStartPage(account, viewOf(request)) : show(request, tokens)
  })

  fastify.get(`${PATHS.demo}/sign-in`, { schema: { hide: true } }, async (_request, reply) => {
    const { attempt, location } = startDemo(settings)
    return cookie.keep(reply, { attempt }).redirect(location)
  })

  fastify.get(
    DEMO_PAGE.callback,
    { schema: { hide: true }, preValidation: readQuery },
    async (request, reply) => {
      const response = request.query as Readonly<Record<string, string>>
      const { attempt } = cookie.read(request)
      const caller = callerFor(fastify, request)
      return conclude(request, reply, await finishDemo(redmint, attempt, response, caller))
    },
  )

  fastify.post<{ Body?: { action?: string } }>(
    PATHS.demo,
    { schema: { hide: true } },
    async (request, reply) => {
      const { tokens } = cookie.read(request)
      const { action = '' } = request.body ?? {}
      const path = SENDS[action]
      if (tokens === undefined) return reply.redirect(page, 303)
      const caller = callerFor(fastify, request)
      if (path !== undefined) {
        const answer = await caller.get(path, tokens.access_token)
        return show(request, tokens, { request: `GET ${pathAt(settings, path)}`, ...answer })
      }
      if (action === 'refresh') return conclude(request, reply, await refreshDemo(tokens, caller))
      return cookie.clear(reply).redirect(demoSignOut(settings, tokens), 303)
    },
  )

  for (const name of Object.keys(DEMO_LINKS) as (keyof typeof DEMO_LINKS)[]) {
    fastify.get(`${DEMO_LINK_PATH}/${name}`, { schema: { hide: true } }, async (request) =>
      demoLinkPage(name, { ...request.view(), query: '' }),
    )
  }

  const conclude = (request: FastifyRequest, reply: FastifyReply, result: DemoTokens | DemoAnswer) => {
    if ('access_token' in result) return cookie.keep(reply, { tokens: result }).redirect(page, 303)
    return cookie.clear(reply).send(demoStartPage({ ...account, problem: result.json }, viewOf(request)))
  }
}

export default route

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
