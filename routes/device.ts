import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { browserOf } from '../plugins/browser.ts'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { openVerification } from '../src/device/verification.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'

/** Where the user of a device enters its user code. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.get(
    PATHS.device,
    {
      schema: {
        operationId: 'verifyDevice',
        summary: 'Verification URI of devices (RFC 8628 §3.3)',
        tags: ['Pages'],
        querystring: Parameters({
          user_code: Parameter('The user code, in any case, with or without a dash'),
          ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
        }),
        response: {
          200: Page('The page that asks for the user code'),
          '3xx': { description: 'To the sign-in, and then to the question about the device', type: 'null' },
          400: ErrorPage('A parameter is malformed or repeated'),
          503: UNAVAILABLE,
        },
      },
      config: { page: 'sign-in' },
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query } = request
      const answer = await openVerification(contextOf(request), query, browserOf(request))
      return sendReply(request, reply, answer, query)
    },
  )
}

export default route
