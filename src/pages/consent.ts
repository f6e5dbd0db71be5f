import { type Account, accountBadge } from './account.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language, MessageName } from './messages/language.ts'
import { say } from './say.ts'
import { destinationOf, nameInText, plainName } from './text.ts'

export interface ConsentProps extends PageForm {
  readonly client_name: string
  /** A registered one. */
  readonly redirect_uri: string
  readonly scopes: readonly string[]
  /** What the operator says that a scope allows, by its name. */
  readonly scope_texts?: ReadonlyMap<string, string>
  /** Who is signed in. */
  readonly account: Account
}

const STANDARD_SCOPES = new Map<string, Extract<MessageName, `scope_${string}`>>([
  ['openid', 'scope_openid'],
  ['profile', 'scope_profile'],
  ['email', 'scope_email'],
  ['address', 'scope_address'],
  ['phone', 'scope_phone'],
  ['offline_access', 'scope_offline_access'],
])

/** Asks for consent; `decision` is sent as `allow`, `deny` or `other_account`. */
export function consentPage(props: ConsentProps, view: View): string {
  const { language } = view
  const client = nameInText(props.client_name)
  const host = destinationOf(props.redirect_uri)
  const scopes = props.scopes.map((name) => html`<li>${scopeText(name, props, language)}</li>\n`)
  const body = html`<h1>${say(language, 'consent_title', { client: html`<bdi>${plainName(props.client_name)}</bdi>` })}</h1>
<p class="lead">${say(language, 'consent_lead', { client, host })}</p>
${form(
  props,
  html`<ul class="scopes">
${scopes}</ul>
<p class="note">${say(language, 'consent_note', { client, host })}</p>
<div class="choice pair">
<button class="primary" name="decision" value="allow">${say(language, 'consent_allow')}</button>
<button name="decision" value="deny">${say(language, 'consent_deny')}</button>
</div>
<div class="who">
<div class="account">${accountBadge(props.account, say(language, 'account_signed_in'))}</div>
<button class="link" name="decision" value="other_account">${say(language, 'account_other')}</button>
</div>`,
)}`
  const title = say(language, 'consent_title', { client: plainName(props.client_name) })
  return page(title, body, view)
}

/** What a scope allows: in the operator's words, in ours, or by its name. */
function scopeText(name: string, { scope_texts }: ConsentProps, language: Language): string | Html {
  const given = scope_texts?.get(name)
  if (given !== undefined) return given
  const message = STANDARD_SCOPES.get(name)
  return message === undefined ? html`<code>${plainName(name)}</code>` : say(language, message)
}
