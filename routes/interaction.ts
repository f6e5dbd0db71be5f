import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Step, showInteraction, takeAnswer } from '../src/authorize/continue.ts'
import { PATHS } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { redirectStatus, sendToClient } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorBody, Parameter, Parameters } from './schemas.ts'

const Transaction = Parameter('The pending authorization request')

const documentation = {
  tags: ['Pages'],
  response: {
    200: { description: 'The page of the step that is due', type: 'string' },
    '3xx': { description: 'To the next step, or to the redirect_uri', type: 'null' },
    400: {
      description: 'A page: the request is over, finished, or belongs to another browser',
      ...ErrorBody,
    },
    503: ErrorBody,
  },
} as const

/** Where a person signs in, chooses an account and gives consent. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const send = (request: FastifyRequest, reply: FastifyReply, step: Step) => {
    reply.header('cache-control', 'no-store')
    switch (step.to) {
      case 'client':
        return sendToClient(request, reply, step.response, step.ui_locales)
      case 'page':
        return reply.type('text/html; charset=utf-8').send(step.render(request.view(step.ui_locales)))
      case 'next': {
        if (step.cookie !== undefined) reply.keepBrowser({ session: step.cookie })
        const location = withQuery(PATHS.interaction, { transaction: step.transaction })
        return reply.redirect(location, redirectStatus(request))
      }
    }
  }

  fastify.get(
    PATHS.interaction,
    {
      schema: {
        summary: 'The step that a person has to do next',
        querystring: Parameters({ transaction: Transaction }),
        ...documentation,
      },
      config: { page: true },
      // A HEAD would answer the client, and nobody would see it.
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) =>
      send(
        request,
        reply,
        await showInteraction(fastify.redmint, request.query.transaction, request.browser),
      ),
  )

  fastify.post(
    PATHS.interaction,
    {
      schema: {
        summary: 'What the person did',
        consumes: ['application/x-www-form-urlencoded'],
        body: Parameters({
          transaction: Transaction,
          csrf: Parameter('Binds the form to the browser'),
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
      return send(request, reply, await takeAnswer(fastify.redmint, body, browser, caller.address()))
    },
  )
}

export default route
