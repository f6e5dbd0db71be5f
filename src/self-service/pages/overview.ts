import type { AccountField } from '../../config/account-fields.ts'
import type { ScopeClaims } from '../../config/scope-claims.ts'
import type { ScopeTexts } from '../../config/scope-texts.ts'
import { scopeTextsIn } from '../../config/scope-texts.ts'
import type { Factors } from '../../factors/factors-record.ts'
import { browserText } from '../../pages/browser-text.ts'
import { scopeText } from '../../pages/consent.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import type { MessageName } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import type { ListedSession } from '../../sessions/listed-sessions.ts'
import type { User } from '../../users/user-record.ts'
import type { OwnApplication } from '../own-applications.ts'
import { type AccountLinks, type DoneName, isDone } from './account-form.ts'
import { activityList, type ShownActivity } from './activity.ts'

/** A session, and the names of the applications that were signed in to with it. */
export interface ShownSession extends ListedSession {
  readonly applications: readonly string[]
}

export interface OverviewProps extends AccountLinks {
  readonly user: User
  readonly groups: readonly string[]
  /** What of the profile the person may change. */
  readonly changeable: readonly AccountField[]
  readonly factors: Factors
  readonly own_sid: string
  readonly sessions: readonly ShownSession[]
  /** The addresses of the next parts; undefined: there is none. */
  readonly older_sessions?: string | undefined
  readonly older_applications?: string | undefined
  /** Where the sessions that are shown begin; undefined: at the beginning. */
  readonly sessions_place?: string | undefined
  readonly applications: readonly OwnApplication[]
  readonly activities: readonly ShownActivity[]
  readonly scope_texts: ScopeTexts
  readonly scope_claims: ScopeClaims
  /** What was done just now. */
  readonly done?: string | undefined
  /** Whether addresses can be confirmed. */
  readonly has_mail: boolean
  /** The address that waits for its link to be used. */
  readonly pending?: string | undefined
  readonly has_second_step: boolean
  readonly has_passkeys: boolean
  /** Whether there is no other way to sign in. */
  readonly has_only_passkeys: boolean
  readonly has_providers: boolean
  readonly can_delete: boolean
  /** Where the password is changed. */
  readonly change_password: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The account page: facts first, what can be done with each below it, what cannot be undone last. */
export function overviewPage(props: OverviewProps, view: View): string {
  const { language } = view
  const title = say(language, 'own_title')
  const body = html`<h1>${title}</h1>
${doneText(props.done, view)}${facts(props, view)}
${props.changeable.length === 0 ? '' : html`<div class="choice">${link(`${props.base}/profile`, 'own_profile_change', view)}</div>\n`}${props.has_mail ? html`${address(props, view)}\n` : ''}${section('own_ways', html`${ways(props, view)}${elsewhere(props, view)}`, view)}
${hasSecondStep(props) ? section('own_second_step', secondStep(props, view), view) : ''}
${section('own_where', sessionList(props, view), view)}
${section('own_applications', applicationList(props, view), view)}
${section('own_activity', activityList(props.activities, props.now, language), view)}
${section('own_data', html`<p>${say(language, 'own_data_lead')}</p>\n${link(`${props.base}/data`, 'own_download', view)}`, view)}
${props.can_delete ? section('own_delete', link(`${props.base}/delete`, 'own_delete', view), view) : ''}`
  return page(title, body, view)
}

function doneText(done: string | undefined, { language }: View): Html | '' {
  if (!isDone(done)) return ''
  const message: `own_done_${DoneName}` = `own_done_${done}`
  return html`<p class="result" role="status">${say(language, message)}</p>\n`
}

function section(title: MessageName & `own_${string}`, content: Html, { language }: View): Html {
  const id = title.replace('own_', '')
  return html`<section class="section" aria-labelledby="${id}">
<h2 id="${id}">${saying(title, language)}</h2>
${content}
</section>`
}

// These messages have no placeholders and count nothing.
const saying = (name: MessageName, language: View['language']) => html`${String(language.messages[name])}`

const link = (href: string, name: MessageName, { language }: View): Html =>
  html`<a class="button" href="${href}">${saying(name, language)}</a>`

function facts({ user, groups }: OverviewProps, { language }: View): Html {
  const { name = '', email = '', email_verified } = user.claims
  const unverified = email_verified === 'true' ? '' : html` (${say(language, 'own_email_unverified')})`
  const rows: [MessageName, Html][] = [
    ...(name === '' ? [] : [['own_name', html`<bdi>${plainName(name)}</bdi>`] as [MessageName, Html]]),
    ['own_username', html`<bdi>${plainName(user.username)}</bdi>`],
    ...(email === ''
      ? []
      : [['own_email', html`<bdi>${plainName(email)}</bdi>${unverified}`] as [MessageName, Html]]),
    ...(groups.length === 0
      ? []
      : [['own_groups', html`${groups.map(plainName).join(', ')}`] as [MessageName, Html]]),
  ]
  return html`<dl>
${rows.map(([label, value]) => html`<dt>${saying(label, language)}</dt><dd>${value}</dd>\n`)}</dl>`
}

function address({ user, pending, base, csrf }: OverviewProps, view: View): Html {
  const { language } = view
  const { email = '', email_verified } = user.claims
  const waiting = pending ?? (email === '' || email_verified === 'true' ? undefined : email)
  const change = link(`${base}/address`, 'own_address_change', view)
  if (waiting === undefined) return html`<div class="choice">${change}</div>`
  const again = form(
    { action: `${base}/change-address`, csrf },
    html`${hidden('email', waiting)}\n<button>${say(language, 'own_address_again')}</button>`,
  )
  const lead =
    pending === undefined
      ? ''
      : html`<p>${say(language, 'own_address_pending', { address: html`<bdi>${plainName(pending)}</bdi>` })}</p>\n`
  return html`${lead}<div class="choice">${again}\n${change}</div>`
}

/** Where a passkey is all that people sign in with, an app protects links only: who has none needs none. */
const hasSecondStep = ({ has_second_step, has_only_passkeys, factors }: OverviewProps): boolean =>
  has_second_step && (!has_only_passkeys || factors.totp !== undefined)

function passwordPart(
  { user, change_password, has_only_passkeys }: OverviewProps,
  view: View,
): Html | string {
  if (has_only_passkeys) return ''
  return user.password_hash === undefined
    ? html`<p>${say(view.language, 'own_no_password')}</p>`
    : link(change_password, 'own_change_password', view)
}

function ways(props: OverviewProps, view: View): Html {
  const { factors, has_passkeys, base } = props
  const { language } = view
  const password = passwordPart(props, view)
  if (!has_passkeys) return html`${password}`
  if (factors.passkeys.size === 0) {
    return html`<p>${say(language, 'own_passkeys_lead')}</p>
<div class="choice">${link(`${base}/passkeys`, 'passkey_create', view)}
${password}</div>`
  }
  const count = new Intl.NumberFormat(language.tag).format(factors.passkeys.size)
  return html`<p>${say(language, 'own_passkeys_count', { count })}</p>
<div class="choice">${link(`${base}/passkeys`, 'own_passkeys_manage', view)}
${password}</div>`
}

const elsewhere = ({ has_providers, base }: OverviewProps, view: View): Html | '' =>
  has_providers
    ? html`\n<div class="choice">${link(`${base}/providers`, 'own_providers_manage', view)}</div>`
    : ''

function secondStep(
  { factors: { totp, recovery }, has_only_passkeys, base }: OverviewProps,
  view: View,
): Html {
  const { language } = view
  if (totp === undefined)
    return html`<p>${say(language, 'own_second_step_off')}</p>\n${link(`${base}/second-step`, 'own_second_step_set_up', view)}`
  const left = recovery?.digests.length ?? 0
  return html`<p>${say(language, has_only_passkeys ? 'own_second_step_link' : 'own_second_step_on')} ${say(language, 'own_codes_left', { left })}</p>
${link(`${base}/second-step`, 'own_second_step_manage', view)}`
}

function sessionList(props: OverviewProps, view: View): Html {
  const { sessions, own_sid, now, base, csrf, sessions_place, older_sessions } = props
  const { language } = view
  const place = sessions_place === undefined ? '' : html`\n${hidden('sessions', sessions_place)}`
  const items = sessions.map(({ session, applications }) => {
    const { sid, browser, address, last_used_at, started_at } = session
    const name = browser ? browserText(browser, language) : say(language, 'own_unknown_browser')
    const used = say(language, 'own_last_used', { when: agoTime(last_used_at ?? started_at, now, language) })
    const is_own = sid === own_sid
    const where = [address, used].filter((part) => part !== undefined)
    const own = is_own ? html`<small>${say(language, 'own_this_browser')}</small>` : ''
    const names = applications.map((one, i) => html`${i === 0 ? '' : ', '}<bdi>${plainName(one)}</bdi>`)
    const there = names.length === 0 ? '' : html`<small>${names}</small>`
    const label = say(language, 'own_sign_out_of', { browser: name })
    return html`<li><strong>${name}</strong>${own}<small>${where.map((part, i) => html`${i === 0 ? '' : ' · '}${part}`)}</small>${there}
${is_own ? '' : form({ action: `${base}/end-session`, csrf }, html`${hidden('sid', sid)}${place}\n<button aria-label="${label}">${say(language, 'own_sign_out')}</button>`)}</li>\n`
  })
  const others =
    sessions.length > 1 || sessions_place !== undefined || older_sessions !== undefined
      ? form(
          { action: `${base}/end-others`, csrf },
          html`<button>${say(language, 'own_sign_out_others')}</button>`,
        )
      : ''
  return html`<ul class="items">\n${items}</ul>${older(older_sessions, view)}\n${others}`
}

function applicationList(props: OverviewProps, view: View): Html {
  const { language } = view
  const { applications, now, base, csrf, scope_claims } = props
  if (applications.length === 0) return html`<p>${say(language, 'own_applications_none')}</p>`
  const texts = { scope_texts: scopeTextsIn(props.scope_texts, language.tag), scope_claims }
  const items = applications.map(({ client_id, client_name, scopes, since, last_used_at }) => {
    const client = html`<bdi>${plainName(client_name)}</bdi>`
    const times = [
      since === undefined ? undefined : say(language, 'own_added', { when: agoTime(since, now, language) }),
      last_used_at === undefined
        ? undefined
        : say(language, 'own_last_used', { when: agoTime(last_used_at, now, language) }),
    ].filter((part) => part !== undefined)
    const label = say(language, 'own_remove_access_of', { client: plainName(client_name) })
    return html`<li><strong>${client}</strong><small>${times.map((part, i) => html`${i === 0 ? '' : ' · '}${part}`)}</small>
<ul>
${scopes.map((name) => html`<li>${scopeText(name, texts, language)}</li>\n`)}</ul>
${form({ action: `${base}/end-application`, csrf }, html`${hidden('client_id', client_id)}\n<button aria-label="${label}">${say(language, 'own_remove_access')}</button>`)}</li>\n`
  })
  return html`<ul class="items">\n${items}</ul>${older(props.older_applications, view)}`
}

const older = (href: string | undefined, view: View): Html | '' =>
  href === undefined ? '' : html`\n${link(href, 'own_older', view)}`
