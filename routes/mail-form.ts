import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress, networkOf } from '../plugins/address.ts'
import { browserOf } from '../plugins/browser.ts'
import { contextOf } from '../plugins/request-context.ts'
import { type MailingContext, withMail } from '../plugins/with-mail.ts'
import type { Parameters } from '../src/core/parameters.ts'
import { pathAt } from '../src/core/paths.ts'
import type { InteractionReply } from '../src/interaction/interaction.ts'
import type { MailAsk } from '../src/mail/mail-requests.ts'
import type { View } from '../src/pages/layout.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import type { SignUpFor } from '../src/pages/sign-up.ts'
import type { Browser } from '../src/sessions/browser.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters as ParametersOf } from './schemas.ts'
import type { WaitingFor } from './waiting-sign-up.ts'

/** A request that waits, or the step of it that is due in place of the form. */
type Opened = WaitingFor | Extract<InteractionReply, { to: 'next' }>

/** A form by which anybody asks for a mail. */
interface MailForm {
  readonly path: string
  readonly names: { readonly show: string; readonly send: string }
  readonly summaries: { readonly show: string; readonly send: string }
  readonly field: { readonly name: string; readonly description: string }
  page(action: string, view: View, waiting?: SignUpFor): string
  /** What is answered, whatever was typed. */
  done(view: View, waiting?: SignUpFor): string
  /** Opens the request that the parameters name, if one can wait in the browser for what the form is for. */
  open?(request: FastifyRequest, reply: FastifyReply, parameters: Parameters): Promise<Opened | undefined>
  /** Keeps what was asked for. @throws StorageUnavailable */
  ask(
    context: MailingContext,
    asked: Pick<MailAsk, 'typed' | 'language' | 'network' | 'request'> & Pick<Browser, 'identity'>,
  ): Promise<void>
}

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('The form, or what happens next'),
    400: ErrorPage('The parameters are malformed'),
    503: ErrorPage('Storage cannot answer: nothing was asked for'),
  },
} as const

const CONTINUED = {
  '3xx': { description: 'To the step that is due for the request that waits', type: 'null' },
  400: ErrorPage('The request that waits is over, or belongs to another browser'),
} as const

/**
 * A page with a form that asks for a mail: the answer is the same for everything, after the same commands to storage, and
 * leaves when what was asked for is kept for any server to do. The form needs no proof of its browser: anybody may ask for anybody, which is limited.
 */
export function addMailForm(fastify: FastifyInstance, mailForm: MailForm): void {
  const { path, names, summaries, field, page, done, ask, open } = mailForm
  const action = pathAt(fastify.redmint.settings, path)
  const { tags, response } = documentation
  const described = { tags, response: open === undefined ? response : { ...response, ...CONTINUED } }
  const transaction = open && { transaction: Parameter('A request that waits in the browser') }

  fastify.get<{ Querystring: Parameters }>(
    path,
    {
      schema: {
        operationId: names.show,
        summary: summaries.show,
        querystring: ParametersOf({ ...transaction }),
        ...described,
      },
      config: { page: 'sign-in' },
      preValidation: readQuery,
    },
    async (request, reply) => {
      const found = await open?.(request, reply, request.query)
      if (found?.to === 'next') return sendReply(request, reply, found, {})
      const view = request.view(found?.ui_locales)
      return reply
        .header('cache-control', 'no-store')
        .header('content-security-policy', fastify.theme.policyWith({ script_source: SEND_ONCE_SOURCE }))
        .type('text/html; charset=utf-8')
        .send(page(action, found === undefined ? { ...view, query: '' } : view, found))
    },
  )

  fastify.post<{ Body: Parameters }>(
    path,
    {
      schema: {
        operationId: names.send,
        summary: summaries.send,
        consumes: ['application/x-www-form-urlencoded'],
        body: ParametersOf({ [field.name]: Parameter(field.description), ...transaction }),
        ...described,
      },
      config: { page: 'sign-in' },
    },
    async (request, reply) => {
      const { body } = request
      const found = await open?.(request, reply, body)
      if (found?.to === 'next') return sendReply(request, reply, found, {})
      const typed = body[field.name] ?? ''
      const view = request.view(found?.ui_locales)
      const network = networkOf(clientAddress(request))
      await ask(withMail(contextOf(request)), {
        typed,
        language: view.language.tag,
        network,
        identity: browserOf(request).identity,
        request: found?.after,
      })
      return reply
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(done(view, found))
    },
  )
}
