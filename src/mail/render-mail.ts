import type { LanguageTag } from '../config/language-tags.ts'
import type { Settings } from '../config/settings.ts'
import { html } from '../pages/html.ts'
import { languageOf } from '../pages/language.ts'
import { en as english } from '../pages/messages/en.ts'
import type { MailContent } from './mail-kinds.ts'
import { ABOUT_DE, de } from './messages/de.ts'
import { ABOUT_EN, en } from './messages/en.ts'
import type { MailTexts } from './messages/texts.ts'
import type { OutgoingMail } from './smtp.ts'

type Words = Readonly<Record<string, string>>

const LANGUAGES: Readonly<Record<LanguageTag, { readonly texts: MailTexts; readonly about: Words }>> = {
  en: { texts: en, about: ABOUT_EN },
  de: { texts: de, about: ABOUT_DE },
}

type Brand = Pick<Settings, 'issuer' | 'service_name'>

/**
 * Makes a mail in the language of the person, else in English: text, and the same as small HTML without pictures, styles
 * and foreign addresses. It depends on the settings and the content alone.
 */
export function renderMail(
  { issuer, service_name }: Brand,
  { kind, language, link, about = '' }: MailContent,
): Pick<OutgoingMail, 'subject' | 'text' | 'html'> {
  const tag = (languageOf(language) ?? english).tag as LanguageTag
  const { texts, about: words } = LANGUAGES[tag]
  const { subject, text, action, after } = texts[kind]
  const values: Words = {
    service: service_name,
    about: (Object.hasOwn(words, about) ? words[about] : undefined) ?? plainWords(about),
  }
  const fill = (message: string) => message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const button = link === undefined || action === undefined ? [] : [{ link, action: fill(action) }]
  const end = after === undefined ? [] : [fill(after)]
  const lines = [fill(text), ...button.map((one) => `${one.action}:\n${one.link}`), ...end]
  const title = fill(subject)
  return {
    subject: title,
    text: `${[...lines, `${service_name}\n${issuer}`].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${tag}"><head><meta charset="utf-8"><title>${title}</title></head><body>
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
