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
export function codeField(label: Html, has_failed: boolean, is_first = true): Html {
  return html`<label for="code">${label}</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" dir="ltr" maxlength="16" required${is_first ? html` autofocus` : ''}${described(has_failed)}>`
}

/** Behind a disclosure, the field `recovery_code` for a recovery code in place of the code, with a button. */
export function recoveryField(language: Language): Html {
  return recoveryInput(
    language,
    html`<button formnovalidate>${say(language, 'second_step_continue')}</button>\n`,
  )
}

/** The same without a button, where the form has one for both. */
export function recoveryInput(language: Language, button: Html | string = ''): Html {
  return html`<details>
<summary>${say(language, 'second_step_use_recovery')}</summary>
<label for="recovery_code">${say(language, 'second_step_recovery_code')}</label>
<input id="recovery_code" name="recovery_code" autocomplete="off" autocapitalize="characters" spellcheck="false" dir="ltr" maxlength="64">
${button}</details>`
}

export interface SecondStepFieldsProps {
  readonly has_failed: boolean
  /** For how many days a browser can be trusted; 0: not at all. */
  readonly trusted_days: number
}

/** Asks for the code of an app, in `code`, or behind a disclosure for a recovery code, in `recovery_code`. */
export function secondStepFields(
  { has_failed, trusted_days }: SecondStepFieldsProps,
  language: Language,
): Html {
  const days = new Intl.NumberFormat(language.tag, { style: 'unit', unit: 'day', unitDisplay: 'long' })
  const trust =
    trusted_days === 0
      ? ''
      : html`<label><input type="checkbox" name="trust" value="yes">${say(language, 'second_step_trust', { days: days.format(trusted_days) })}</label>\n`
  return html`${codeField(say(language, 'second_step_code'), has_failed)}
${trust}<button class="main">${say(language, 'second_step_continue')}</button>
${recoveryField(language)}`
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
