import type { FastifyInstance } from 'fastify'
import type { Context } from '../src/context.ts'
import type { MailRequest } from '../src/mail/mailer.ts'

/** The context of a request that may send mail. */
export type MailingContext = Context & {
  /** Queues a mail; false: too many wait. @throws StorageUnavailable */
  readonly send: (request: MailRequest) => Promise<boolean>
}

/** Returns the context with what sends mail: only where there is mail. */
export function withMail(fastify: FastifyInstance, context: Context): MailingContext {
  const send = (request: MailRequest) => fastify.sendMail(context, request)
  return Object.assign(Object.create(context), { send })
}
