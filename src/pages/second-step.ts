// The parts of pages about the second step: of the sign-in, and of the account page.
import { encode } from 'uqr'
import { hidden } from './form.ts'
import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { QR_OPTIONS, qrPicture } from './qr-code.ts'
import { say } from './say.ts'

/** What describes a field: the alert of the page, if the last answer was wrong. */
const described = (has_failed: boolean): Html =>
  has_failed ? html` aria-describedby="problem" aria-invalid="true"` : html``

/** The field `code` for six digits of an app. `is_first`: the cursor begins here. */
function codeField(label: Html, has_failed: boolean, is_first = true): Html {
  return html`<label for="code">${label}</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" dir="ltr" maxlength="16" required${is_first ? html` autofocus` : ''}${described(has_failed)}>`
}

/**
 * By what the second step is passed: the code of an app, or a recovery code in its place. Each way has a form of its own, so
 * that Enter sends what was typed.
 */
export type SecondStepWay = 'code' | 'recovery'

/** Reads which way an address or a form names. */
export const readWay = (text: string | undefined): SecondStepWay =>
  text === 'recovery' ? 'recovery' : 'code'

/** The field of a way: `code`, or `recovery_code`. `is_first`: the cursor begins here. */
export function wayField(way: SecondStepWay, has_failed: boolean, language: Language, is_first = true): Html {
  if (way === 'code') return codeField(say(language, 'second_step_code'), has_failed, is_first)
  const described = has_failed ? 'problem recovery_hint' : 'recovery_hint'
  return html`<label for="recovery_code">${say(language, 'second_step_recovery_code')}</label>
<input class="code" id="recovery_code" name="recovery_code" autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr" maxlength="64" required${is_first ? html` autofocus` : ''} aria-describedby="${described}"${has_failed ? html` aria-invalid="true"` : ''}>
<p class="note" id="recovery_hint">${say(language, 'second_step_recovery_hint')}</p>`
}

/** The link to the page of the other way. @param addressOf returns the address of that page */
export function otherWayLink(
  way: SecondStepWay,
  addressOf: (way: SecondStepWay) => string,
  language: Language,
): Html {
  const [other, text] =
    way === 'code'
      ? (['recovery', 'second_step_use_recovery'] as const)
      : (['code', 'second_step_use_app'] as const)
  return html`<div class="offers"><a class="button" href="${addressOf(other)}">${say(language, text)}</a></div>`
}

/** Says that what was typed is wrong. */
export const wrongText = (way: SecondStepWay, language: Language): Html =>
  say(language, way === 'code' ? 'second_step_wrong' : 'second_step_recovery_wrong')

export interface SecondStepFieldsProps {
  readonly way: SecondStepWay
  readonly has_failed: boolean
  /** For how many days a browser can be trusted; 0: not at all. */
  readonly trusted_days: number
  /** Returns the address of this page with the other way. */
  addressOf(way: SecondStepWay): string
}

/** Asks for the code of an app, in `code`, or for a recovery code, in `recovery_code`, with a link to the other way. */
export function secondStepFields(
  { way, has_failed, trusted_days, addressOf }: SecondStepFieldsProps,
  language: Language,
): Html {
  const days = new Intl.NumberFormat(language.tag, { style: 'unit', unit: 'day', unitDisplay: 'long' })
  const trust =
    trusted_days === 0
      ? ''
      : html`<label><input type="checkbox" name="trust" value="yes">${say(language, 'second_step_trust', { days: days.format(trusted_days) })}</label>\n`
  return html`${wayField(way, has_failed, language)}
${way === 'code' ? trust : ''}<button class="main">${say(language, 'second_step_continue')}</button>
${otherWayLink(way, addressOf, language)}`
}

/** Shows the secret of a new app as a picture and as text, and asks for its first code, in `code`. */
export function setUpFields(
  { uri, key, has_failed }: { readonly uri: string; readonly key: string; readonly has_failed: boolean },
  language: Language,
): Html {
  return html`<p>${say(language, 'second_step_set_up_lead')}</p>
${qrPicture(encode(uri, QR_OPTIONS).data, say(language, 'second_step_qr'))}
<p>${say(language, 'second_step_key')} <code translate="no">${key}</code></p>
${codeField(say(language, 'second_step_first_code'), has_failed)}
<button class="main">${say(language, 'second_step_continue')}</button>`
}

/** New recovery codes, as a page shows them. */
export interface ShownCodes {
  readonly codes: readonly string[]
  /** The same, sealed: what the form for the file sends as `codes`. */
  readonly sealed: string
  /** The path that answers it with the file. */
  readonly file: string
}

/**
 * Shows recovery codes, once: to be kept as a file or on paper. The button goes on, once it is said that they are kept.
 * It is the part of a form.
 */
export function recoveryCodeFields({ codes, sealed, file }: ShownCodes, language: Language): Html {
  return html`<p>${say(language, 'second_step_codes_lead')}</p>
<pre role="group" translate="no" tabindex="0" aria-label="${say(language, 'own_codes')}">${codes.join('\n')}</pre>
${hidden('codes', sealed)}
<div class="choice"><button formaction="${file}" formmethod="post" formnovalidate>${say(language, 'second_step_codes_file')}</button></div>
<p class="note">${say(language, 'second_step_codes_print')}</p>
<label><input type="checkbox" required>${say(language, 'second_step_codes_saved')}</label>
<button class="main">${say(language, 'second_step_continue')}</button>`
}
