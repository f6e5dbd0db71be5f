// Mail by a real SMTP server, as people read it.
import type { SecurityEvent } from '../../../src/core/events.ts'
import { listMails } from '../../../src/mail/mail-queue.ts'
import type { TestOptions } from '../service.ts'
import { type SmtpPlace, textOf } from '../smtp.ts'
import { until } from '../until.ts'
import type { Stage } from './stage.ts'

/** A mail as a person reads it. */
export interface ReadMail {
  readonly to: string
  readonly text: string
  /** The path and the query of its first link below the issuer. */
  readonly link: string
}

const LINK = /https:\/\/auth\.example\.com(\/\S+\?link=\S+)/

export const settingsOfMail = ({ port, ca }: SmtpPlace): TestOptions => ({
  smtp_url: `smtp://localhost:${port}`,
  mail_from: 'Example <login@example.com>',
  service_name: 'Example',
  mail: { ca, timing: { poll: 86_400 } },
})

export function mailSteps({ storage, redmint, post, visitor }: Stage, smtp: SmtpPlace | undefined) {
  let read = 0
  const place = () => {
    if (smtp === undefined) throw new Error('the scene has no mail')
    return smtp
  }
  /** The mails that arrived since the last call, at least as many as are awaited, in the order of their addresses. */
  const mails = async (count: number): Promise<readonly ReadMail[]> => {
    const { mails } = place()
    await until(`${count} mails arrive`, () => mails.length >= read + count)
    // One whose delivery is not noted yet would leave again as soon as the clock is set forward.
    const isNoted = async () => (await listMails(storage, 100)).every(({ begun }) => begun === 0)
    await until('their delivery is noted', isNoted)
    const arrived = mails.slice(read)
    read = mails.length
    return arrived
      .map((mail) => {
        const text = textOf(mail)
        return { to: mail.to.join(), text, link: LINK.exec(text)?.[1] ?? '' }
      })
      .sort((a, b) => (a.to < b.to ? -1 : 1))
  }
  /** The link of the next mail. */
  const mailedLink = async () => (await mails(1))[0]?.link ?? ''
  return {
    mails,
    smtp: place,
    mailedLink,
    /** Reports an event that its owner is told of, and returns the link of the notice. */
    async told(event: SecurityEvent) {
      redmint.report(event)
      return mailedLink()
    },
    /** Asks for a new password by mail, and opens the page of its link. */
    async resetByMail() {
      await post('/forgot-password', { username: 'alice' })
      const browser = visitor()
      return { browser, page: await browser.page(await mailedLink()) }
    },
  }
}
