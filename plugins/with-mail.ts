import type { FastifyInstance } from 'fastify'
import type { Context } from '../src/context.ts'
import type { MailAsk } from '../src/mail/mail-requests.ts'
import type { MailRequest } from '../src/mail/mailer.ts'

/** The context of a request that may send mail. */
export type MailingContext = Context & {
  /** Queues a mail; false: too many wait. @throws StorageUnavailable */
  readonly send: (request: MailRequest) => Promise<boolean>
  /** Keeps what somebody asked for, until a server makes the mail of it. @throws StorageUnavailable */
  readonly ask: (ask: MailAsk) => Promise<void>
}

/** Returns the context with what sends mail: only where there is mail. */
export function withMail(fastify: FastifyInstance, context: Context): MailingContext {
  const send = (request: MailRequest) => fastify.sendMail(context, request)
  const ask = (asked: MailAsk) => fastify.askForMail(context, asked)
  return Object.assign(Object.create(context), { send, ask })
}
