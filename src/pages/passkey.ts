import { form, hidden, nameField, type PageForm, stayBox } from './form.ts'
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
  /** What is said if the browser used or made none; absent: that there are other ways, or that none was added. */
  readonly problem?: 'own_passkey_refused'
  /** No account has the passkey that was used last: its keeper is told, so that it offers it no more. */
  readonly is_unknown?: boolean
}

/** The part of a form for a passkey. It is hidden until its script runs, because nothing else can do this. */
export function passkeyPart(props: PasskeyPartProps, language: Language): Html {
  const { options, use, script, button, needs, problem, suggests = false, is_unknown = false } = props
  const flags = new Html(
    (suggests ? ' data-passkey-suggest' : '') + (is_unknown ? ' data-passkey-unknown' : ''),
  )
  const exists = use === 'create' ? html` data-passkey-exists="${say(language, 'passkey_exists')}"` : ''
  return html`<div data-passkey-options="${JSON.stringify(options)}" data-passkey-use="${use}"${needs === undefined ? '' : html` data-passkey-needs="${needs}"`}${flags} hidden>
${hidden('credential', '')}${suggests ? hidden('passkeys', '') : ''}
<p class="caps" role="status" data-passkey-problem="${say(language, problem ?? (use === 'create' ? 'passkey_refused' : 'passkey_problem'))}"${exists}></p>
${button}
</div>
${passkeyScript(script)}`
}

export interface PasskeySignInProps extends Omit<PasskeyPartProps, 'button'> {
  /** The name that the request gives. */
  readonly username?: string
  /** Whether the box to stay signed in is ticked; absent: there is none. */
  readonly stay?: boolean
}

/**
 * Asks for a passkey where there is no other way to sign in. The passkey says whose it is: the field is where browsers
 * suggest passkeys, and all of it is hidden until the script runs.
 */
export function passkeySignInFields(props: PasskeySignInProps, language: Language): Html {
  const { username = '', stay, ...part } = props
  const box = stay === undefined ? '' : html`${stayBox(stay, language)}\n`
  const button = html`${nameField({ username, autocomplete: 'username webauthn' }, language)}
${box}<button class="main">${say(language, 'passkey_sign_in')}</button>`
  return html`${passkeyPart({ ...part, button, problem: 'own_passkey_refused' }, language)}
${passkeysMissing(language)}`
}

/** What a page says that takes a passkey and nothing else, where no passkey can be used. */
export function passkeysMissing(language: Language): Html {
  const text = html`<p>${say(language, 'passkey_missing')}</p>`
  return html`<noscript>${text}</noscript>
<div data-passkey-missing hidden>${text}</div>`
}

/** The script of a page with passkeys. */
export function passkeyScript(script: string): Html {
  return html`<script src="${script}" defer></script>`
}

/**
 * What a page with `passkeyScript` tells the browser, if it is shown to the owner: the passkeys that there are, and the
 * name.
 */
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
  const button = html`<button class="main" name="invitation" value="take">${say(language, 'passkey_create')}</button>`
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
