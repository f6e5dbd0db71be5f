import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { MessageName } from './messages/language.ts'
import { say } from './say.ts'
import { codeField, recoveryField } from './second-step.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'

/** What a page is about on which somebody chooses a password: a lost one, or the first one by an invitation. */
export type ChoiceOf = 'reset' | 'welcome'

/** Why a choice was refused. */
export type ChoiceProblem =
  | 'code'
  | 'limited'
  | 'username'
  | 'taken'
  | 'short'
  | 'long'
  | 'repeated'
  | 'name'
  | 'common'

export interface ChoosePasswordProps extends PageForm {
  readonly about: ChoiceOf
  /** Of an invitation: what was typed before. */
  readonly username?: string
  /** Whether the account has a second step, which a new password must pass. */
  readonly second_step: boolean
  readonly min_length: number
  readonly problem?: ChoiceProblem
}

const FIELD_OF: Readonly<Record<ChoiceProblem, 'username' | 'password' | 'code'>> = {
  code: 'code',
  limited: 'code',
  username: 'username',
  taken: 'username',
  short: 'password',
  long: 'password',
  repeated: 'password',
  name: 'password',
  common: 'password',
}

/** Asks for a new `password`; by an invitation for a `username`, too, and with a second step for its `code`. */
export function choosePasswordPage(props: ChoosePasswordProps, view: View): string {
  const { about, problem, second_step, min_length } = props
  const { language } = view
  const title = say(language, `${about}_title`)
  const count = String(min_length)
  const alert =
    problem && html`<p class="alert" id="problem" role="alert">${problemText(problem, count, view)}</p>`
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, `${about}_lead`)}</p>
${alert ?? ''}
${form(
  props,
  html`${about === 'welcome' ? usernameField(props, view) : ''}<label for="password">${say(language, 'choose_password')}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required${stateOf('password', props)}>
<p class="note" id="rule">${say(language, 'choose_password_rule', { count })}</p>
${second_step ? html`${secondStepField(props, view)}\n` : ''}<button class="primary">${say(language, `${about}_submit`)}</button>${second_step ? html`\n${recoveryField(language)}` : ''}`,
)}
${SEND_ONCE_SCRIPT}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

/** Says that a choice was made, or that its link does not work any more. */
export function chosenPage(
  { about, is_over }: { readonly about: ChoiceOf; readonly is_over: boolean },
  view: View,
): string {
  const { language } = view
  const title = say(language, is_over ? 'link_over_title' : `${about}_done_title`)
  return page(
    title,
    html`<h1>${title}</h1>\n<p>${say(language, is_over ? 'link_over_lead' : `${about}_done_lead`)}</p>`,
    view,
  )
}

function usernameField(props: ChoosePasswordProps, { language }: View): Html {
  return html`<label for="username">${say(language, 'choose_username')}</label>
<input id="username" name="username" value="${props.username ?? ''}" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" maxlength="255" required${stateOf('username', props)}>
`
}

function secondStepField({ problem }: ChoosePasswordProps, { language }: View): Html {
  const has_failed = problem !== undefined && FIELD_OF[problem] === 'code'
  return codeField(say(language, 'second_step_code'), has_failed, has_failed)
}

function stateOf(field: 'username' | 'password', { about, problem }: ChoosePasswordProps): Html {
  const has_failed = problem !== undefined && FIELD_OF[problem] === field
  const is_first = field === (about === 'welcome' ? 'username' : 'password')
  const rule = field === 'password' ? 'rule' : undefined
  const described = [...(has_failed ? ['problem'] : []), ...(rule === undefined ? [] : [rule])].join(' ')
  return html`${described === '' ? '' : html` aria-describedby="${described}"`}${has_failed ? html` aria-invalid="true"` : ''}${(problem === undefined ? is_first : has_failed) ? html` autofocus` : ''}`
}

const TEXTS = {
  code: 'second_step_wrong',
  limited: 'second_step_limited',
  username: 'choose_username_form',
  taken: 'choose_username_taken',
  long: 'choose_password_long',
  repeated: 'choose_password_repeated',
  name: 'choose_password_name',
  common: 'choose_password_common',
} as const satisfies Partial<Record<ChoiceProblem, MessageName>>

function problemText(problem: ChoiceProblem, count: string, { language }: View): Html {
  return problem === 'short'
    ? say(language, 'choose_password_short', { count })
    : say(language, TEXTS[problem])
}
