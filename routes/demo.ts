import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { DEMO_PASSWORD, DEMO_USER } from '../src/accounts/demo-user.ts'
import { DEMO_PAGE } from '../src/clients/demo-client.ts'
import { PATHS } from '../src/core/paths.ts'
import { demoPage, demoStartPage, type ShownAnswer } from '../src/pages/demo.ts'
import type { View } from '../src/pages/layout.ts'
import {
  type DemoAnswer,
  type DemoAttempt,
  type DemoTokens,
  demoSignOut,
  finishDemo,
  refreshDemo,
  startDemo,
} from '../src/service/demo-app.ts'
import { callerFor, shownTokens } from './demo-client.ts'
import { readQuery } from './query.ts'

const COOKIE = 'redmint-demo'
const ACCOUNT = { username: DEMO_USER, password: DEMO_PASSWORD }
const SENDS: Readonly<Record<string, string>> = { api: '/api/resource', userinfo: PATHS.userinfo }

type Kept = { readonly attempt: DemoAttempt } | { readonly tokens: DemoTokens }

/** The demo: a client of this service, in a page. It keeps its tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const { settings, sealer } = redmint
  const options = {
    path: PATHS.demo,
    httpOnly: true,
    sameSite: 'lax',
    secure: settings.issuer.startsWith('https:'),
  } as const

  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
  })

  const kept = (request: FastifyRequest): Partial<{ attempt: DemoAttempt; tokens: DemoTokens }> => {
    const text = sealer.open('demo', request.cookies[COOKIE] ?? '')
    return text === undefined ? {} : (JSON.parse(text) as Kept)
  }
  const keep = (reply: FastifyReply, value: Kept) =>
    reply.setCookie(COOKIE, sealer.seal('demo', JSON.stringify(value)), options)

  fastify.get(PATHS.demo, { schema: { hide: true } }, async (request) => {
    const { tokens } = kept(request)
    return tokens === undefined ? demoStartPage(ACCOUNT, viewOf(request)) : show(request, tokens)
  })

  fastify.get(`${PATHS.demo}/sign-in`, { schema: { hide: true } }, async (_request, reply) => {
    const { attempt, location } = startDemo(settings)
    return keep(reply, { attempt }).redirect(location)
  })

  fastify.get(
    DEMO_PAGE.callback,
    { schema: { hide: true }, preValidation: readQuery },
    async (request, reply) => {
      const response = request.query as Readonly<Record<string, string>>
      const caller = callerFor(fastify, request)
      return conclude(request, reply, await finishDemo(redmint, kept(request).attempt, response, caller))
    },
  )

  fastify.post<{ Body: { action?: string } }>(
    PATHS.demo,
    { schema: { hide: true } },
    async (request, reply) => {
      const { tokens } = kept(request)
      const { action = '' } = request.body
      const path = SENDS[action]
      if (tokens === undefined) return reply.redirect(PATHS.demo, 303)
      const caller = callerFor(fastify, request)
      if (path !== undefined) {
        const answer = await caller.get(path, tokens.access_token)
        return show(request, tokens, { request: `GET ${path}`, ...answer })
      }
      if (action === 'refresh') return conclude(request, reply, await refreshDemo(tokens, caller))
      return reply.clearCookie(COOKIE, options).redirect(demoSignOut(settings, tokens), 303)
    },
  )

  const conclude = (request: FastifyRequest, reply: FastifyReply, result: DemoTokens | DemoAnswer) => {
    if ('access_token' in result) return keep(reply, { tokens: result }).redirect(PATHS.demo, 303)
    return reply
      .clearCookie(COOKIE, options)
      .send(demoStartPage({ ...ACCOUNT, problem: result.json }, viewOf(request)))
  }
}

export default route

/** What a form or the answer of the service led to is shown at the address of the demo, too, as far as it is kept. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), path: PATHS.demo, query: '' }
}

function show(request: FastifyRequest, tokens: DemoTokens, last?: ShownAnswer): string {
  return demoPage({ ...shownTokens(tokens), ...(last && { last }) }, viewOf(request))
}
