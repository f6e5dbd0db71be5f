import { PATHS } from '../core/paths.ts'
import type { ChoiceOf } from './choose-password.ts'
import { endPage } from './end.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { type LinkAccountProps, linkAccount } from './link-account.ts'
import type { Language } from './messages/language.ts'
import type { RequestNote } from './request-note.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import type { Theme } from './theme.ts'

/** What a page is about where a link only has to be confirmed: an address, or "This was not me". */
export type QuestionOf = 'address' | 'not_me'

export interface LinkQuestionProps extends PageForm, LinkAccountProps {
  readonly about: QuestionOf
}

/** Asks by one button whether to do what a link is for. */
export function linkQuestionPage(props: LinkQuestionProps, view: View): string {
  const { about } = props
  const { language } = view
  const title = say(language, `${about}_title`)
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, `${about}_lead`)}</p>
${linkAccount(props, view)}${form(props, html`<button class="main">${say(language, `${about}_submit`)}</button>`)}
${SEND_ONCE_SCRIPT}`
  return page(title, body, view)
}

export interface LinkEndProps {
  readonly about: ChoiceOf | QuestionOf
  /** The link does not work any more. */
  readonly is_over: boolean
  /** The request with a link that does not work any more. */
  readonly refused?: RequestNote | undefined
  /** Something was removed that cannot come back. */
  readonly is_loss?: boolean
  /** The codes of an app count no more. */
  readonly is_suspended?: boolean
}

interface DoneTexts {
  readonly title: `${LinkEndProps['about'] | 'renew'}_done_title`
  readonly lead: `${LinkEndProps['about'] | 'renew'}_done_lead` | 'not_me_done_renew_lead'
}

const DONE = {
  reset: { title: 'reset_done_title', lead: 'reset_done_lead' },
  welcome: { title: 'welcome_done_title', lead: 'welcome_done_lead' },
  address: { title: 'address_done_title', lead: 'address_done_lead' },
  not_me: { title: 'not_me_done_title', lead: 'not_me_done_lead' },
} as const satisfies Record<LinkEndProps['about'], DoneTexts>

/** Where passkeys are all that people sign in with. */
const DONE_WITH_PASSKEYS: Readonly<Record<LinkEndProps['about'], DoneTexts>> = {
  ...DONE,
  reset: { title: 'renew_done_title', lead: 'renew_done_lead' },
  not_me: { title: 'not_me_done_title', lead: 'not_me_done_renew_lead' },
}

/** What is said once it is done. */
export const doneTexts = (about: LinkEndProps['about'], { has_only_passkeys }: Theme): DoneTexts =>
  (has_only_passkeys ? DONE_WITH_PASSKEYS : DONE)[about]

/** Says that it was done, or that a link does not work any more. */
export function linkEndPage(props: LinkEndProps, view: View): string {
  const { about, is_over, is_loss, is_suspended, refused } = props
  const { language, theme } = view
  const done = doneTexts(about, theme)
  const title = say(language, is_over ? 'link_over_title' : done.title)
  const lead = say(language, is_over ? 'link_over_lead' : done.lead)
  const also = [
    ...(is_loss ? [say(language, 'not_me_loss')] : []),
    ...(is_suspended ? [say(language, 'not_me_suspended')] : []),
  ]
  return endPage({ title, lead, also, is_done: !is_over, next: nextAfter(props, view), refused }, view)
}

/** The way on: to another link, or to the account; empty where neither is there. */
function nextAfter({ about, is_over }: LinkEndProps, view: View): Html | '' {
  const { language, theme } = view
  const { forgot_password_url, sign_up_url } = theme.links
  const renewed = theme.has_only_passkeys ? 'renew_title' : 'reset_title'
  if (about === 'not_me' && !is_over) return button(forgot_password_url, renewed, language, 'button main')
  if (!is_over)
    return theme.has_account_page
      ? button(theme.base + PATHS.account, 'own_link', language, 'button main')
      : ''
  const lost = theme.has_only_passkeys ? 'passkey_lost' : 'login_forgot_password'
  if (about === 'reset') return button(forgot_password_url, lost, language)
  return about === 'welcome' ? button(sign_up_url, 'login_sign_up', language) : ''
}

type ButtonText =
  | 'renew_title'
  | 'reset_title'
  | 'own_link'
  | 'passkey_lost'
  | 'login_forgot_password'
  | 'login_sign_up'

const button = (href: string | undefined, text: ButtonText, language: Language, look = 'button') =>
  href === undefined
    ? ''
    : html`<div class="choice"><a class="${look}" href="${href}">${say(language, text)}</a></div>`
