import type { MutedClient } from '../../asks/own-asks.ts'
import type { StoredSubscription } from '../../asks/push/subscriptions.ts'
import type { ScopeClaims } from '../../config/scope-claims.ts'
import { type ScopeTexts, scopeTextsIn } from '../../config/scope-texts.ts'
import type { Factors } from '../../factors/factors-record.ts'
import { browserText } from '../../pages/browser-text.ts'
import { scopeText } from '../../pages/consent.ts'
import { type Html, html } from '../../pages/html.ts'
import { languageName } from '../../pages/language-name.ts'
import { page, type View } from '../../pages/layout.ts'
import type { Language, MessageName } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import type { ListedSession } from '../../sessions/listed-sessions.ts'
import { ADDRESS_MEMBERS } from '../../users/claim-kinds.ts'
import type { User } from '../../users/user-record.ts'
import type { ActingApplication } from '../own-acting.ts'
import type { OwnApplication } from '../own-applications.ts'
import type { OwnSupport } from '../own-support.ts'
import { smallLink } from './account-layout.ts'
import { placeText } from './acting-rows.ts'
import { activityPlace, activityText, type ShownActivity, toldActivities } from './activity.ts'
import { detailList } from './detail-list.ts'

type NoticedBrowser = Pick<StoredSubscription, 'browser' | 'added_at'>

export interface DataPageProps {
  /** The path of the account page. */
  readonly base: string
  readonly user: User
  readonly groups: readonly string[]
  readonly factors: Factors
  readonly sessions: readonly ListedSession[]
  readonly applications: readonly OwnApplication[]
  readonly acting: readonly ActingApplication[]
  readonly support: readonly OwnSupport[]
  readonly muted: readonly MutedClient[]
  readonly notices: readonly NoticedBrowser[]
  readonly activities: readonly ShownActivity[]
  readonly scope_texts: ScopeTexts
  readonly scope_claims: ScopeClaims
}

/** All that is kept about a person, to be read and printed: with dates in words, and without codes. */
export function dataPage(props: DataPageProps, view: View): string {
  const { language } = view
  const title = say(language, 'own_data')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'own_data_page_lead')}</p>
<div class="choice"><a class="button" href="${props.base}/data">${say(language, 'own_data_file')}</a></div>
${section('own_profile', facts(profile(props, language)), language)}
${section('own_ways', list(ways(props, language)), language)}
${section('own_where', list(props.sessions.map((one) => sessionText(one, language))), language)}
${section('own_applications', list(applications(props, language)), language)}
${section('own_acting', list(acting(props, language)), language)}
${section('own_support', list(support(props, language)), language)}
${section('own_muted', list(props.muted.map(({ client_name }) => [shown(client_name)])), language)}
${section('own_notices', notices(props, language), language)}
${section('own_activity', list(activities(props, language)), language)}
<div class="choice"><a class="button" href="${props.base}">${say(language, 'own_back')}</a></div>`
  return page(title, body, view)
}

function section(title: MessageName, content: Html | '', { messages }: Language): Html | '' {
  if (content === '') return ''
  return html`<section class="section">
<h2>${String(messages[title])}</h2>
${content}
</section>`
}

type Fact = readonly [label: Html | string, value: Html | string]

const facts = (given: readonly Fact[]): Html | '' =>
  given.length === 0
    ? ''
    : html`<dl>
${given.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>\n`)}</dl>`

/** Each with its first line, and smaller ones. */
const list = (items: readonly (readonly (Html | string | undefined)[])[]): Html | '' =>
  items.length === 0
    ? ''
    : html`<ul class="items">
${items.map(([name = '', ...more]) => html`<li>${name}${more.filter((one) => one !== undefined && String(one) !== '').map((one) => html`<small>${one ?? ''}</small>`)}</li>\n`)}</ul>`

const formats = new Map<string, Intl.DateTimeFormat>()

/** A time in words, in UTC, to the minute. @param at milliseconds since 1970 */
function dateText(at: number, { tag }: Language): Html {
  const format =
    formats.get(tag) ??
    new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  formats.set(tag, format)
  return html`<time datetime="${new Date(at).toISOString()}">${format.format(at)}</time>`
}

const added = (at: number, language: Language) => say(language, 'own_added', { when: dateText(at, language) })
const used = (at: number | undefined, language: Language) =>
  at === undefined ? undefined : say(language, 'own_last_used', { when: dateText(at, language) })

/** The claims that have a word of their own. */
const LABELS = {
  name: 'own_name',
  given_name: 'own_given_name',
  family_name: 'own_family_name',
  nickname: 'own_nickname',
} as const satisfies Readonly<Record<string, MessageName>>
/** What is said in another way, or says something of another claim. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...Object.keys(LABELS),
  ...['email', 'email_verified', 'locale', 'updated_at', 'phone_number_verified'],
])

function profile({ user, groups }: DataPageProps, language: Language): readonly Fact[] {
  const { claims, custom_claims, username } = user
  const names = Object.entries(LABELS).flatMap(([claim, label]): Fact[] =>
    claims[claim] === undefined ? [] : [[say(language, label), shown(claims[claim])]],
  )
  const { email, email_verified, locale } = claims
  const state = email_verified === 'true' ? 'own_email_verified' : 'own_email_unverified'
  const others = Object.entries(claims).flatMap(([claim, text]) => (ELSEWHERE.has(claim) ? [] : [text]))
  const more = [...others.map(claimText), ...Object.values(custom_claims).flatMap(customText)]
  return [
    ...names,
    [say(language, 'own_username'), shown(username)],
    ...(email === undefined
      ? []
      : [[say(language, 'own_email'), html`${shown(email)} (${say(language, state)})`] as const]),
    ...(groups.length === 0 ? [] : [[say(language, 'own_groups'), shown(groups.join(', '))] as const]),
    ...(locale === undefined
      ? []
      : [[say(language, 'own_locale'), languageName(locale, language.tag)] as const]),
    ...(more.length === 0
      ? []
      : [
          [
            say(language, 'own_data_more'),
            html`${more.map((text, i) => html`${i === 0 ? '' : html`<br>`}${shown(text)}`)}`,
          ] as const,
        ]),
  ]
}

const shown = (text: string): Html => html`<bdi>${plainName(text)}</bdi>`

/** A claim as text: the lines of a postal address, or what it is. */
function claimText(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const members = JSON.parse(text) as Readonly<Record<string, unknown>>
    const lines = ADDRESS_MEMBERS.flatMap((name) =>
      typeof members[name] === 'string' ? [members[name]] : [],
    )
    return lines.join(', ')
  } catch {
    return text
  }
}

/** What an operator keeps besides, as far as it is words and numbers. */
function customText(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(String).join(', ')]
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

function ways({ user, factors }: DataPageProps, language: Language) {
  const { totp, recovery, passkeys } = factors
  const links = user.linked_subjects ?? []
  const strong = (text: Html) => html`<strong>${text}</strong>`
  return [
    ...(user.password_hash === undefined
      ? []
      : [[strong(say(language, 'own_password')), say(language, 'own_data_kept')]]),
    ...[...passkeys.values()].map(({ name, created_at, last_used_at }) => [
      strong(say(language, 'own_passkey_called', { name: shown(name) })),
      added(created_at, language),
      used(last_used_at, language),
    ]),
    ...(totp === undefined
      ? []
      : [
          [
            strong(say(language, 'own_app')),
            added(totp.created_at, language),
            say(language, 'own_codes_left', { left: recovery?.digests.length ?? 0 }),
          ],
        ]),
    ...(links.length === 0
      ? []
      : [[strong(say(language, 'own_providers')), ...links.map(hostOf).map(shown)]]),
  ]
}

/** The host of the issuer of a link. */
const hostOf = (link: string): string => (link.split('#')[0] ?? '').replace(/^https:\/\//, '')

const browserOrUnknown = (browser: string | undefined, language: Language): Html =>
  html`<strong>${browser ? browserText(browser, language) : say(language, 'own_unknown_browser')}</strong>`

function sessionText({ session }: ListedSession, language: Language) {
  const { browser, address, started_at, last_used_at } = session
  return [
    browserOrUnknown(browser, language),
    address,
    dateText(started_at, language),
    used(last_used_at, language),
  ]
}

function applications({ applications: given, scope_texts, scope_claims }: DataPageProps, language: Language) {
  const texts = { scope_texts: scopeTextsIn(scope_texts, language.tag), scope_claims }
  return given.map(({ client_name, scopes, details, since, last_used_at }) => [
    html`<strong>${shown(client_name)}</strong>${detailList(details, language)}`,
    ...scopes.map((name) => scopeText(name, texts, language)),
    since === undefined ? undefined : added(since, language),
    used(last_used_at, language),
  ])
}

function acting({ acting: given }: DataPageProps, language: Language) {
  return given.map(({ client_name, places }) => [
    html`<strong>${shown(client_name)}</strong>${places.map((place) => html`<small>${placeText(place, language)}</small>${detailList(place.details, language)}`)}`,
  ])
}

function support({ support: given }: DataPageProps, language: Language) {
  return given.map(({ api, until }) => [
    html`<strong>${say(language, 'own_support_at', { api: shown(api) })}</strong>`,
    say(language, 'own_support_until', { when: dateText(until, language) }),
  ])
}

/** With a way to them, also where the account page has none because notices are off. */
function notices({ notices: given, base }: DataPageProps, language: Language): Html | '' {
  if (given.length === 0) return ''
  const name = say(language, 'own_notices')
  return html`${list(given.map((one) => noticeText(one, language)))}
<div class="choice">${smallLink(`${base}/notices`, say(language, 'own_manage'), say(language, 'own_manage_of', { name }))}</div>`
}

const noticeText = ({ browser, added_at }: NoticedBrowser, language: Language) => [
  browserOrUnknown(browser, language),
  added(added_at, language),
]

function activities({ activities: given }: DataPageProps, language: Language) {
  return toldActivities(given).map((one) => [
    html`${String(language.messages[activityText(one)])}`,
    ...activityPlace(one, language),
    dateText(one.at, language),
  ])
}
