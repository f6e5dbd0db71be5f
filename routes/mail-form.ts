import type { FastifyInstance } from 'fastify'
import { clientAddress, networkOf } from '../plugins/address.ts'
import { contextOf } from '../plugins/request-context.ts'
import { type MailingContext, withMail } from '../plugins/with-mail.ts'
import { pathAt } from '../src/core/paths.ts'
import type { MailAsk } from '../src/mail/mail-requests.ts'
import type { View } from '../src/pages/layout.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

/** A form by which anybody asks for a mail. */
interface MailForm {
  readonly path: string
  readonly names: { readonly show: string; readonly send: string }
  readonly summaries: { readonly show: string; readonly send: string }
  readonly field: { readonly name: string; readonly description: string }
  page(action: string, view: View): string
  /** What is answered, whatever was typed. */
  done(view: View): string
  /** Keeps what was asked for. @throws StorageUnavailable */
  ask(context: MailingContext, asked: Pick<MailAsk, 'typed' | 'language' | 'network'>): Promise<void>
}

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('The form, or what happens next'),
    400: ErrorPage('The parameters are malformed'),
    503: ErrorPage('Storage cannot answer: nothing was asked for'),
  },
} as const

/**
 * A page with a form that asks for a mail: the answer is the same for everything, after the same commands to storage, and
 * leaves when what was asked for is kept for any server to do. The form needs no proof of its browser: anybody may ask for anybody, which is limited.
 */
export function addMailForm(fastify: FastifyInstance, mailForm: MailForm): void {
  const { path, names, summaries, field, page, done, ask } = mailForm
  const action = pathAt(fastify.redmint.settings, path)

  fastify.get(
    path,
    { schema: { operationId: names.show, summary: summaries.show, ...documentation } },
    async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .header('content-security-policy', fastify.theme.policyWith({ script_source: SEND_ONCE_SOURCE }))
        .type('text/html; charset=utf-8')
        .send(page(action, { ...request.view(), query: '' })),
  )

  fastify.post<{ Body: Record<string, string | undefined> }>(
    path,
    {
      schema: {
        operationId: names.send,
        summary: summaries.send,
        consumes: ['application/x-www-form-urlencoded'],
        body: Parameters({ [field.name]: Parameter(field.description) }),
        ...documentation,
      },
    },
    async (request, reply) => {
      const typed = request.body[field.name] ?? ''
      const view = request.view()
      const network = networkOf(clientAddress(request))
      await ask(withMail(fastify, contextOf(request)), { typed, language: view.language.tag, network })
      return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(done(view))
    },
  )
}
