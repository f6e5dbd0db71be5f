import type { KeptMail } from '../mail/mailbox.ts'
import { html } from '../pages/html.ts'
import { page, type View } from '../pages/layout.ts'
import { say } from '../pages/say.ts'

const LINK = /^(https?:\/\/\S+)$/

/** The last mails of demo mode, the newest first. */
export function demoMailPage(mails: readonly KeptMail[], view: View): string {
  const { language } = view
  const title = say(language, 'demo_mail_title')
  const shown = mails.map(
    ({ subject, to, at, text }) => html`<h2>${subject}</h2>
<p>${to} · ${new Date(at).toISOString()}</p>
${text
  .trim()
  .split('\n')
  .map((line) =>
    LINK.test(line) ? html`<p><a class="link" href="${line}">${line}</a></p>\n` : html`<p>${line}</p>\n`,
  )}`,
  )
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'demo_mail_lead')}</p>
${shown.length === 0 ? html`<p>${say(language, 'demo_mail_none')}</p>` : shown}`
  return page(title, body, view)
}
