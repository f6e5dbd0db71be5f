// A service with people who have addresses, and the mails that they get by a real SMTP server.
import type { Test } from 'tap'
import { listMails } from '../../../src/mail/mail-queue.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { changeUser, readUser } from '../records.ts'
import type { TestOptions } from '../service.ts'
import { startSmtp, textOf } from '../smtp.ts'
import { until } from '../until.ts'
import { asPage, type Visitor } from '../visitor.ts'
import { asksForCode, asksForPassword, STEP, startWithApps } from './pages.ts'
import { signInOn } from './requests.ts'

/** Where mail for a user goes at first. */
export const addressFor = (username: string) => `${username}@example.org`

/** A mail as a person reads it. */
export interface ReadMail {
  readonly to: string
  readonly text: string
  /** The path and the query of its first link below the issuer. */
  readonly link: string
}

const LINK = /https:\/\/auth\.example\.com(\/\S+\?link=\S+)/

/** Starts it; alice and bob have confirmed addresses. */
export async function startWithMail(t: Test, options: TestOptions = {}) {
  const smtp = await startSmtp(t)
  const service = await startWithApps(t, {
    smtp_url: `smtp://localhost:${smtp.port}`,
    mail_from: 'Example <login@example.com>',
    service_name: 'Example',
    mail: { ca: smtp.ca, timing: { poll: 86_400 } },
    ...options,
  })
  const { storage, pass, visitor } = service
  for (const username of ['alice', 'bob']) {
    const former = (await readUser(storage, username)) ?? {}
    const set = { email: addressFor(username), email_verified: 'true' }
    await changeUser(storage, username, { set, unset: [] })
    await indexUser(storage, username, former)
  }
  let read = 0
  return {
    ...service,
    smtp,
    /** The mails that arrived since the last call, at least as many as are awaited, in the order of their addresses. */
    async mails(count: number): Promise<readonly ReadMail[]> {
      await until(`${count} mails arrive`, () => smtp.mails.length >= read + count)
      // One whose delivery is not noted yet would leave again as soon as the clock is set forward.
      const isNoted = async () => (await listMails(storage, 100)).every(({ begun }) => begun === 0)
      await until('their delivery is noted', isNoted)
      const arrived = smtp.mails.slice(read)
      read = smtp.mails.length
      return arrived
        .map((mail) => {
          const text = textOf(mail)
          return { to: mail.to.join(), text, link: LINK.exec(text)?.[1] ?? '' }
        })
        .sort((a, b) => (a.to < b.to ? -1 : 1))
    },
    /** A browser that is signed in and confirmed at a page of the account. */
    async confirmed(path: string, code?: () => string, browser: Visitor = visitor()) {
      let page = await browser.page(path)
      if (asksForPassword(page)) page = asPage(await signInOn(browser, page))
      if (code !== undefined && asksForCode(page)) {
        pass(STEP)
        page = asPage(await browser.submit(page, { code: code() }))
      }
      return { browser, page, csrf: page.hidden.csrf ?? '' }
    },
    /** What the record of a user says. */
    user: async (username = 'alice') => (await readUser(storage, username)) ?? {},
    /** Opens a link in a new browser and presses its button. */
    async press(link: string) {
      const browser = visitor()
      return asPage(await browser.submit(await browser.page(link), {}))
    },
  }
}
