import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { DEMO_PASSWORD, DEMO_USER } from '../src/accounts/demo-user.ts'
import { PATHS } from '../src/core/paths.ts'
import type { DeviceAuthorization } from '../src/device/device-authorization.ts'
import type { ShownAnswer } from '../src/pages/demo.ts'
import { demoDeviceCodePage, demoDeviceStartPage, demoDeviceTokensPage } from '../src/pages/demo-device.ts'
import type { View } from '../src/pages/layout.ts'
import { qrModules } from '../src/pages/qr-code.ts'
import type { DemoTokens } from '../src/service/demo-app.ts'
import { canAskAgain, checkDemoDevice, startDemoDevice } from '../src/service/demo-device.ts'
import { callerFor, shownTokens } from './demo-client.ts'

const COOKIE = 'redmint-demo-device'
const ACCOUNT = { username: DEMO_USER, password: DEMO_PASSWORD }
const API = '/api/resource'

type Kept = { readonly codes: DeviceAuthorization } | { readonly tokens: DemoTokens }

/** The demo device: a client without a browser, in a page (RFC 8628). It keeps codes and tokens sealed in a cookie. */
const route: FastifyPluginAsync = async (fastify) => {
  const { redmint } = fastify
  const { settings, sealer } = redmint
  const options = {
    path: PATHS.demo_device,
    httpOnly: true,
    sameSite: 'lax',
    secure: settings.issuer.startsWith('https:'),
  } as const

  fastify.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8')
  })

  const kept = (request: FastifyRequest): Partial<{ codes: DeviceAuthorization; tokens: DemoTokens }> => {
    const text = sealer.open('demo-device', request.cookies[COOKIE] ?? '')
    return text === undefined ? {} : (JSON.parse(text) as Kept)
  }
  const keep = (reply: FastifyReply, value: Kept) =>
    reply
      .setCookie(COOKIE, sealer.seal('demo-device', JSON.stringify(value)), options)
      .redirect(PATHS.demo_device, 303)
  const startAgain = (request: FastifyRequest, reply: FastifyReply, problem: unknown) =>
    reply.clearCookie(COOKIE, options).send(demoDeviceStartPage({ ...ACCOUNT, problem }, viewOf(request)))

  fastify.get(PATHS.demo_device, { schema: { hide: true } }, async (request) => {
    const { codes, tokens } = kept(request)
    if (tokens !== undefined) return showTokens(request, tokens)
    return codes === undefined ? demoDeviceStartPage(ACCOUNT, viewOf(request)) : showCodes(request, codes)
  })

  fastify.post<{ Body: { action?: string } }>(
    PATHS.demo_device,
    { schema: { hide: true } },
    async (request, reply) => {
      const { codes, tokens } = kept(request)
      const { action } = request.body
      const caller = callerFor(fastify, request)
      if (action === 'start') {
        const started = await startDemoDevice(caller)
        if ('device_code' in started) return keep(reply, { codes: started })
        return startAgain(request, reply, started.json)
      }
      if (action === 'check' && codes !== undefined) {
        const result = await checkDemoDevice(redmint, codes.device_code, caller)
        if ('access_token' in result) return keep(reply, { tokens: result })
        if (!canAskAgain(result)) return startAgain(request, reply, result.json)
        return showCodes(request, codes, { request: `POST ${PATHS.token}`, ...result })
      }
      if (action === 'api' && tokens !== undefined) {
        const answer = await caller.get(API, tokens.access_token)
        return showTokens(request, tokens, { request: `GET ${API}`, ...answer })
      }
      if (action === 'again') reply.clearCookie(COOKIE, options)
      return reply.redirect(PATHS.demo_device, 303)
    },
  )
}

export default route

/** What a form led to is shown at the address of the device, too, as far as it is kept. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), path: PATHS.demo_device, query: '' }
}

async function showCodes(
  request: FastifyRequest,
  codes: DeviceAuthorization,
  last?: ShownAnswer,
): Promise<string> {
  const qr = await qrModules(codes.verification_uri_complete)
  const props = { ...codes, qr, account: ACCOUNT, ...(last && { last }) }
  return demoDeviceCodePage(props, viewOf(request))
}

function showTokens(request: FastifyRequest, tokens: DemoTokens, last?: ShownAnswer): string {
  return demoDeviceTokensPage({ ...shownTokens(tokens), ...(last && { last }) }, viewOf(request))
}
