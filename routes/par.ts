import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PushedRequest, pushRequest } from '../src/authorize/push-request.ts'
import { PATHS } from '../src/core/paths.ts'
import { AUTHORIZATION_PARAMETERS } from './authorize.ts'
import { CLIENT_PARAMETERS, Parameter, Parameters, REFUSALS, ref } from './schemas.ts'

const schema = {
  operationId: 'pushAuthorizationRequest',
  summary: 'Pushed authorization request endpoint (RFC 9126 §2)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: Parameters({
    ...AUTHORIZATION_PARAMETERS,
    ...CLIENT_PARAMETERS,
    request_uri: Parameter('Refused (RFC 9126 §2.1)'),
  }),
  response: { 201: ref(PushedRequest), ...REFUSALS },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, bodyLimit: LONG_BODY_LIMIT, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.par, options, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    const pushed = await pushRequest(contextOf(request), request.body, callerOf(request, reply))
    return reply.code(201).send(pushed)
  })
}

export default route
