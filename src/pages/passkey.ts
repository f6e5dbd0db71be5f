import { form, hidden, type PageForm } from './form.ts'
import { Html, html } from './html.ts'
import { page, type View } from './layout.ts'
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
  /** The field of the form that must be filled in before: of a passkey that is made, it has the name of its owner. */
  readonly needs?: string
  /** No account has the passkey that was used last: its keeper is told, so that it offers it no more. */
  readonly is_unknown?: boolean
}

/** The part of a form for a passkey. It is hidden until its script runs, because nothing else can do this. */
export function passkeyPart(props: PasskeyPartProps, language: Language): Html {
  const { options, use, script, button, needs, suggests = false, is_unknown = false } = props
  const flags = new Html(
    (suggests ? ' data-passkey-suggest' : '') + (is_unknown ? ' data-passkey-unknown' : ''),
  )
  return html`<div data-passkey-options="${JSON.stringify(options)}" data-passkey-use="${use}"${needs === undefined ? '' : html` data-passkey-needs="${needs}"`}${flags} hidden>
${hidden('credential', '')}${suggests ? hidden('passkeys', '') : ''}
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

/** Offers to make a passkey to somebody who just signed in; the buttons send `invitation`: `take` or `later`. */
export function passkeyInvitationPage(
  {
    options,
    script,
    has_failed,
    ...hidden
  }: PageForm & Pick<PasskeyPartProps, 'options' | 'script'> & { readonly has_failed: boolean },
  view: View,
): string {
  const { language } = view
  const title = say(language, 'passkey_invitation_title')
  const button = html`<button class="primary" name="invitation" value="take">${say(language, 'passkey_create')}</button>`
  const part = passkeyPart({ options, use: 'create', script, button }, language)
  const alert = html`<p class="alert" id="problem" role="alert">${say(language, 'passkey_refused')}</p>\n`
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'passkey_invitation_lead')}</p>
${has_failed ? alert : ''}${form(
  hidden,
  html`${part}
<noscript><p>${say(language, 'passkey_no_script')}</p></noscript>
<div class="offers"><button name="invitation" value="later" formnovalidate>${say(language, 'passkey_later')}</button></div>`,
)}`
  return page(has_failed ? say(language, 'title_with_problem', { title }) : title, body, view)
}
