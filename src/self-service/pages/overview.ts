import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { type DoneName, isDone } from './account-form.ts'
import { accountLayout, rows, type Section, smallLink } from './account-layout.ts'
import { actingRows } from './acting-rows.ts'
import { activityRows } from './activity.ts'
import { applicationRows } from './application-rows.ts'
import { askRows, mutedRows } from './ask-rows.ts'
import type { OverviewProps } from './own-account.ts'
import { profileRows } from './profile-rows.ts'
import { endOthers, sessionRows } from './session-rows.ts'
import { supportRows } from './support-rows.ts'
import { passkeyAction, wayRows } from './way-rows.ts'

/** The account page: who one is, how one signs in and where, then what happened, and last what cannot be undone. */
export function overviewPage(props: OverviewProps, view: View): string {
  const { base, csrf, user, activities, now, older_sessions, older_applications } = props
  const { language } = view
  const sections: Section[] = [
    ...askSection(props, view),
    ...supportSection(props, view),
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
    ...actingSection(props, view),
    ...noticesSection(props, view),
    ...mutedSection(props, view),
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

/** First, and only while something waits. */
function askSection(props: OverviewProps, view: View): Section[] {
  if (props.asks.length === 0) return []
  const lead = say(view.language, 'own_asks_lead')
  return [{ id: 'asks', title: 'own_asks', icon: 'question', content: askRows(props, view), lead }]
}

/** Only if the person said of an application that it should not ask again. */
function mutedSection(props: OverviewProps, view: View): Section[] {
  if (props.muted.length === 0) return []
  const lead = say(view.language, 'own_muted_lead')
  const content = mutedRows(props, props.muted, view)
  return [{ id: 'muted', title: 'own_muted', icon: 'stop', content, lead }]
}

/** Only where browsers can tell that somebody asks. */
function noticesSection({ base, has_notices }: OverviewProps, { language }: View): Section[] {
  if (!has_notices) return []
  const title = say(language, 'own_notices')
  const row = {
    mark: icon('browser'),
    name: html`<b>${title}</b>`,
    action: smallLink(
      `${base}/notices`,
      say(language, 'own_manage'),
      say(language, 'own_manage_of', { name: title }),
    ),
  }
  return [{ id: 'notices', title: 'own_notices', icon: 'browser', content: rows([row]) }]
}

/** Only where somebody acts: nearly nobody has to know what that is. */
function actingSection(props: OverviewProps, view: View): Section[] {
  if (props.acting.length === 0) return []
  const lead = say(view.language, 'own_acting_lead')
  return [{ id: 'acting', title: 'own_acting', icon: 'branches', content: actingRows(props, view), lead }]
}

/** First, and only while somebody acts. */
function supportSection(props: OverviewProps, view: View): Section[] {
  if (props.support.length === 0) return []
  const lead = say(view.language, 'own_support_lead')
  return [{ id: 'support', title: 'own_support', icon: 'people', content: supportRows(props, view), lead }]
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
