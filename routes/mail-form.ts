import { finished } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contextOf } from '../plugins/request-context.ts'
import { type MailingContext, withMail } from '../plugins/with-mail.ts'
import { pathAt } from '../src/core/paths.ts'
import type { View } from '../src/pages/layout.ts'
import { SEND_ONCE_SOURCE } from '../src/pages/send-once.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

/** How many mails a process makes at the same time for one form: further ones are dropped, as beyond a limit. */
const MAX_MAKING = 32

/** A form by which anybody asks for a mail. */
interface MailForm {
  readonly path: string
  readonly names: { readonly show: string; readonly send: string }
  readonly summaries: { readonly show: string; readonly send: string }
  readonly field: { readonly name: string; readonly description: string }
  page(action: string, view: View): string
  /** What is answered, whatever was typed. */
  done(view: View): string
  /** Makes the mail. It never rejects. */
  make(context: MailingContext, typed: string, view: View, request: FastifyRequest): Promise<void>
}

const documentation = {
  tags: ['Pages'],
  response: { 200: Page('The form, or what happens next'), 400: ErrorPage('The parameters are malformed') },
} as const

/**
 * A page with a form that asks for a mail: the answer is the same for everything, and leaves before anything is looked up. The
 * form needs no proof of its browser: anybody may ask for anybody, which is limited.
 */
export function addMailForm(fastify: FastifyInstance, mailForm: MailForm): void {
  const { path, names, summaries, field, page, done, make } = mailForm
  const action = pathAt(fastify.redmint.settings, path)
  let making = 0

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
      const context = withMail(fastify, contextOf(request))
      const run = async () => {
        making += 1
        await make(context, typed, view, request)
        making -= 1
      }
      finished(reply.raw, () => void (making < MAX_MAKING && run()))
      return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(done(view))
    },
  )
}
