import type { Settings } from '../config/settings.ts'
import { html } from '../pages/html.ts'
import type { Languages } from '../pages/languages.ts'
import { say } from '../pages/say.ts'
import { plainName } from '../pages/text.ts'
import type { MailContent } from './mail-kinds.ts'
import { MAIL_TEXTS } from './messages/en.ts'
import type { OutgoingMail } from './smtp.ts'

/** What mails are made with, besides their content. */
interface MailParts {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly languages: Languages
}

/**
 * Makes a mail in the language of the person, else in English: text, and the same as small HTML without pictures, styles
 * and foreign addresses. It depends on the settings and the content alone.
 */
export function renderMail(
  { settings: { issuer, service_name }, languages }: MailParts,
  { kind, language: wanted, link, about = '', account }: MailContent,
): Pick<OutgoingMail, 'subject' | 'text' | 'html'> {
  const language = languages.choose(wanted)
  const textOf = (name: string) => language.mails?.[name] ?? MAIL_TEXTS.get(name)
  const partOf = (part: string) => textOf(`${kind}.${part}`)
  const [subject = '', text = '', action, after] = ['subject', 'text', 'action', 'after'].map(partOf)
  const values: Readonly<Record<string, string>> = {
    service: service_name,
    about: textOf(`about.${about}`) ?? plainWords(about),
    account: plainWords(account ?? ''),
  }
  const fill = (message: string) => message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const button = link === undefined || action === undefined ? [] : [{ link, action: fill(action) }]
  // Its owner reads the name as it is typed; a stranger, in the text, as words alone.
  const named =
    account === undefined || text.includes('{account}')
      ? []
      : [`${say(language, 'own_username')}: ${plainName(account)}`]
  const end = [...(after === undefined ? [] : [fill(after)]), ...named]
  const lines = [fill(text), ...button.map((one) => `${one.action}:\n${one.link}`), ...end]
  const title = fill(subject)
  return {
    subject: title,
    text: `${[...lines, `${service_name}\n${issuer}`].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${language.tag}" dir="${language.dir}"><head><meta charset="utf-8"><title>${title}</title></head><body>
<p>${fill(text)}</p>
${button.map((one) => html`<p><a href="${one.link}">${one.action}</a></p>\n<p>${one.link}</p>\n`)}${end.map((line) => html`<p>${line}</p>\n`)}<p>${service_name}<br><a href="${issuer}">${issuer}</a></p>
</body></html>
`.toString(),
  }
}

const MAX_WORDS = 60

/** Returns a text that somebody chose, so that no mail program makes a link, a line or a sentence of it. */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}' -]+/gu, ' ')
  return [...words.replace(/ +/g, ' ').trim()].slice(0, MAX_WORDS).join('')
}
