import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress, networkOf } from '../plugins/address.ts'
import { tellProblem } from '../plugins/admin-problems.ts'
import consoleScope from '../plugins/console-scope.ts'
import { atDoor, countedAtDoor } from '../plugins/door-context.ts'
import { ownCookie } from '../plugins/own-cookie.ts'
import { refuseForeignForms } from '../plugins/own-forms.ts'
import { contextOf } from '../plugins/request-context.ts'
import type { AdminDoorContext } from '../src/admin/door/answer-operation.ts'
import { refusalOf } from '../src/admin/door/refusal.ts'
import { describeAdmin } from '../src/admin/door/resource.ts'
import { PROBLEMS } from '../src/admin/operation/problem.ts'
import { CONSOLE_TTL } from '../src/console/client.ts'
import type { Desk } from '../src/console/desk.ts'
import {
  type ConsoleAnswer,
  type ConsoleContext,
  type ConsoleVisit,
  formTokenOf,
  takeAction,
  takeSignOut,
  visitAction,
  visitExport,
  visitPage,
} from '../src/console/door.ts'
import { CONSOLE_EXPORTS } from '../src/console/export.ts'
import type { Failing } from '../src/console/failing.ts'
import * as refused from '../src/console/pages/refused.ts'
import { shell } from '../src/console/pages/shell.ts'
import { consolePlace, nameOf } from '../src/console/place.ts'
import { CONSOLE_ACTIONS, CONSOLE_PAGES, pageOf } from '../src/console/rooms.ts'
import type { ShownPage } from '../src/console/rows.ts'
import { type ConsolePurpose, finishSignIn, type StartedSignIn, startSignIn } from '../src/console/sign-in.ts'
import type { Context } from '../src/context.ts'
import { CONSOLE_PATH, PATHS } from '../src/core/paths.ts'
import type { Html } from '../src/pages/html.ts'
import { readQuery } from './query.ts'

// A longer one does not fit into the authorization request.
const MAX_PLACE = 1024

type Texts = Readonly<Record<string, string | undefined>>

const namesIn = (segments: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, nameOf(segment)]))

/** Translates between Fastify and the door of the console. */
function translate(fastify: FastifyInstance) {
  const { redmint } = fastify
  const { settings } = redmint
  const { site, base, route } = consolePlace(settings)
  const counted = countedAtDoor(redmint.now)
  const session = ownCookie({ issuer: site }, 'console', CONSOLE_PATH)
  const start = ownCookie({ issuer: site }, 'console-start', CONSOLE_PATH)

  const contextFor = (request: FastifyRequest): Context & AdminDoorContext => ({
    ...contextOf(request),
    ...atDoor(request, counted, 'console'),
  })

  const visitOf = (request: FastifyRequest): ConsoleVisit => {
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

  const leaveFor = (reply: FastifyReply, { location, key }: StartedSignIn) => {
    reply.setCookie(start.name, key, { ...start.options, maxAge: settings.sign_in_ttl })
    return reply.redirect(location, 302)
  }

  const toSignIn = (request: FastifyRequest, reply: FastifyReply, purpose: ConsolePurpose) =>
    leaveFor(reply, startSignIn(redmint, purpose, start.read(request)))

  return { base, route, session, start, contextFor, visitOf, leaveFor, toSignIn }
}

type Translated = ReturnType<typeof translate>

/** The console for operators. */
const route: FastifyPluginAsync = async (fastify) => {
  const { settings } = fastify.redmint
  const { site, base } = consolePlace(settings)
  const { place } = describeAdmin(settings)
  const translated = translate(fastify)
  await fastify.register(consoleScope)
  refuseForeignForms(fastify, site, (reply) => send(translated, reply, refused.foreignFormPage(base)))
  fastify.setErrorHandler((thrown: FastifyError, request, reply) => {
    const { error, headers } = tellProblem(refusalOf(thrown, place), request)
    const page = refused.failedPage(PROBLEMS[error.code].status, error.message, request.id)
    return send(translated, reply.headers(headers), page)
  })
  addPages(fastify, translated)
  addSignIn(fastify, translated)
  addSignOut(fastify, translated)
}

function send(
  { base, session }: Translated,
  reply: FastifyReply,
  show: ShownPage,
  {
    desk,
    result,
    failing,
  }: { readonly desk?: Desk; readonly result?: Html | undefined; readonly failing?: Failing } = {},
) {
  const { server } = reply.request
  const cookie = session.read(reply.request)
  const frame = {
    service_name: server.redmint.settings.service_name,
    issuer: server.redmint.settings.issuer,
    base,
    style: server.consoleStyle,
    script: server.consoleScript,
    csrf: cookie && formTokenOf(cookie),
  }
  return reply
    .status(show.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(shell({ ...show, result }, { ...frame, failing, ...(desk && { desk }) }))
}

function answer(
  translated: Translated,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: ConsoleAnswer,
) {
  if ('sign_in' in answered) return translated.toSignIn(request, reply, answered.sign_in)
  if ('go' in answered) return reply.redirect(translated.base + answered.go, 303)
  if ('file' in answered) {
    reply.header('content-disposition', 'attachment')
    return reply.type('text/csv; charset=utf-8').send(Readable.from(answered.file))
  }
  const { show, refusal, ...around } = answered
  if (refusal !== undefined) tellProblem({ error: refusal, headers: {} }, request)
  return send(translated, reply, show, around)
}

const READING = { schema: { hide: true }, exposeHeadRoute: false, preValidation: readQuery } as const

function addPages(fastify: FastifyInstance, translated: Translated): void {
  const { base, route, contextFor, visitOf } = translated
  const by =
    <Row>(
      row: Row,
      door: (context: ConsoleContext, row: Row, visit: ConsoleVisit) => Promise<ConsoleAnswer>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply) =>
      answer(translated, request, reply, await door(contextFor(request), row, visitOf(request)))
  for (const page of [...CONSOLE_PAGES, ...fastify.redmint.sections.map(pageOf)])
    fastify.get(route + page.path, READING, by(page, visitPage))
  for (const list of CONSOLE_EXPORTS) fastify.get(route + list.path, READING, by(list, visitExport))
  for (const action of CONSOLE_ACTIONS) {
    fastify.get(route + action.path, READING, by(action, visitAction))
    fastify.post(route + action.path, { schema: { hide: true } }, by(action, takeAction))
  }
  fastify.get(`${route}/*`, READING, async (_request, reply) =>
    send(translated, reply, refused.nothingHerePage(base)),
  )
}

function addSignIn(fastify: FastifyInstance, translated: Translated): void {
  const { base, route, session, start, contextFor, leaveFor } = translated
  fastify.get(`${route}/callback`, READING, async (request, reply) => {
    const caller = { address: () => networkOf(clientAddress(request)) }
    const found = await finishSignIn(contextFor(request), request.query as Texts, caller, {
      key: start.read(request),
      former: session.read(request),
    })
    if (found.outcome === 'weak') return leaveFor(reply, found)
    if (found.outcome === 'no_rights') return send(translated, reply, refused.noRightsPage(found.username))
    if (found.outcome === 'unusable')
      return send(translated, reply, refused.unusableSignInPage(base + found.to))
    reply.clearCookie(start.name, start.options)
    reply.setCookie(session.name, found.cookie, { ...session.options, maxAge: CONSOLE_TTL })
    return reply.redirect(base + found.to, 303)
  })
}

function addSignOut(fastify: FastifyInstance, translated: Translated): void {
  const { base, route, session, contextFor, visitOf } = translated
  const goodbye = refused.goodbyePage(base, fastify.redmint.settings.issuer + PATHS.end_session)
  fastify.get(`${route}/sign-out`, READING, async (request, reply) => {
    const cookie = session.read(request)
    const page = cookie === undefined ? goodbye : refused.signOutPage(base, formTokenOf(cookie))
    return send(translated, reply, page)
  })
  fastify.post(`${route}/sign-out`, { schema: { hide: true } }, async (request, reply) => {
    const is_over = await takeSignOut(contextFor(request), visitOf(request))
    if (!is_over) return send(translated, reply, refused.foreignFormPage(base))
    return send(translated, reply.clearCookie(session.name, session.options), goodbye)
  })
}

export default route
