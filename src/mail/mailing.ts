import type { AskContext, MailAsk } from './mail-requests.ts'
import type { Mailbox } from './mailbox.ts'
import type { MailContext, MailRequest } from './mailer.ts'

/** What sends mail, where there is mail. */
export interface Mailing {
  /** Queues a mail; false if there are too many. Nothing waits for the SMTP server. @throws StorageUnavailable */
  send(context: MailContext, request: MailRequest): Promise<boolean>
  /** Keeps what somebody asked for by a form, until a server makes the mail of it. @throws StorageUnavailable */
  ask(context: Omit<AskContext, 'dropped'>, ask: MailAsk): Promise<void>
  /** The last mails, in demo mode without an SMTP server. */
  readonly mailbox: Mailbox | undefined
}
