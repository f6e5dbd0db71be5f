import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { preferredMediaType } from '../src/core/preferences.ts'
import { Introspection, introspect } from '../src/tokens/introspection.ts'
import { INTROSPECTION_JWT } from '../src/tokens/jwt.ts'
import { CLIENT_PARAMETERS, JsonOrJwt, Parameter, Parameters, REFUSALS } from './schemas.ts'

const MEDIA_TYPES = ['application/json', INTROSPECTION_JWT] as const
const JSON_TYPE = 'application/json; charset=utf-8'

const schema = {
  operationId: 'introspect',
  summary: 'Introspection endpoint (RFC 7662, RFC 9701)',
  tags: ['OAuth 2.0'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }],
  body: Parameters({
    token: Parameter('Required: any token'),
    token_type_hint: Parameter('Ignored'),
    spend: Parameter('true: the API does now what the token is for once'),
    ...CLIENT_PARAMETERS,
  }),
  response: {
    200: JsonOrJwt(Introspection, INTROSPECTION_JWT),
    ...REFUSALS,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.introspect, options, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { body, headers } = request
    // RFC 9701 §4.
    const accepts_jwt = preferredMediaType(headers.accept, MEDIA_TYPES) === INTROSPECTION_JWT
    // An event knows its request.
    const context = body.spend === 'true' ? contextOf(request) : fastify.redmint
    const answer = await introspect(context, body, callerOf(request, reply), accepts_jwt)
    // As text: the schema of two media types takes long to find for each answer, and would leave nothing out.
    const [type, text] =
      typeof answer === 'string' ? [INTROSPECTION_JWT, answer] : [JSON_TYPE, JSON.stringify(answer)]
    return reply.type(type).send(text)
  })
}

export default route
