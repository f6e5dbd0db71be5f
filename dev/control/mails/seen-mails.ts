import type { Context } from '../../../src/context.ts'
import type { KeptMail, Mailbox } from '../../../src/mail/mailbox.ts'

/** Which mails of the mailbox came since the last reset. The mailbox itself is that of the pages of demo mode. */
export class SeenMails {
  readonly #before = new WeakSet<KeptMail>()

  /** Hides what there is. */
  reset(context: Context): void {
    for (const mail of context.mail?.mailbox?.mails ?? []) this.#before.add(mail)
  }

  /** Returns the others, the oldest first. */
  in({ mails }: Mailbox): KeptMail[] {
    return mails.filter((mail) => !this.#before.has(mail)).toReversed()
  }
}
