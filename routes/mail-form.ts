import type { FastifyInstance } from 'fastify'
import { contextOf } from '../plugins/request-context.ts'
import { type MailingContext, withMail } from '../plugins/with-mail.ts'
import type { Parameters } from '../src/core/parameters.ts'
import { type MailForm, showMailForm, takeMailForm } from '../src/self-service/mail-form.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters as ParametersOf, UNAVAILABLE } from './schemas.ts'
import { visitOf } from './visit.ts'

/** How the operations of a form are described. */
interface Described {
  readonly show: { readonly operationId: string; readonly summary: string }
  readonly send: { readonly operationId: string; readonly summary: string }
  readonly field: string
}

const RESPONSE = {
  200: Page('The form, or what happens next'),
  400: ErrorPage('The parameters are malformed'),
  503: UNAVAILABLE,
} as const

const CONTINUED = {
  '3xx': { description: 'To the step that is due for the request that waits', type: 'null' },
  400: ErrorPage('The request that waits is over, or belongs to another browser'),
} as const

/** Adds a page with a form that asks for a mail. */
export function addMailForm(
  fastify: FastifyInstance,
  form: MailForm<MailingContext>,
  { show, send, field }: Described,
): void {
  const { path, needs_request } = form
  const described = { tags: ['Pages'], response: needs_request ? { ...RESPONSE, ...CONTINUED } : RESPONSE }
  const transaction = Parameter('A request that waits in the browser')
  const querystring = ParametersOf({ transaction })
  const consumes = ['application/x-www-form-urlencoded']
  const body = ParametersOf({ [form.field]: Parameter(field), transaction })
  const config = { page: 'sign-in' } as const

  fastify.get<{ Querystring: Parameters }>(
    path,
    { schema: { ...show, querystring, ...described }, config, preValidation: readQuery },
    async (request, reply) => {
      const context = withMail(contextOf(request))
      const visit = visitOf(request, reply, context, request.query)
      return sendReply(request, reply, await showMailForm(context, form, visit))
    },
  )

  fastify.post<{ Body: Parameters }>(
    path,
    { schema: { ...send, consumes, body, ...described }, config },
    async (request, reply) => {
      const context = withMail(contextOf(request))
      const visit = visitOf(request, reply, context, request.body)
      return sendReply(request, reply, await takeMailForm(context, form, visit))
    },
  )
}
