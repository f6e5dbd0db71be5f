import { PATHS } from '../core/paths.ts'
import { hidden } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { whenText } from './when.ts'

/**
 * `wrong`: no device shows this code. `over`: the device was answered already, or its code has expired. Otherwise: when
 * the user may try again.
 */
export type DeviceProblem = 'wrong' | 'over' | { readonly retry_after_seconds: number }

export interface DeviceCodeProps {
  /** What was typed before. */
  readonly user_code?: string
  readonly problem?: DeviceProblem
  /** The request that was refused. */
  readonly refused?: RequestNote
  /** As in the address: the form replaces the query, so the page sends it again. */
  readonly ui_locales?: string
}

/** Asks for the code that a device shows (RFC 8628 §3.3); it is sent as `user_code` in the address. */
export function deviceCodePage(
  { user_code = '', problem, refused, ui_locales }: DeviceCodeProps,
  view: View,
): string {
  const { language, theme } = view
  const title = say(language, 'device_title')
  const alert = problem && problemText(problem, view)
  const described = alert ? html` aria-describedby="problem" aria-invalid="true"` : ''
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'device_lead')}</p>
${alert ? html`<p class="alert" id="problem" role="alert">${alert}</p>` : ''}
<form action="${theme.base}${PATHS.device}">
<label for="user_code">${say(language, 'device_code')}</label>
<input class="code" id="user_code" name="user_code" value="${user_code}" autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr" maxlength="32" required autofocus${described}>${ui_locales ? hidden('ui_locales', ui_locales) : ''}
<button class="main">${say(language, 'device_submit')}</button>
</form>${refused ? html`\n${requestNote(refused, language)}` : ''}`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function problemText(problem: DeviceProblem, { language }: View) {
  if (problem === 'wrong') return say(language, 'device_wrong')
  if (problem === 'over') return say(language, 'device_over')
  return say(language, 'device_limited', { when: whenText(problem.retry_after_seconds, language) })
}
