import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { authorizeDevice, DeviceAuthorization } from '../src/device/device-authorization.ts'
import { CLIENT_PARAMETERS, Parameter, Parameters, REFUSALS, ref } from './schemas.ts'

const schema = {
  operationId: 'deviceAuthorization',
  summary: 'Device authorization endpoint (RFC 8628 §3.1)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: Parameters({
    ...CLIENT_PARAMETERS,
    authorization_details: Parameter('What the device asks for in detail, as JSON (RFC 9396)'),
    resource: Parameter('The APIs that tokens are for (RFC 8707); may be repeated'),
    scope: Parameter('Scope names separated by spaces; by default all that the client may obtain'),
  }),
  response: { 200: ref(DeviceAuthorization), ...REFUSALS },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, bodyLimit: LONG_BODY_LIMIT, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.device_authorization, options, (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    return authorizeDevice(contextOf(request), request.body, callerOf(request, reply))
  })
}

export default route
