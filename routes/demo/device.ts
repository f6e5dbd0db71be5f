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
import { callerFor, keepInCookie, shownTokens } from './client.ts'

/** One of the two. */
interface Kept {
  readonly codes: DeviceAuthorization
  readonly tokens: DemoTokens
}

/** The demo device: a client without a browser, in a page (RFC 8628). It keeps codes and tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const account = demoAccountFor(redmint.settings)
  const at = (path: string) => pathAt(redmint.settings, path)
  const cookie = keepInCookie<Kept>(fastify, { path: PATHS.demo_device, purpose: 'demo-device' })
  const keep = (reply: FastifyReply, kept: Partial<Kept>) =>
    cookie.keep(reply, kept).redirect(at(PATHS.demo_device), 303)
  const startAgain = (request: FastifyRequest, reply: FastifyReply, problem: unknown) =>
    cookie.clear(reply).send(demoDeviceStartPage({ ...account, problem }, viewOf(request)))

  const check = async (request: FastifyRequest, reply: FastifyReply, codes: DeviceAuthorization) => {
    const result = await checkDemoDevice(redmint, codes.device_code, callerFor(fastify, request))
    if ('access_token' in result) return keep(reply, { tokens: result })
    if (!canAskAgain(result)) return startAgain(request, reply, result.json)
    const later = askLater(codes, result)
    cookie.keep(reply, { codes: later })
    return showCodes(request, reply, later, { request: `POST ${at(PATHS.token)}`, ...result })
  }

  fastify.get<{ Querystring: { check?: string } }>(
    PATHS.demo_device,
    { schema: { hide: true } },
    async (request, reply) => {
      const { codes, tokens } = cookie.read(request)
      if (tokens !== undefined) return showTokens(request, tokens)
      if (codes === undefined) return demoDeviceStartPage(account, viewOf(request))
      return request.query.check === undefined
        ? showCodes(request, reply, codes)
        : check(request, reply, codes)
    },
  )

  fastify.post<{ Body?: { action?: string } }>(
    PATHS.demo_device,
    { schema: { hide: true } },
    async (request, reply) => {
      const { codes, tokens } = cookie.read(request)
      const { action } = request.body ?? {}
      const caller = callerFor(fastify, request)
      if (action === 'start') {
        const started = await startDemoDevice(caller)
        if ('device_code' in started) return keep(reply, { codes: started })
        return startAgain(request, reply, started.json)
      }
      if (action === 'check' && codes !== undefined) return check(request, reply, codes)
      if (action === 'api' && tokens !== undefined) {
        const answer = await caller.get(PATHS.demo_resource, tokens.access_token)
        return showTokens(request, tokens, { request: `GET ${at(PATHS.demo_resource)}`, ...answer })
      }
      if (action === 'again') cookie.clear(reply)
      return reply.redirect(at(PATHS.demo_device), 303)
    },
  )
}

export default route

/** The view of a page after a form: a link shows it again at the address of the device, as far as the cookie has it. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), path: pathAt(request.server.redmint.settings, PATHS.demo_device), query: '' }
}

// The page comes again with the answer to the next question: a header does that without a script.
async function showCodes(
  request: FastifyRequest,
  reply: FastifyReply,
  codes: DeviceAuthorization,
  last?: ShownAnswer,
): Promise<string> {
  reply.header(
    'refresh',
    `${codes.interval}; url=${pathAt(request.server.redmint.settings, PATHS.demo_device)}?check`,
  )
  const qr = await qrModules(codes.verification_uri_complete)
  const account = demoAccountFor(request.server.redmint.settings)
  const props = { ...codes, qr, account, ...(last && { last }) }
  return demoDeviceCodePage(props, viewOf(request))
}

function showTokens(request: FastifyRequest, tokens: DemoTokens, last?: ShownAnswer): string {
  return demoDeviceTokensPage(
    { ...shownTokens(tokens, request.server.redmint.now()), ...(last && { last }) },
    viewOf(request),
  )
}
