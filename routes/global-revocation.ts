import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import bearer, { accessTokenOf } from '../plugins/bearer.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { GLOBAL_REVOCATION_SCOPE, revocationSubjectMalformed } from '../src/core/signal-errors.ts'
import { revokeGlobally } from '../src/signals-received/global-revocation.ts'
import { ErrorBody } from './schemas.ts'

/** A subject identifier needs a tenth of it. */
const BODY_LIMIT = 8 * 1024

const schema = {
  operationId: 'revokeGlobally',
  summary: 'Global token revocation (draft-parecki-oauth-global-token-revocation)',
  tags: ['OAuth 2.0'],
  security: [{ bearer: [] }],
  consumes: ['application/json'],
  body: {
    type: 'object',
    description: 'Whom it is about: sub_id, a subject identifier (RFC 9493)',
    additionalProperties: true,
  },
  response: {
    204: { description: 'All sessions, codes and tokens of that person are ended', type: 'null' },
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    503: ErrorBody,
  },
} as const

/** Where a security product has everything of a person ended. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  await fastify.register(bearer)
  fastify.removeAllContentTypeParsers()
  const json = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
  fastify.addContentTypeParser('application/json', json, (_request, text, done) => done(null, text))
  fastify.addContentTypeParser('*', json, (_request, _text, done) => {
    done(revocationSubjectMalformed('Send sub_id as application/json.'))
  })
  // src/ reads the text: a member must not be there twice.
  fastify.setValidatorCompiler(() => () => true)
  // Storage is asked each time: a client that an operator stops must end nothing any more.
  const onRequest = fastify.protect({ scopes: [GLOBAL_REVOCATION_SCOPE], check_grant: true })
  const options = { schema, onRequest, bodyLimit: BODY_LIMIT }
  fastify.post(PATHS.global_revocation, options, async (request, reply) => {
    const body = typeof request.body === 'string' ? request.body : ''
    await revokeGlobally(contextOf(request), accessTokenOf(request), body)
    return reply.header('cache-control', 'no-store').status(204).send()
  })
}

export default route
