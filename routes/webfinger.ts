import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ErrorBody as Body } from '../src/core/error-body.ts'
import { ROOT_PATHS } from '../src/core/paths.ts'
import { queryOf } from '../src/core/uri.ts'
import { findIssuer, WebFinger } from '../src/service/webfinger.ts'
import { ErrorBody, JsonAs, Parameter, Parameters } from './schemas.ts'

// RFC 7033 §10.2.
const JRD = 'application/jrd+json'
const MAX_AGE = 3600
const UNKNOWN: Body = { error: 'not_found', error_description: 'Nothing is known of this resource here.' }

/** WebFinger (RFC 7033), at the root of the host. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { settings } = fastify.redmint
  fastify.get(
    ROOT_PATHS.webfinger,
    {
      schema: {
        operationId: 'webfinger',
        summary: 'The issuer of a user (OpenID Connect Discovery §2)',
        tags: ['Discovery'],
        querystring: Parameters({
          resource: Parameter('Required: the address of the user, such as acct:alice@example.com'),
          rel: Parameter('The links that are wanted; may be repeated'),
        }),
        response: { 200: JsonAs(JRD, WebFinger), 400: ErrorBody, 404: ErrorBody },
      },
      // src/ reads the query: rel may be repeated.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const found = findIssuer(settings, queryOf(request.url))
      if (found === undefined) return reply.status(404).send(UNKNOWN)
      return reply.type(JRD).header('cache-control', `public, max-age=${MAX_AGE}`).send(found)
    },
  )
}

export default route
