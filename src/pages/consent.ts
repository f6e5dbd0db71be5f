import { ACT_AS, AREAS, CONSENTS, LOGINS, PREVIEWS, VERBS } from '../core/admin-scopes.ts'
import type { ShownDetail } from '../details/sentence.ts'
import { type Account, accountBadge, accountLink } from './account.ts'
import { type Destination, destinationRow, hostText } from './destination.ts'
import { detailText } from './detail-text.ts'
import { form, type PageForm } from './form.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language, MessageName } from './messages/language.ts'
import { type Described, originText } from './origin.ts'
import { say } from './say.ts'
import { SEND_ONCE_SCRIPT, SEND_ONCE_SOURCE } from './send-once.ts'
import { nameInText, plainName } from './text.ts'
import type { PageNeeds } from './theme.ts'

export interface ConsentProps extends PageForm {
  readonly destination: Destination
  readonly scopes: readonly string[]
  /** The names of the APIs that the client may call. */
  readonly resources?: readonly string[]
  /** What the client asks for in detail. */
  readonly details?: readonly ShownDetail[]
  /** The operator's descriptions of scopes, by scope name. */
  readonly scope_texts?: ReadonlyMap<string, string>
  /** The scope of each custom claim, by claim name. */
  readonly scope_claims?: ReadonlyMap<string, string>
  /** The account that is signed in. */
  readonly account: Account
  /** Of a client that describes itself. */
  readonly described?: Described
}

const STANDARD_SCOPES = new Map<string, Extract<MessageName, `scope_${string}`>>([
  ['openid', 'scope_openid'],
  ['profile', 'scope_profile'],
  ['email', 'scope_email'],
  ['address', 'scope_address'],
  ['phone', 'scope_phone'],
  ['offline_access', 'scope_offline_access'],
  ...VERBS.map((verb) => [`redmint:${verb}`, `scope_redmint_${verb}`] as const),
  [ACT_AS, 'scope_redmint_users_act_as'],
  ...AREAS.flatMap((area) =>
    VERBS.map((verb) => [`redmint:${area}:${verb}`, `scope_redmint_${area}_${verb}`] as const),
  ),
  [LOGINS, 'scope_redmint_logins_write'],
  [CONSENTS, 'scope_redmint_consents_write'],
  [PREVIEWS, 'scope_redmint_previews_write'],
])

/** Asks for consent; `decision` is sent as `allow`, `deny` or `other_account`. */
export function consentPage(props: ConsentProps, view: View): string {
  const { language } = view
  const { client_name } = props.destination
  const body = html`<h1>${say(language, 'consent_title', { client: html`<bdi>${plainName(client_name)}</bdi>` })}</h1>
${destinationRow(props.destination)}
${form(
  props,
  html`${consentAccount(props, language)}
${scopeList(props, language)}
${originText(props, view)}<p class="note">${noteText(props.destination, language)}</p>
${documents(props.destination, language)}${consentChoice(language)}`,
)}
${accountLink(view)}${SEND_ONCE_SCRIPT}`
  const title = say(language, 'consent_title', { client: plainName(client_name) })
  return page(title, body, view)
}

/** The scopes in the words of the page, and the APIs. */
export function scopeList(props: ConsentProps, language: Language): Html {
  const scopes = props.scopes.map(
    (name) => html`<li>${scopeText(name, props, language)}${released(name, props)}</li>\n`,
  )
  const resources = props.resources?.map(
    (name) =>
      html`\n<p class="note">${say(language, 'consent_resource', { resource: html`<bdi>${plainName(name)}</bdi>` })}</p>`,
  )
  const list = scopes.length === 0 ? '' : html`<ul class="scopes">\n${scopes}</ul>`
  return html`${detailList(props)}${list}${resources ?? ''}`
}

/** What the client asks for in detail. */
function detailList({ details = [] }: Pick<ConsentProps, 'details'>): Html | string {
  if (details.length === 0) return ''
  return html`<ul class="asked">\n${details.map((one) => html`<li>${detailText(one)}</li>\n`)}</ul>\n`
}

/** Whose account it is, and the way to another one. */
export function consentAccount({ account }: ConsentProps, language: Language): Html {
  const not_you = say(language, 'account_not_you')
  return html`<div class="account chip">${accountBadge(account, say(language, 'account_signed_in'))}<button class="link" name="decision" value="other_account" aria-label="${not_you} ${say(language, 'account_other')}">${not_you}</button></div>`
}

/** The buttons that answer. */
export function consentChoice(language: Language): Html {
  return html`<div class="choice pair">
<button class="main" name="decision" value="allow">${say(language, 'consent_allow')}</button>
<button name="decision" value="deny">${say(language, 'consent_deny')}</button>
</div>`
}

/** What the policy of the page for this client allows: its script, and the origin of the client's logo. */
export function consentPageNeeds({ logo_uri }: Destination): PageNeeds {
  const logo = logo_uri === undefined ? {} : { image_source: new URL(logo_uri).origin }
  return { script_source: SEND_ONCE_SOURCE, ...logo }
}

/** The value that a scope releases, where the user may have several. */
function released(name: string, { account: { email } }: ConsentProps): Html | string {
  return name === 'email' && email !== undefined ? html`<small><bdi>${plainName(email)}</bdi></small>` : ''
}

/** The links to the documents of the client. */
export function documents(
  { client_name, policy_uri, tos_uri }: Destination,
  language: Language,
): Html | string {
  if (policy_uri === undefined && tos_uri === undefined) return ''
  const client = html`<bdi>${plainName(client_name)}</bdi>`
  const link = (uri: string | undefined, name: 'consent_policy' | 'consent_terms') =>
    uri === undefined ? '' : html`<a class="link" href="${uri}">${say(language, name, { client })}</a>\n`
  return html`<div class="more">
${link(policy_uri, 'consent_policy')}${link(tos_uri, 'consent_terms')}</div>
`
}

function noteText({ client_name, host }: Destination, language: Language): Html {
  const client = nameInText(client_name)
  return host === undefined
    ? say(language, 'consent_note_without_host', { client })
    : say(language, 'consent_note', { client, host: hostText(host) })
}

/** The operator's description of a scope, else the standard one, else its claims, else the name. */
export function scopeText(
  name: string,
  { scope_texts, scope_claims = new Map() }: Pick<ConsentProps, 'scope_texts' | 'scope_claims'>,
  language: Language,
): string | Html {
  const given = scope_texts?.get(name)
  if (given !== undefined) return given
  const message = STANDARD_SCOPES.get(name)
  if (message !== undefined) return say(language, message)
  const claims = [...scope_claims].filter(([, releasing]) => releasing === name).map(([claim]) => claim)
  return claims.length === 0
    ? html`<code>${plainName(name)}</code>`
    : say(language, 'claims_of_scope', { claims: html`<code>${claims.join(', ')}</code>` })
}
