import { withQuery } from '../core/uri.ts'
import { form, hidden, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { type LinkAccountProps, linkAccount, usernameForManager } from './link-account.ts'
import type { Language, MessageName } from './messages/language.ts'
import { type PasskeyPartProps, passkeyPart } from './passkey.ts'
import { say } from './say.ts'
import { otherWayLink, type SecondStepWay, wayField, wrongText } from './second-step.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'
import { nameInText } from './text.ts'
import { dateText, whenText } from './when.ts'

/** What a page is about on which somebody chooses a password: a lost one, or the first one by an invitation. */
export type ChoiceOf = 'reset' | 'welcome'

/** Why a choice was refused. */
export type ChoiceProblem =
  | 'off'
  | 'code'
  | 'limited'
  | 'username'
  | 'taken'
  | 'throttled'
  | 'person'
  | 'short'
  | 'long'
  | 'repeated'
  | 'name'
  | 'common'
  | 'passkey'

/** Who invites somebody, and until when, in milliseconds since 1970. */
export interface InvitationProps {
  readonly inviter: string
  readonly ends_at: number
}

export interface ChoosePasswordProps extends PageForm, LinkAccountProps {
  readonly about: ChoiceOf
  /** Of an invitation: what was typed before. */
  readonly username?: string
  /** Of an invitation: the name of the person as it was typed. */
  readonly name?: string
  /** Of an invitation: who invites, and until when, in milliseconds since 1970. */
  readonly invited?: InvitationProps
  /** Whether the account has a second step, which a new password must pass. */
  readonly second_step: boolean
  /** By what it is passed. */
  readonly way?: SecondStepWay
  readonly min_length: number
  /** The passkey that may be made in place of the password, or that a new password takes. */
  readonly passkey?: Omit<PasskeyPartProps, 'button' | 'needs'>
  readonly problem?: ChoiceProblem
}

const FIELD_OF: Readonly<Record<ChoiceProblem, 'username' | 'name' | 'password' | 'code' | 'passkey'>> = {
  off: 'password',
  code: 'code',
  limited: 'code',
  username: 'username',
  taken: 'username',
  throttled: 'username',
  person: 'name',
  short: 'password',
  long: 'password',
  repeated: 'password',
  name: 'password',
  common: 'password',
  passkey: 'passkey',
}

/** Asks for a new `password`; by an invitation for a `username`, too, and with a second step for its `code`. */
export function choosePasswordPage(props: ChoosePasswordProps, view: View): string {
  const { about, problem, min_length } = props
  const { language } = view
  const title = say(language, `${about}_title`)
  const count = min_length
  const alert =
    problem && html`<p class="alert" id="problem" role="alert">${choiceProblemText(props, count, view)}</p>`
  const body = html`<h1>${title}</h1>
<p class="lead">${props.invited ? invitationText(props.invited, language) : say(language, `${about}_lead`)}</p>
${alert ?? ''}
${linkAccount(props, view)}${form(
  props,
  html`${about === 'welcome' ? usernameField(props, view) : usernameForManager(props)}<label for="password">${say(language, 'choose_password')}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required${stateOf('password', props)}>
<p class="note" id="rule">${say(language, 'choose_password_rule', { count })}</p>
${submit(props, view)}`,
)}
${SEND_ONCE_SCRIPT}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

/** The button, with what else the choice takes, or can be in its place. */
function submit(props: ChoosePasswordProps, view: View): Html {
  const { about, second_step, passkey } = props
  const { language, theme } = view
  const label = say(language, `${about}_submit`)
  if (passkey?.use === 'get') {
    const part = { ...passkey, button: html`<button class="main">${label}</button>`, needs: 'password' }
    return html`<p>${say(language, 'reset_passkey')}</p>
${passkeyPart(part, language)}
<noscript><p>${say(language, 'passkey_no_script')}</p></noscript>
<p class="note">${say(language, 'reset_passkey_lost', { service: theme.brand.service_name })}</p>`
  }
  const button = html`<button class="main">${label}</button>`
  if (second_step) return html`${secondStepField(props, view)}\n${button}\n${wayLink(props, view)}`
  if (passkey === undefined) return button
  const instead = html`<button formnovalidate>${say(language, 'choose_passkey')}</button>`
  return html`${button}\n<div class="offers">${passkeyPart({ ...passkey, button: instead, needs: 'username' }, language)}</div>`
}

/** Says who invites, and until when. */
export function invitationText({ inviter, ends_at }: InvitationProps, language: Language): Html {
  return say(language, 'welcome_invited', { inviter: nameInText(inviter), date: dateText(ends_at, language) })
}

/** The fields for the names that somebody chooses by an invitation: the username, and that of the person. */
export function usernameField(props: FieldsProps, { language }: View): Html {
  return html`<label for="username">${say(language, 'choose_username')}</label>
<input id="username" name="username" value="${props.username ?? props.account.email ?? ''}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" maxlength="255" required${stateOf('username', props)}>
<label for="name">${say(language, 'choose_name')}</label>
<input id="name" name="name" value="${props.name ?? ''}" autocomplete="name" dir="auto" maxlength="100"${stateOf('name', props)}>
`
}

/** The field by which the second step is passed. */
export function secondStepField({ problem, way = 'code' }: WayProps, { language }: View): Html {
  const has_failed = problem !== undefined && FIELD_OF[problem] === 'code'
  return html`${hidden('way', way)}\n${wayField(way, has_failed, language, has_failed)}`
}

/** The link to the other way. */
export const wayLink = (
  { action, way = 'code' }: Pick<PageForm, 'action'> & WayProps,
  { language }: View,
): Html => otherWayLink(way, (other) => withQuery(action, { way: other }), language)

type WayProps = Pick<ChoosePasswordProps, 'problem' | 'way'>

type FieldsProps = Pick<ChoosePasswordProps, 'about' | 'problem' | 'username' | 'name' | 'account'>

function stateOf(
  field: 'username' | 'name' | 'password',
  { about, problem }: Pick<FieldsProps, 'about' | 'problem'>,
): Html {
  const has_failed = problem !== undefined && FIELD_OF[problem] === field
  const is_first = field === (about === 'welcome' ? 'username' : 'password')
  const rule = field === 'password' ? 'rule' : undefined
  const described = [...(has_failed ? ['problem'] : []), ...(rule === undefined ? [] : [rule])].join(' ')
  return html`${described === '' ? '' : html` aria-describedby="${described}"`}${has_failed ? html` aria-invalid="true"` : ''}${(problem === undefined ? is_first : has_failed) ? html` autofocus` : ''}`
}

const TEXTS = {
  off: 'choose_password_off',
  limited: 'second_step_limited',
  username: 'choose_username_form',
  taken: 'choose_username_taken',
  person: 'choose_name_form',
  long: 'choose_password_long',
  repeated: 'choose_password_repeated',
  name: 'choose_password_name',
  common: 'choose_password_common',
  passkey: 'choose_passkey_refused',
} as const satisfies Partial<Record<ChoiceProblem, MessageName>>

/** How long nobody at an address is told of taken names, in seconds. */
const THROTTLED = 3600

/** Says why a choice was refused. @param count how many characters a password has at least */
export function choiceProblemText(
  { problem = 'code', way = 'code' }: WayProps,
  count: number,
  { language }: View,
): Html {
  if (problem === 'code') return wrongText(way, language)
  if (problem === 'short') return say(language, 'choose_password_short', { count })
  if (problem === 'throttled')
    return say(language, 'login_throttled', { when: whenText(THROTTLED, language) })
  return say(language, TEXTS[problem])
}
