import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { authorizationFlow } from '../src/authorize/authorization-flow.ts'
import { PATHS } from '../src/core/paths.ts'
import { continueInteraction, showInteraction } from '../src/interaction/flow.ts'
import { formSubmission, siteSubmission } from '../src/interaction/submission.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const Transaction = Parameter('The pending authorization request')

const documentation = {
  tags: ['Pages'],
  response: {
    200: { description: 'The page of the step that is due', type: 'string' },
    '3xx': {
      description: 'To the next step, to the redirect_uri, or to the site of a sign-in method',
      type: 'null',
    },
    400: {
      description: 'A page: the request expired, is finished, or belongs to another browser',
      ...ErrorBody,
    },
    503: ErrorBody,
  },
} as const

/** Where the user signs in, chooses an account and gives consent. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { redmint } = fastify
  /** The kinds of requests that users continue here. */
  const flows = { authorization: authorizationFlow(redmint) }

  fastify.get(
    PATHS.interaction,
    {
      schema: {
        summary: 'The step that is due',
        querystring: Parameters({
          transaction: Transaction,
          state: Parameter('Set by another site that a sign-in method sent the browser to'),
        }),
        ...documentation,
      },
      config: { page: true },
      // A HEAD request would answer the client, and nobody would receive the answer.
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query, browser, caller } = request
      // Another site that a sign-in method sent the browser to returns it with `state` in place of `transaction`.
      const isReturn = query.transaction === undefined && query.state !== undefined
      const answer = isReturn
        ? await continueInteraction(redmint, flows, siteSubmission(query, caller.address()), browser)
        : await showInteraction(redmint, flows, query.transaction, browser)
      return sendReply(request, reply, answer, query)
    },
  )

  fastify.post(
    PATHS.interaction,
    {
      schema: {
        summary: 'The answer of the user',
        consumes: ['application/x-www-form-urlencoded'],
        body: Parameters({
          transaction: Transaction,
          csrf: Parameter('Binds the form to the browser'),
          method: Parameter('Sign-in: the method, if it is not the first one'),
          username: Parameter('Sign-in'),
          password: Parameter('Sign-in'),
          account: Parameter('Choice of account'),
          decision: Parameter('allow, deny or other_account'),
        }),
        ...documentation,
      },
      config: { page: true },
    },
    async (request, reply) => {
      const { body, browser, caller } = request
      const submission = formSubmission(body, caller.address())
      return sendReply(request, reply, await continueInteraction(redmint, flows, submission, browser), body)
    },
  )
}

export default route
