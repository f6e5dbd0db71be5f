import { Readable } from 'node:stream'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress, networkOf } from '../plugins/address.ts'
import { tellProblem } from '../plugins/admin-problems.ts'
import consoleScope from '../plugins/console-scope.ts'
import { atDoor, countedAtDoor } from '../plugins/door-context.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { refuseForeignForms } from '../plugins/own-forms.ts'
import { contextOf } from '../plugins/request-context.ts'
import type { DoorContext } from '../src/admin/door/answer-operation.ts'
import { refusalOf } from '../src/admin/door/refusal.ts'
import { describeAdmin } from '../src/admin/door/resource.ts'
import { PROBLEMS } from '../src/admin/operation/problem.ts'
import { CONSOLE_TTL } from '../src/console/client.ts'
import type { Desk } from '../src/console/desk.ts'
import {
  type Answer,
  formTokenOf,
  isOwnForm,
  takeAction,
  type Visit,
  visitAction,
  visitExport,
  visitPage,
} from '../src/console/door.ts'
import { CONSOLE_EXPORTS } from '../src/console/export.ts'
import * as refused from '../src/console/pages/refused.ts'
import { shell } from '../src/console/pages/shell.ts'
import { consolePlace, nameOf } from '../src/console/place.ts'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../src/console/rooms.ts'
import type { Shown } from '../src/console/rows.ts'
import { endConsoleSession } from '../src/console/session.ts'
import { finishSignIn, type Purpose, startSignIn } from '../src/console/sign-in.ts'
import type { Context } from '../src/context.ts'
import { CONSOLE_PATH, PATHS } from '../src/core/paths.ts'
import type { Html } from '../src/pages/html.ts'
import { readQuery } from './query.ts'

// A longer one does not fit into the authorization request.
const MAX_PLACE = 1024

type Texts = Readonly<Record<string, string | undefined>>

const namesIn = (segments: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, nameOf(segment)]))

/** The console for operators. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const { settings } = redmint
  const { site, base, route } = consolePlace(settings)
  const { place } = describeAdmin(settings)
  const counted = countedAtDoor(redmint.now)
  const session = ownCookie({ issuer: site }, 'console', CONSOLE_PATH)
  const start = ownCookie({ issuer: site }, 'console-start', CONSOLE_PATH)
  const goodbye = refused.goodbyePage(base, settings.issuer + PATHS.end_session)
  await fastify.register(consoleScope)

  const contextFor = (request: FastifyRequest): Context & DoorContext => ({
    ...contextOf(request),
    ...atDoor(request, counted, 'console'),
  })

  const visitOf = (request: FastifyRequest): Visit => {
    const below = request.url.slice(route.length)
    return {
      cookie: session.read(request),
      base,
      place: below.length > MAX_PLACE ? '' : below,
      request_id: request.id,
      params: namesIn(request.params as Readonly<Record<string, string>>),
      query: (request.query ?? {}) as Texts,
      form: (request.body ?? {}) as Texts,
    }
  }

  const send = (reply: FastifyReply, show: Shown, desk?: Desk, result?: Html) => {
    const cookie = session.read(reply.request)
    const frame = {
      service_name: settings.service_name,
      base,
      style: fastify.consoleStyle,
      script: fastify.consoleScript,
      csrf: cookie && formTokenOf(cookie),
    }
    return reply
      .status(show.status ?? 200)
      .type('text/html; charset=utf-8')
      .send(shell({ ...show, result }, { ...frame, ...(desk && { desk }) }))
  }

  refuseForeignForms(fastify, site, (reply) => send(reply, refused.foreignFormPage(base)))

  const toSignIn = (request: FastifyRequest, reply: FastifyReply, purpose: Purpose) =>
    leaveFor(reply, startSignIn(redmint, purpose, start.read(request)))

  const leaveFor = (reply: FastifyReply, { location, key }: ReturnType<typeof startSignIn>) => {
    reply.setCookie(start.name, key, { ...start.options, maxAge: settings.sign_in_ttl })
    return reply.redirect(location, 302)
  }

  const answer = (request: FastifyRequest, reply: FastifyReply, answered: Answer) => {
    if ('sign_in' in answered) return toSignIn(request, reply, answered.sign_in)
    if ('go' in answered) return reply.redirect(base + answered.go, 303)
    if ('file' in answered) {
      reply.header('content-disposition', 'attachment')
      return reply.type('text/csv; charset=utf-8').send(Readable.from(answered.file))
    }
    const { show, desk, refusal, result } = answered
    if (refusal !== undefined) tellProblem({ error: refusal, headers: {} }, request)
    return send(reply, show, desk, result)
  }

  fastify.setErrorHandler((thrown: FastifyError, request, reply) => {
    const { error, headers } = tellProblem(refusalOf(thrown, place), request)
    return send(reply.headers(headers), refused.failedPage(PROBLEMS[error.code].status, error.message))
  })

  const reading = { schema: { hide: true }, exposeHeadRoute: false, preValidation: readQuery } as const
  for (const page of CONSOLE_PAGES) {
    fastify.get(route + page.path, reading, async (request, reply) =>
      answer(request, reply, await visitPage(contextFor(request), page, visitOf(request))),
    )
  }
  for (const list of CONSOLE_EXPORTS) {
    fastify.get(route + list.path, reading, async (request, reply) =>
      answer(request, reply, await visitExport(contextFor(request), list, visitOf(request))),
    )
  }
  for (const action of CONSOLE_ACTIONS) {
    fastify.get(route + action.path, reading, async (request, reply) =>
      answer(request, reply, await visitAction(contextFor(request), action, visitOf(request))),
    )
    fastify.post(route + action.path, { schema: { hide: true } }, async (request, reply) =>
      answer(request, reply, await takeAction(contextFor(request), action, visitOf(request))),
    )
  }

  fastify.get(`${route}/callback`, reading, async (request, reply) => {
    const caller = { address: () => networkOf(clientAddress(request)) }
    const found = await finishSignIn(contextFor(request), request.query as Texts, caller, {
      key: start.read(request),
      former: session.read(request),
    })
    if (found.outcome === 'weak') return leaveFor(reply, found)
    if (found.outcome === 'no_rights') return send(reply, refused.noRightsPage(found.username))
    if (found.outcome === 'unusable') return send(reply, refused.unusableSignInPage(base + found.to))
    reply.clearCookie(start.name, start.options)
    reply.setCookie(session.name, found.cookie, { ...session.options, maxAge: CONSOLE_TTL })
    return reply.redirect(base + found.to, 303)
  })

  fastify.get(`${route}/sign-out`, reading, async (request, reply) => {
    const cookie = session.read(request)
    return send(reply, cookie === undefined ? goodbye : refused.signOutPage(base, formTokenOf(cookie)))
  })

  fastify.post(`${route}/sign-out`, { schema: { hide: true } }, async (request, reply) => {
    const cookie = session.read(request)
    const { csrf } = request.body as Texts
    if (!isOwnForm(cookie, csrf)) return send(reply, refused.foreignFormPage(base))
    await endConsoleSession(contextFor(request), cookie)
    return send(reply.clearCookie(session.name, session.options), goodbye)
  })
  fastify.get(`${route}/*`, reading, async (_request, reply) => send(reply, refused.nothingHerePage(base)))
}

export default route
