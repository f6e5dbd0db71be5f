import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { PATHS, pathAt } from '../../src/core/paths.ts'
import type { DemoTokens } from '../../src/demo/demo-app.ts'
import { askLater, canAskAgain, checkDemoDevice, startDemoDevice } from '../../src/demo/demo-device.ts'
import {
  demoDeviceCodePage,
  demoDeviceStartPage,
  demoDeviceTokensPage,
} from '../../src/demo/demo-device-page.ts'
import type { ShownAnswer } from '../../src/demo/demo-page.ts'
import { demoAccountFor } from '../../src/demo/demo-user.ts'
import type { DeviceAuthorization } from '../../src/device/device-authorization.ts'
import type { View } from '../../src/pages/layout.ts'
import { qrModules } from '../../src/pages/qr-code.ts'
import { callerFor, type DemoCookie, keepInCookie, shownTokens } from './client.ts'

/** One of the two. */
interface Kept {
  readonly codes: DeviceAuthorization
  readonly tokens: DemoTokens
}

/** The demo device: a client without a browser, in a page (RFC 8628). It keeps codes and tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const cookie = keepInCookie<Kept>(fastify, { path: PATHS.demo_device, purpose: 'demo-device' })
  const hidden = { schema: { hide: true } }

  fastify.get<{ Querystring: { check?: string } }>(PATHS.demo_device, hidden, async (request, reply) => {
    const { codes, tokens } = cookie.read(request)
    if (tokens !== undefined) return showTokens(request, tokens)
    if (codes === undefined) return demoDeviceStartPage(accountOf(request), viewOf(request))
    return request.query.check === undefined
      ? showCodes(request, reply, codes)
      : check(cookie, request, reply, codes)
  })

  fastify.post<{ Body?: { action?: string } }>(PATHS.demo_device, hidden, async (request, reply) =>
    take(cookie, request, reply, request.body?.action),
  )
}

export default route

async function take(
  cookie: DemoCookie<Kept>,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string | undefined,
): Promise<FastifyReply | string> {
  const { codes, tokens } = cookie.read(request)
  const caller = callerFor(request.server, request)
  if (action === 'start') {
    const started = await startDemoDevice(caller)
    if ('device_code' in started) return keep(cookie, request, reply, { codes: started })
    return startAgain(cookie, request, reply, started.json)
  }
  if (action === 'check' && codes !== undefined) return check(cookie, request, reply, codes)
  if (action === 'api' && tokens !== undefined) {
    const answer = await caller.get(PATHS.demo_resource, tokens.access_token)
    return showTokens(request, tokens, { request: `GET ${pathOf(request, PATHS.demo_resource)}`, ...answer })
  }
  if (action === 'again') cookie.clear(reply)
  return reply.redirect(pathOf(request), 303)
}

/** Asks for the tokens once. */
async function check(
  cookie: DemoCookie<Kept>,
  request: FastifyRequest,
  reply: FastifyReply,
  codes: DeviceAuthorization,
): Promise<FastifyReply | string> {
  const { redmint } = request.server
  const result = await checkDemoDevice(redmint, codes.device_code, callerFor(request.server, request))
  if ('access_token' in result) return keep(cookie, request, reply, { tokens: result })
  if (!canAskAgain(result)) return startAgain(cookie, request, reply, result.json)
  const later = askLater(codes, result)
  cookie.keep(reply, { codes: later })
  return showCodes(request, reply, later, { request: `POST ${pathOf(request, PATHS.token)}`, ...result })
}

const keep = (cookie: DemoCookie<Kept>, request: FastifyRequest, reply: FastifyReply, kept: Partial<Kept>) =>
  cookie.keep(reply, kept).redirect(pathOf(request), 303)

const startAgain = (
  cookie: DemoCookie<Kept>,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: unknown,
) => cookie.clear(reply).send(demoDeviceStartPage({ ...accountOf(request), problem }, viewOf(request)))

const pathOf = ({ server }: FastifyRequest, path: string = PATHS.demo_device) =>
  pathAt(server.redmint.settings, path)

const accountOf = ({ server }: FastifyRequest) => demoAccountFor(server.redmint.settings)

/** The view of a page after a form: a link shows it again at the address of the device, as far as the cookie has it. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), path: pathOf(request), query: '' }
}

// The page comes again with the answer to the next question: a header does that without a script.
async function showCodes(
  request: FastifyRequest,
  reply: FastifyReply,
  codes: DeviceAuthorization,
  last?: ShownAnswer,
): Promise<string> {
  reply.header('refresh', `${codes.interval}; url=${pathOf(request)}?check`)
  const qr = await qrModules(codes.verification_uri_complete)
  const account = accountOf(request)
  const props = { ...codes, qr, account, ...(last && { last }) }
  return demoDeviceCodePage(props, viewOf(request))
}

function showTokens(request: FastifyRequest, tokens: DemoTokens, last?: ShownAnswer): string {
  return demoDeviceTokensPage(
    { ...shownTokens(tokens, request.server.redmint.now()), ...(last && { last }) },
    viewOf(request),
  )
}
