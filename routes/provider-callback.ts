import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { contextOf } from '../plugins/request-context.ts'
import type { ActionContext } from '../src/account/action.ts'
import { signedOutPage } from '../src/account/pages/ends.ts'
import { isForLink, takeProviderLink } from '../src/account/provider-actions.ts'
import type { Parameters as Answer } from '../src/core/parameters.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { continueInteraction } from '../src/interaction/flow.ts'
import { siteSubmission } from '../src/interaction/submission.ts'
import type { View } from '../src/pages/layout.ts'
import { callbackOf } from '../src/providers/callback.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import { actorOf } from './account-actor.ts'
import { sendReply } from './client-response.ts'
import { flowsOf, senderOf } from './interaction-parts.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Parameter, Parameters } from './schemas.ts'

/** Where providers send people back to. */
const route: FastifyPluginAsyncTypebox<{ readonly parties: RelyingParties }> = async (
  fastify,
  { parties },
) => {
  const has_account_page = fastify.redmint.settings.account_page === 'on'
  fastify.get(
    PATHS.provider_callback,
    {
      schema: {
        operationId: 'providerCallback',
        summary: 'The answer of a provider',
        tags: ['Pages'],
        params: Type.Object({ provider: Type.String() }),
        querystring: Parameters({
          state: Parameter('What redmint gave the provider'),
          code: Parameter('The authorization code of the provider'),
          error: Parameter('Why there is none'),
          iss: Parameter('The issuer of the provider (RFC 9207)'),
        }),
        response: {
          '3xx': { description: 'To the next step', type: 'null' },
          400: ErrorPage('The request has expired, is finished, or belongs to another browser'),
          503: ErrorPage('Storage cannot answer'),
        },
      },
      config: { page: 'sign-in' },
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      const { query, params } = request
      const context = contextOf(request)
      if (has_account_page && isForLink(query))
        return takeLink(request, reply, parties, params.provider, query)
      const caller = callerOf(request, reply)
      const arrived_at = callbackOf(context.settings, params.provider)
      const submission = siteSubmission(query, senderOf(request, caller), arrived_at)
      const answer = await continueInteraction(
        context,
        flowsOf(context, caller),
        submission,
        browserOf(request),
      )
      return sendReply(request, reply, answer, query)
    },
  )
}

// Who is signed in links an account; nobody is signed in by it.
async function takeLink(
  request: FastifyRequest,
  reply: FastifyReply,
  parties: RelyingParties,
  provider: string,
  answer: Answer,
): Promise<FastifyReply> {
  const context: ActionContext = Object.assign(Object.create(contextOf(request)), { parties })
  const base = pathAt(context.settings, PATHS.account)
  const page = (render: (view: View) => string) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(render(request.view()))
  const actor = await actorOf(request, reply, contextOf(request))
  if (actor === undefined) {
    reply.status(400)
    return page((view) => signedOutPage(base, view))
  }
  const outcome = await takeProviderLink(context, actor, provider, answer)
  if ('render' in outcome) return page(outcome.render)
  return 'done' in outcome
    ? reply.redirect(withQuery(base, { done: outcome.done }), 303)
    : reply.redirect(base, 303)
}

export default route
