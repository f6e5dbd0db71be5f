import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { contextOf } from '../plugins/request-context.ts'
import type { Parameters as Answer } from '../src/core/parameters.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { continueInteraction } from '../src/interaction/flow.ts'
import { siteSubmission } from '../src/interaction/submission.ts'
import type { View } from '../src/pages/layout.ts'
import { callbackOf } from '../src/providers/callback.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import { providerProblem } from '../src/providers/provider-record.ts'
import type { ActionContext } from '../src/self-service/action.ts'
import { signedOutPage } from '../src/self-service/pages/ends.ts'
import { isForLink, takeProviderLink } from '../src/self-service/provider-actions.ts'
import { actorOf } from './account-actor.ts'
import { sendReply } from './client-response.ts'
import { flowsOf, senderOf } from './interaction-parts.ts'
import { readQuery } from './query.ts'
import { browserOfForm, REPEATED, repeatForm } from './repeated-form.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

const Provider = Type.Object({ provider: Type.String() })

const ANSWER = {
  state: Parameter('What redmint gave the provider'),
  code: Parameter('The authorization code of the provider'),
  error: Parameter('Why there is none'),
  iss: Parameter('The issuer of the provider (RFC 9207)'),
}
const FORM_NAMES = [...Object.keys(ANSWER), 'user']

const documentation = {
  tags: ['Pages'],
  response: {
    '3xx': { description: 'To the next step', type: 'null' },
    400: ErrorPage('The request has expired, is finished, or belongs to another browser'),
    503: ErrorPage('Storage cannot answer'),
  },
} as const

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
        params: Provider,
        querystring: Parameters(ANSWER),
        ...documentation,
      },
      config: { page: 'sign-in' },
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      return take(request, reply, request.params.provider, request.query)
    },
  )

  // With the response mode form_post, as Apple has it, the form comes from another site, without our cookies. It is
  // sent again from here: before that nothing is looked up, and afterwards it is worth what the same address is.
  fastify.post(
    PATHS.provider_callback,
    {
      schema: {
        operationId: 'providerFormCallback',
        summary: 'The answer of a provider that answers by a form',
        consumes: ['application/x-www-form-urlencoded'],
        params: Provider,
        body: Parameters({
          ...ANSWER,
          user: Parameter('Of Apple: the name, once, as JSON that nobody signed'),
          ...REPEATED,
        }),
        tags: documentation.tags,
        response: { 200: Page('The page that sends the form again'), ...documentation.response },
      },
      config: { page: 'sign-in', from_others: true },
    },
    async (request, reply) => {
      const { body, params } = request
      // Another name would make another address of it.
      const is_named = providerProblem(params.provider) === undefined
      if (!is_named || browserOfForm(request, body) !== undefined)
        return take(request, reply, params.provider, body)
      const { pathname } = new URL(callbackOf(contextOf(request).settings, params.provider))
      return repeatForm(request, reply, pathname, body, FORM_NAMES)
    },
  )

  async function take(request: FastifyRequest, reply: FastifyReply, provider: string, answer: Answer) {
    const context = contextOf(request)
    if (has_account_page && isForLink(answer)) return takeLink(request, reply, parties, provider, answer)
    const caller = callerOf(request, reply)
    const submission = siteSubmission(
      answer,
      senderOf(request, caller),
      callbackOf(context.settings, provider),
    )
    const reached = await continueInteraction(
      context,
      flowsOf(context, caller),
      submission,
      browserOf(request),
    )
    return sendReply(request, reply, reached, answer)
  }
}

// Who is signed in links an account; nobody is signed in by it.
async function takeLink(
  request: FastifyRequest,
  reply: FastifyReply,
  parties: RelyingParties,
  provider: string,
  answer: Answer,
): Promise<FastifyReply> {
  const context: ActionContext = { ...contextOf(request), parties }
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
