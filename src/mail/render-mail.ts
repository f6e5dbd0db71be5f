import type { Settings } from '../config/settings.ts'
import { html } from '../pages/html.ts'
import type { Languages } from '../pages/languages.ts'
import type { Language } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { plainName } from '../pages/text.ts'
import type { MailContent } from './mail-kinds.ts'
import { ABOUT_EN, en } from './messages/en.ts'
import type { MailLanguage, MailText } from './messages/texts.ts'
import type { OutgoingMail } from './smtp.ts'

type Words = Readonly<Record<string, string>>

const ENGLISH: MailLanguage = { texts: en, about: ABOUT_EN }

/** What mails are made with, besides their content. */
interface MailParts {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly languages: Languages
}

/**
 * Makes a mail in the language of the person, else in English: text, and the same as small HTML without pictures, styles
 * and foreign addresses. It depends on the settings and the content alone.
 */
export async function renderMail(
  { settings: { issuer, service_name }, languages }: MailParts,
  { kind, language: wanted, link, about = '', account }: MailContent,
): Promise<Pick<OutgoingMail, 'subject' | 'text' | 'html'>> {
  const language = languages.choose(wanted)
  const { texts, about: of_language } = await loadMails(language)
  const { subject, text, action, after } = ownText(texts[kind], kind, language)
  const words: Words = { ...of_language }
  const values: Words = {
    service: service_name,
    about: (Object.hasOwn(words, about) ? ownWord(words, about, language) : undefined) ?? plainWords(about),
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

/** The mails of a language; those of an operator's own language are English, but for what the file has. */
async function loadMails({ tag }: Language): Promise<MailLanguage> {
  if (tag === 'en') return ENGLISH
  const { OTHERS } = await import('./messages/others.ts')
  return OTHERS.get(tag) ?? ENGLISH
}

/** The text of a mail with what an operator changed. */
function ownText(text: MailText, kind: string, { mails }: Language): MailText {
  const own = Object.keys(text).flatMap((part) => {
    const given = mails?.get(`${kind}.${part}`)
    return given === undefined ? [] : [[part, given]]
  })
  return { ...text, ...Object.fromEntries(own) }
}

const ownWord = (words: Words, about: string, { mails }: Language) =>
  mails?.get(`about.${about}`) ?? words[about]

const MAX_WORDS = 60

/** Returns a text that somebody chose, so that no mail program makes a link, a line or a sentence of it. */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}' -]+/gu, ' ')
  return [...words.replace(/ +/g, ' ').trim()].slice(0, MAX_WORDS).join('')
}
