import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contextOf } from '../plugins/request-context.ts'
import { withMail } from '../plugins/with-mail.ts'
import type { Parameters as Answer } from '../src/core/parameters.ts'
import { PATHS } from '../src/core/paths.ts'
import { finishInteraction } from '../src/interaction/flow.ts'
import { siteSubmission } from '../src/interaction/submission.ts'
import { callbackOf } from '../src/providers/callback.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import { providerProblem } from '../src/providers/provider-record.ts'
import { takeProviderAnswer } from '../src/self-service/door.ts'
import { isForLink } from '../src/self-service/provider-actions.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { browserOfForm, REPEATED, repeatForm } from './repeated-form.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'
import { visitOf } from './visit.ts'

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
    503: UNAVAILABLE,
  },
} as const

const QUERY = {
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
} as const

const FORM = {
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
} as const

/** Where providers send people back to. */
const route: FastifyPluginAsyncTypebox<{ readonly parties: RelyingParties }> = async (
  fastify,
  { parties },
) => {
  const has_account_page = fastify.redmint.settings.account_page === 'on'

  fastify.get(PATHS.provider_callback, QUERY, async (request, reply) =>
    take(request, reply, request.params.provider, request.query),
  )

  // With the response mode form_post, as Apple has it, the form comes from another site, without our cookies. It is
  // sent again from here: before that nothing is looked up, and afterwards it is worth what the same address is.
  fastify.post(PATHS.provider_callback, FORM, async (request, reply) => {
    const { body, params } = request
    // Another name would make another address of it.
    const is_named = providerProblem(params.provider) === undefined
    if (!is_named || browserOfForm(request, body) !== undefined)
      return take(request, reply, params.provider, body)
    const { pathname } = new URL(callbackOf(contextOf(request).settings, params.provider))
    return repeatForm(request, reply, pathname, body, FORM_NAMES)
  })

  async function take(request: FastifyRequest, reply: FastifyReply, provider: string, answer: Answer) {
    const context = Object.assign(withMail(contextOf(request)), { parties })
    const visit = visitOf(request, reply, context, answer)
    // Who is signed in links an account; nobody is signed in by it.
    if (has_account_page && isForLink(answer))
      return sendReply(request, reply, await takeProviderAnswer(context, provider, visit))
    const submission = siteSubmission(answer, visit, callbackOf(context.settings, provider))
    const reached = await finishInteraction(context, visit.flows, submission, visit.browser)
    return sendReply(request, reply, reached)
  }
}

export default route
