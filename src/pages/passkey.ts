import { hidden } from './form.ts'
import { Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'

/** What a form has for a passkey. */
export interface PasskeyPartProps {
  /** What the browser is asked for, as JSON (WebAuthn Level 3 §5.4 and §5.5). */
  readonly options: object
  /** Whether a passkey is made, or used. */
  readonly use: 'create' | 'get'
  /** The path of the script. */
  readonly script: string
  /** The button that begins it; the script then sends the form with it, and with the field `credential`. */
  readonly button: Html
  /** Whether the browser suggests passkeys in a field whose `autocomplete` has `webauthn`. */
  readonly suggests?: boolean
  /** No account has the passkey that was used last: its keeper is told, so that it offers it no more. */
  readonly is_unknown?: boolean
}

/** The part of a form for a passkey. It is hidden until its script runs, because nothing else can do this. */
export function passkeyPart(props: PasskeyPartProps, language: Language): Html {
  const { options, use, script, button, suggests = false, is_unknown = false } = props
  const flags = new Html(
    (suggests ? ' data-passkey-suggest' : '') + (is_unknown ? ' data-passkey-unknown' : ''),
  )
  return html`<div data-passkey-options="${JSON.stringify(options)}" data-passkey-use="${use}"${flags} hidden>
${hidden('credential', '')}
<p class="caps" role="status" data-passkey-problem="${say(language, 'passkey_problem')}"></p>
${button}
</div>
${passkeyScript(script)}`
}

/** The script of a page with passkeys. */
export function passkeyScript(script: string): Html {
  return html`<script src="${script}" defer></script>`
}

/** What a page with `passkeyScript` tells the browser, if it is shown to the owner: the passkeys that there are, and the name. */
export function passkeySignal(signals: object): Html {
  return html`<div data-passkey-signals="${JSON.stringify(signals)}" hidden></div>`
}
