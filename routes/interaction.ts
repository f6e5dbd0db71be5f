import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { contextOf } from '../plugins/request-context.ts'
import { PATHS } from '../src/core/paths.ts'
import { finishInteraction, showInteraction } from '../src/interaction/flow.ts'
import { formSubmission, siteSubmission } from '../src/interaction/submission.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'
import { visitOf } from './visit.ts'

const Transaction = Parameter('The pending authorization request')

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('The page of the step that is due'),
    '3xx': {
      description: 'To the next step, to the redirect_uri, or to the site of a sign-in method',
      type: 'null',
    },
    400: ErrorPage('The request has expired, is finished, or belongs to another browser'),
    503: UNAVAILABLE,
  },
} as const

const SHOW = {
  schema: {
    operationId: 'showInteraction',
    summary: 'The step that is due',
    querystring: Parameters({
      transaction: Transaction,
      state: Parameter('Set by another site that a sign-in method sent the browser to'),
      way: Parameter('By what the page asks for the second step: code or recovery'),
    }),
    ...documentation,
  },
  config: { page: 'sign-in' },
  // A HEAD request would answer the client, and nobody would receive the answer.
  exposeHeadRoute: false,
  preValidation: readQuery,
} as const

const SUBMIT = {
  schema: {
    operationId: 'submitInteraction',
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
  config: { page: 'sign-in' },
} as const

/** Where the user signs in, chooses an account and gives consent. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.get(PATHS.interaction, SHOW, async (request, reply) => {
    const { query } = request
    const context = contextOf(request)
    const visit = visitOf(request, reply, context, query)
    const { flows, browser } = visit
    // Another site that a sign-in method sent the browser to returns it with `state` in place of `transaction`.
    const is_return = query.transaction === undefined && query.state !== undefined
    const answer = is_return
      ? await finishInteraction(context, flows, siteSubmission(query, visit), browser)
      : await showInteraction(context, flows, query.transaction, browser, query.way)
    return sendReply(request, reply, answer)
  })

  fastify.post(PATHS.interaction, SUBMIT, async (request, reply) => {
    const context = contextOf(request)
    const visit = visitOf(request, reply, context, request.body)
    const submission = formSubmission(request.body, visit)
    return sendReply(request, reply, await finishInteraction(context, visit.flows, submission, visit.browser))
  })
}

export default route
