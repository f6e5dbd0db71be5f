import type { OutgoingMail, SendMail } from './smtp.ts'

/** A mail in the mailbox of demo mode. */
export interface KeptMail extends OutgoingMail {
  /** In milliseconds since 1970. */
  readonly at: number
}

const MAX_KEPT = 20

/** Where mail of demo mode goes, in place of an SMTP server: the last mails, in memory. */
export class Mailbox {
  readonly #now: () => number
  #mails: readonly KeptMail[] = []

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The last mails, the newest first. */
  get mails(): readonly KeptMail[] {
    return this.#mails
  }

  readonly send: SendMail = async (mail) => {
    this.#mails = [{ ...mail, at: this.#now() }, ...this.#mails].slice(0, MAX_KEPT)
    return { outcome: 'sent', answer: '' }
  }
}
