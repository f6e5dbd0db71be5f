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

/** Returns the context with what sends mail. @throws Error if there is no mail */
export function withMail(context: Context): MailingContext {
  const { mail } = context
  if (mail === undefined) throw new Error('There is no mail.')
  return {
    ...context,
    send: (request) => mail.send(context, request),
    ask: (asked) => mail.ask(context, asked),
  }
}
