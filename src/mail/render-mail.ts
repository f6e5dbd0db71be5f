import { legibleOn } from '../config/color.ts'
import type { Settings } from '../config/settings.ts'
import { browserText } from '../pages/browser-text.ts'
import type { Languages } from '../pages/languages.ts'
import type { Language } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { plainName } from '../pages/text.ts'
import { accentOn, DARK, LIGHT } from '../pages/theme.ts'
import { type MailLayout, mailHtml } from './mail-html.ts'
import type { MailContent, MailFacts } from './mail-kinds.ts'
import { MAIL_TEXTS } from './messages/en.ts'
import type { OutgoingMail } from './smtp.ts'

/** What mails are made with, besides their content. */
interface MailParts {
  readonly settings: Pick<Settings, 'issuer' | 'service_name' | 'accent_color'>
  readonly languages: Languages
}

/** Returns a text of mails by its name, with its placeholders filled; empty: there is none. */
type Speak = (name: string) => string

/**
 * Makes a mail in the language of the person, else in English: text, and the same as HTML without pictures, scripts and
 * foreign addresses. It depends on the settings and the content alone.
 */
export function renderMail(
  { settings: { issuer, service_name, accent_color }, languages }: MailParts,
  content: MailContent,
): Pick<OutgoingMail, 'subject' | 'text' | 'html'> {
  const { kind, language: wanted, link, about = '', account, inviter, client } = content
  const language = languages.choose(wanted)
  const textOf = (name: string) => language.mails?.[name] ?? MAIL_TEXTS.get(name)
  const values: Readonly<Record<string, string>> = {
    service: service_name,
    about: textOf(`about.${about}`) ?? plainWords(about),
    account: plainWords(account ?? ''),
    inviter: plainWords(inviter ?? ''),
    client: plainWords(client ?? ''),
  }
  const speak: Speak = (name) =>
    (textOf(name) ?? '').replace(/\{(\w+)\}/g, (_, placeholder: string) => values[placeholder] ?? '')
  const is_by_somebody = kind === 'invitation' && values.inviter !== ''
  const subject = speak(is_by_somebody ? 'invitation.subject_by' : `${kind}.subject`)
  const text = speak(is_by_somebody ? 'invitation.text_by' : `${kind}.text`)
  const action = speak(`${kind}.action`)
  const button = link === undefined || action === '' ? undefined : { link, action }
  const lead = [[text, ...(values.client === '' ? [] : [speak('common.client')])].join(' ')]
  const after = speak(`${kind}.after`)
  // Its owner reads the name as it is typed; a stranger, in the text, as words alone.
  const names_account = account !== undefined && !(textOf(`${kind}.text`) ?? '').includes('{account}')
  const facts = [
    ...(names_account ? [[`${say(language, 'own_username')}`, plainName(account)] as const] : []),
    ...factsOf(content, language, speak),
  ]
  const sent = speak('common.sent')
  const layout: MailLayout = {
    ...{ language, service_name, subject, lead, facts, button, after, sent, issuer },
    stuck: speak('common.stuck'),
    light: accentIn(accent_color, LIGHT),
    dark: accentIn(accent_color, DARK),
  }
  const lines = [
    ...lead,
    ...(facts.length === 0 ? [] : [facts.map(([label, value]) => `${label}: ${value}`).join('\n')]),
    ...(button ? [`${button.action}:\n${button.link}`] : []),
    ...(after === '' ? [] : [after]),
    `${sent}\n${issuer}`,
  ]
  return { subject, text: `${lines.join('\n\n')}\n`, html: mailHtml(layout) }
}

/** The colours that come from the accent, on the ground of a mail. */
const accentIn = (accent_color: string, palette: typeof LIGHT) => {
  const { accent, on_accent, accent_ink } = accentOn(accent_color, palette)
  return { accent, on_accent, ink: legibleOn(palette.surface, accent_ink, 4.5) }
}

/** What a mail says as a list: until when its link works, and when, where and from which network something was done. */
function factsOf(
  { until, at, browser, address }: MailFacts,
  language: Language,
  speak: Speak,
): (readonly [label: string, value: string])[] {
  const facts = [
    ['until', until === undefined ? undefined : instantText(until, language)],
    ['at', at === undefined ? undefined : instantText(at, language)],
    ['browser', browser && String(browserText(plainName(browser), language))],
    ['address', address && plainName(address)],
  ] as const
  return facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[speak(`common.${name}`), value]],
  )
}

/** A moment in words, in UTC. */
const instantText = (at: number, { tag }: Language): string =>
  new Intl.DateTimeFormat(tag, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' },
  }).format(at)

const MAX_WORDS = 60

/** Returns a text that somebody chose, so that no mail program makes a link, a line or a sentence of it. */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}' -]+/gu, ' ')
  return [...words.replace(/ +/g, ' ').trim()].slice(0, MAX_WORDS).join('')
}
