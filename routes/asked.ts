import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { browserOf } from '../plugins/browser.ts'
import { contextOf } from '../plugins/request-context.ts'
import { openAsk } from '../src/asks/ask-flow.ts'
import { PATHS } from '../src/core/paths.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'

/** Where a person opens what a client asks. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.get(
    PATHS.asked,
    {
      schema: {
        operationId: 'openAsk',
        summary: 'What an application asks a person',
        tags: ['Pages'],
        querystring: Parameters({
          ask: Parameter('Which of what waits for the person'),
          ui_locales: Parameter('Languages of the pages in order of preference, as language tags'),
        }),
        response: {
          200: Page('Nothing waits'),
          '3xx': { description: 'To the sign-in, and then to the question', type: 'null' },
          400: ErrorPage('A parameter is malformed or repeated'),
          503: UNAVAILABLE,
        },
      },
      config: { page: 'sign-in' },
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query } = request
      return sendReply(request, reply, openAsk(contextOf(request), query, browserOf(request)), query)
    },
  )
}

export default route
