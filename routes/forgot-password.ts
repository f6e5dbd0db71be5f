import { finished } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { contextOf } from '../plugins/request-context.ts'
import { MAX_MAKING, tryResetLink } from '../src/account/forgot-password.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { forgotDonePage, forgotPasswordPage } from '../src/pages/forgot-password.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

const documentation = {
  tags: ['Pages'],
  response: { 200: Page('The form, or what happens next'), 400: ErrorPage('The parameters are malformed') },
} as const

/**
 * "Forgot your password?": the answer is the same for every name, and leaves before anything is looked up. The form needs no
 * proof of its browser: anybody may ask for anybody, which is limited.
 */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const action = pathAt(fastify.redmint.settings, PATHS.forgot_password)
  let making = 0

  fastify.get(
    PATHS.forgot_password,
    {
      schema: {
        operationId: 'forgotPassword',
        summary: 'Where a lost password is replaced',
        ...documentation,
      },
    },
    async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .header('content-security-policy', fastify.theme.policyWith({ script_source: SEND_ONCE_SOURCE }))
        .type('text/html; charset=utf-8')
        .send(forgotPasswordPage(action, { ...request.view(), query: '' })),
  )

  fastify.post(
    PATHS.forgot_password,
    {
      schema: {
        operationId: 'sendResetLink',
        summary: 'Sends a link to a new password',
        consumes: ['application/x-www-form-urlencoded'],
        body: Parameters({ username: Parameter('The username or the e-mail address') }),
        ...documentation,
      },
    },
    async (request, reply) => {
      const { username = '' } = request.body
      const view = request.view()
      const context = contextOf(request)
      const send = fastify.sendMail.bind(fastify, context)
      const make = async () => {
        making += 1
        await tryResetLink(Object.assign(Object.create(context), { send }), username, view.language.tag)
        making -= 1
      }
      finished(reply.raw, () => void (making < MAX_MAKING && make()))
      return reply
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(forgotDonePage(view))
    },
  )
}

export default route
