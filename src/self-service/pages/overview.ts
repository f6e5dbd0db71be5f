import type { AccountField } from '../../config/account-fields.ts'
import type { ScopeClaims } from '../../config/scope-claims.ts'
import type { ScopeTexts } from '../../config/scope-texts.ts'
import type { Factors } from '../../factors/factors-record.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import type { ListedSession } from '../../sessions/listed-sessions.ts'
import type { User } from '../../users/user-record.ts'
import type { OwnApplication } from '../own-applications.ts'
import { type AccountLinks, type DoneName, isDone } from './account-form.ts'
import { accountLayout, rows, type Section, smallLink } from './account-layout.ts'
import { activityRows, type ShownActivity } from './activity.ts'
import { applicationRows } from './application-rows.ts'
import { profileRows } from './profile-rows.ts'
import type { OwnProvider } from './providers.ts'
import { endOthers, sessionRows } from './session-rows.ts'
import { passkeyAction, wayRows } from './way-rows.ts'

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
  /** Whether passwords are of use here. */
  readonly has_passwords: boolean
  /** The providers by which people sign in. */
  readonly providers: readonly OwnProvider[]
  readonly can_delete: boolean
  /** Where the password is changed. */
  readonly change_password: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The account page: who one is, how one signs in and where, then what happened, and last what cannot be undone. */
export function overviewPage(props: OverviewProps, view: View): string {
  const { base, csrf, user, activities, now, older_sessions, older_applications } = props
  const { language } = view
  const sections: Section[] = [
    { id: 'profile', title: 'own_profile', icon: 'people', content: profileRows(props, view) },
    {
      ...({ id: 'ways', title: 'own_ways', icon: 'key' } as const),
      content: wayRows(props, view),
      action: passkeyAction(props, view),
    },
    {
      ...({ id: 'sessions', title: 'own_where', icon: 'screen' } as const),
      content: html`${sessionRows(props, view)}${older(older_sessions, view)}`,
      action: endOthers(props, view),
    },
    {
      ...({ id: 'applications', title: 'own_applications', icon: 'applications' } as const),
      content: html`${applicationRows(props, view)}${older(older_applications, view)}`,
    },
    {
      ...({ id: 'activity', title: 'own_activity', icon: 'list' } as const),
      content: activityRows(activities, now, language),
      lead: say(language, 'own_activity_lead'),
    },
    { id: 'data', title: 'own_data', icon: 'file', content: dataRows(props, view) },
  ]
  const result = doneText(props.done, view)
  return accountLayout({ base, csrf, name: user.claims.name ?? user.username, result, sections }, view)
}

function doneText(done: string | undefined, { language }: View): Html | '' {
  if (!isDone(done)) return ''
  const message: `own_done_${DoneName}` = `own_done_${done}`
  const look = done === 'stale' ? 'warn' : 'good'
  return html`<div class="notice ${look}" role="status">${icon(done === 'stale' ? 'warning' : 'check')}<p>${say(language, message)}</p></div>\n`
}

function dataRows({ base, can_delete }: OverviewProps, { language }: View): Html {
  const copy = {
    mark: icon('file'),
    name: html`<b>${say(language, 'own_data_copy')}</b>`,
    detail: html`<small>${say(language, 'own_data_lead')}</small>`,
    action: smallLink(
      `${base}/data/page`,
      say(language, 'own_data_show'),
      say(language, 'own_data_show_of', { name: say(language, 'own_data_copy') }),
    ),
  }
  if (!can_delete) return rows([copy])
  const removal = {
    mark: icon('cross', 'bad'),
    name: html`<b>${say(language, 'own_delete')}</b>`,
    detail: html`<small>${say(language, 'own_delete_row')}</small>`,
    action: html`<a class="button small red" href="${base}/delete">${say(language, 'own_delete')}…</a>`,
  }
  return rows([copy, removal])
}

const older = (href: string | undefined, { language }: View): Html | '' =>
  href === undefined ? '' : html`\n<footer>${smallLink(href, say(language, 'own_older'))}</footer>`
