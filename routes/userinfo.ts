import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import bearer, { accessTokenOf } from '../plugins/bearer.ts'
import { UserInfo, userInfo } from '../src/claims/userinfo.ts'
import { tellShown } from '../src/core/connection-steps.ts'
import { PATHS } from '../src/core/paths.ts'
import { ErrorBody, JsonOrJwt, Parameter, Parameters } from './schemas.ts'

// OpenID Connect Core §5.3.2.
const USERINFO_JWT = 'application/jwt'

const documentation = {
  tags: ['OpenID Connect'],
  security: [{ bearer: [] }],
  response: {
    200: JsonOrJwt(UserInfo, USERINFO_JWT),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    503: ErrorBody,
  },
}

const QUERY = {
  operationId: 'userinfo',
  summary: 'User information (OpenID Connect Core §5.3)',
  ...documentation,
}

const FORM = {
  operationId: 'userinfoByForm',
  summary: 'User information, by form (RFC 6750 §2.2)',
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Optional(Parameters({ access_token: Parameter('The token, without an Authorization header') })),
  ...documentation,
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  await fastify.register(bearer)
  const preHandler = fastify.protect({ check_grant: true, form: true })
  const options = { config: { bearer: true }, preHandler }
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = accessTokenOf(request)
    reply.header('cache-control', 'no-store')
    // The guard took the token; what is asked of its scope and account is asked here.
    const answer = await tellShown(fastify.redmint, { endpoint: 'userinfo' }, (showing) => {
      showing.found = { valid: true, token }
      return userInfo(fastify.redmint, token)
    })
    if (typeof answer === 'string') reply.type(USERINFO_JWT)
    return answer
  }
  fastify.get(PATHS.userinfo, { ...options, schema: QUERY }, answer)
  fastify.post(PATHS.userinfo, { ...options, schema: FORM }, answer)
}

export default route
