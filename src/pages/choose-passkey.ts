import {
  type ChoiceOf,
  type ChoiceProblem,
  choiceProblemText,
  type InvitationProps,
  invitationText,
  secondStepField,
  usernameField,
  wayLink,
} from './choose-password.ts'
import { form, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { type LinkAccountProps, linkAccount, usernameForManager } from './link-account.ts'
import type { MessageName } from './messages/language.ts'
import { type PasskeyPartProps, passkeyPart, passkeysMissing } from './passkey.ts'
import { say } from './say.ts'
import type { SecondStepWay } from './second-step.ts'
import { SEND_ONCE_SCRIPT } from './send-once.ts'

export interface ChoosePasskeyProps extends PageForm, LinkAccountProps {
  readonly about: ChoiceOf
  /** Of an invitation: what was typed before. */
  readonly username?: string
  /** Of an invitation: the name of the person as it was typed. */
  readonly name?: string
  readonly invited?: InvitationProps
  /** Whether the account has an app, whose code a new passkey takes. */
  readonly second_step: boolean
  /** By what it is passed. */
  readonly way?: SecondStepWay
  readonly passkey: Omit<PasskeyPartProps, 'button' | 'needs'>
  readonly problem?: ChoiceProblem
}

const TEXTS = {
  reset: { title: 'renew_title', lead: 'reset_lead', submit: 'passkey_create' },
  welcome: { title: 'welcome_title', lead: 'own_passkeys_lead', submit: 'welcome_submit' },
} as const satisfies Readonly<Record<ChoiceOf, Readonly<Record<string, MessageName>>>>

const FIELD_OF_WAY = { code: 'code', recovery: 'recovery_code' } as const satisfies Record<
  SecondStepWay,
  string
>

/**
 * Asks for a new passkey where nobody has a password; by an invitation for a `username`, too, and for the `code` of an
 * app.
 */
export function choosePasskeyPage(props: ChoosePasskeyProps, view: View): string {
  const { about, problem, second_step, way = 'code' } = props
  const { language } = view
  const texts = TEXTS[about]
  const title = say(language, texts.title)
  const alert =
    problem && html`<p class="alert" id="problem" role="alert">${choiceProblemText(props, 0, view)}</p>\n`
  const code = html`${secondStepField(props, view)}\n`
  const button = html`<button class="main">${say(language, texts.submit)}</button>`
  const needs = about === 'welcome' ? { needs: 'username' } : second_step ? { needs: FIELD_OF_WAY[way] } : {}
  const part = passkeyPart({ ...props.passkey, ...needs, button, problem: 'own_passkey_refused' }, language)
  const body = html`<h1>${title}</h1>
<p class="lead">${props.invited ? invitationText(props.invited, language) : say(language, texts.lead)}</p>
${alert ?? ''}${linkAccount(props, view)}${form(
  props,
  html`${about === 'welcome' ? usernameField(props, view) : usernameForManager(props)}${second_step ? code : ''}${part}
${passkeysMissing(language)}${second_step ? html`\n${wayLink(props, view)}` : ''}`,
)}
${SEND_ONCE_SCRIPT}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}
