import { type FastifyPluginAsyncTypebox, type TSchema, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ADDRESS_MEMBERS, type ClaimType } from '../src/accounts/claim-kinds.ts'
import { STANDARD_CLAIMS } from '../src/accounts/standard-claims.ts'
import { userInfo } from '../src/claims/userinfo.ts'
import { unauthorized } from '../src/core/errors.ts'
import { PATHS } from '../src/core/paths.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const CLAIM = {
  string: Type.String(),
  boolean: Type.Boolean(),
  number: Type.Integer({ description: 'Seconds since 1970' }),
  address: Type.Object(
    Object.fromEntries(ADDRESS_MEMBERS.map((name) => [name, Type.Optional(Type.String())])),
  ),
} satisfies Record<ClaimType, TSchema>

// What stands in no response schema would not be sent.
const UserInfoBody = Type.Object({
  ...Object.fromEntries(
    Object.entries(STANDARD_CLAIMS).map(([name, { type }]) => [name, Type.Optional(CLAIM[type])]),
  ),
  sub: Type.String({ description: 'The user; the sub of the id_token' }),
})

const documentation = {
  tags: ['OpenID Connect'],
  security: [{ bearer: [] }],
  response: {
    200: UserInfoBody,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    503: ErrorBody,
  },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { config: { bearer: true }, preHandler: fastify.requireTokenAndGrant }
  const answer = async ({ accessToken }: FastifyRequest, reply: FastifyReply) => {
    if (accessToken === null) throw unauthorized()
    reply.header('cache-control', 'no-store')
    return userInfo(fastify.redmint, accessToken)
  }

  fastify.get(
    PATHS.userinfo,
    { ...options, schema: { summary: 'User information (OpenID Connect Core §5.3)', ...documentation } },
    answer,
  )

  fastify.post(
    PATHS.userinfo,
    {
      ...options,
      // A token in the header needs no body.
      preValidation: async (request) => {
        request.body ??= {}
      },
      schema: {
        summary: 'User information, by form (RFC 6750 §2.2)',
        consumes: ['application/x-www-form-urlencoded'],
        body: Type.Optional(
          Parameters({ access_token: Parameter('The token, where no Authorization header has it') }),
        ),
        ...documentation,
      },
    },
    answer,
  )
}

export default route
