import type { Factors } from '../../factors/factors-record.ts'
import type { BegunTotp } from '../../factors/totp.ts'
import { form, hidden } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { recoveryCodeFields, type ShownCodes, setUpFields } from '../../pages/second-step.ts'
import type { AccountLinks } from './account-form.ts'

export interface SecondStepPageProps extends AccountLinks {
  readonly factors: Factors
  readonly begun: BegunTotp
  readonly has_failed: boolean
}

/** Sets up an authenticator app, and what can be done with one that there is. */
export function secondStepPage({ base, csrf, factors, begun, has_failed }: SecondStepPageProps, view: View) {
  const { language } = view
  const title = say(language, 'own_second_step')
  const alert = has_failed
    ? html`<p class="alert" id="problem" role="alert">${say(language, 'second_step_wrong')}</p>\n`
    : ''
  const has_one = factors.totp !== undefined
  const set_up = form(
    { action: `${base}/confirm-totp`, csrf },
    html`${hidden('begun', begun.begun)}\n${setUpFields({ ...begun, has_failed }, language)}`,
  )
  const manage = has_one
    ? html`<p>${say(language, 'own_codes_left', { left: factors.recovery?.digests.length ?? 0 })}</p>
${form({ action: `${base}/new-codes`, csrf }, html`<button>${say(language, 'own_codes_new')}</button>`)}
${form({ action: `${base}/remove-totp`, csrf }, html`<button>${say(language, 'own_second_step_remove')}</button>`)}
<details${has_failed ? html` open` : ''}>
<summary>${say(language, 'own_second_step_replace')}</summary>
${set_up}
</details>`
    : set_up
  const body = html`<h1>${title}</h1>\n${alert}${manage}\n${backLink(base, view)}`
  return page(has_failed ? say(language, 'title_with_problem', { title }) : title, body, view)
}

/** Shows new recovery codes, this once. */
export function recoveryCodesPage(codes: ShownCodes, { base, csrf }: AccountLinks, view: View): string {
  const { language } = view
  const title = say(language, 'second_step_codes_title')
  const body = html`<h1>${title}</h1>
${form({ action: `${base}/codes-saved`, csrf }, recoveryCodeFields(codes, language))}`
  return page(title, body, view)
}

const backLink = (base: string, { language }: View) =>
  html`<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
