import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { type Step, showInteraction, takeAnswer } from '../src/authorize/interaction.ts'
import { PATHS } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { redirectStatus, sendToClient } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

const Transaction = Parameter('The pending authorization request')

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('The page of the step that is due'),
    '3xx': { description: 'To the next step, or to the redirect_uri', type: 'null' },
    400: ErrorPage('The request has expired, is finished, or belongs to another browser'),
    503: ErrorPage('Storage cannot answer'),
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
        if (step.cookie !== undefined) keepBrowser(reply, { session: step.cookie })
        const location = withQuery(PATHS.interaction, { transaction: step.transaction })
        return reply.redirect(location, redirectStatus(request))
      }
    }
  }

  fastify.get(
    PATHS.interaction,
    {
      schema: {
        operationId: 'showInteraction',
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
        await showInteraction(fastify.redmint, request.query.transaction, browserOf(request)),
      ),
  )

  fastify.post(
    PATHS.interaction,
    {
      schema: {
        operationId: 'submitInteraction',
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
      const { body } = request
      const address = callerOf(request).address()
      return send(request, reply, await takeAnswer(fastify.redmint, body, browserOf(request), address))
    },
  )
}

export default route
