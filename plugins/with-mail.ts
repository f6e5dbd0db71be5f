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

/** Returns the context with what sends mail: without mail nothing does. */
export const withMail = (context: Context): MailingContext => ({
  ...context,
  send: async (request) => (await context.mail?.send(context, request)) ?? false,
  ask: async (asked) => context.mail?.ask(context, asked),
})
