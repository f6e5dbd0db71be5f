import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import type { AddressProblem } from '../change-address.ts'
import type { AccountLinks } from './account-form.ts'

export interface AddressPageProps extends AccountLinks {
  /** What the field has. */
  readonly email: string
  /** The address that waits for its link to be used. */
  readonly pending?: string | undefined
  readonly problem?: AddressProblem
}

/** Asks for an `email`, to which a link goes. */
export function addressPage(props: AddressPageProps, view: View): string {
  const { base, csrf, email, pending, problem } = props
  const { language } = view
  const title = say(language, 'own_address_change')
  const alert =
    problem &&
    html`<p class="alert" id="problem" role="alert">${say(language, `own_address_${problem}`)}</p>\n`
  const state = alert
    ? html` aria-describedby="problem rule"${problem === 'form' ? html` aria-invalid="true"` : ''}`
    : html` aria-describedby="rule"`
  const waiting =
    pending === undefined
      ? ''
      : html`<p>${say(language, 'own_address_pending', { address: html`<bdi>${plainName(pending)}</bdi>` })}</p>\n`
  const body = html`<h1>${title}</h1>
${alert ?? ''}${waiting}${form(
  { action: `${base}/change-address`, csrf },
  html`<label for="email">${say(language, 'own_address_new')}</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" dir="auto" maxlength="254" value="${email}" required autofocus${state}>
<p class="note" id="rule">${say(language, 'own_address_lead')}</p>
<button class="main">${say(language, 'forgot_submit')}</button>`,
)}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}
