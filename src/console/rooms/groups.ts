import type { Groups } from '../../admin/upkeep/groups.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { at, badge, link, older, part, short, table, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import type { ShownClient } from './application-kind.ts'

/** Groups are claims of people: what there is to see of them is who is in them, what they open, and who has rights here. */
const groups: ConsolePage = {
  path: '/groups',
  operation: 'list_clients',
  async show(desk, { query: { cursor } }) {
    const sees_people = desk.may('list_users')
    const [{ body }, administrators, counted] = await Promise.all([
      desk.ask('list_clients', { query: { cursor } }),
      sees_people ? desk.ask('list_users', { query: { admin: 'true' } }) : undefined,
      sees_people ? desk.ask('list_groups') : undefined,
    ])
    const opened = openedBy(body.items)
    const of_people = counted?.body
    const members = new Map(of_people?.items.map((one) => [one.group, one.members]))
    // The other groups are on the first page alone: each page has the applications that come next.
    const names = new Set([...opened.keys(), ...(cursor === undefined ? members.keys() : [])])
    const rows = [...names]
      .sort()
      .map((group) => [
        short(group),
        membersOf(desk, group, of_people, members.get(group)),
        applicationsOf(desk, opened.get(group) ?? []),
      ])
    const admins = administrators?.body.items.map(({ username, admin = [] }) => [
      link(desk, at`/people/${username}`, short(username)),
      text(admin.join(' ')),
    ])
    const empty =
      'Nobody is in a group, and of these applications everybody may use each. Set allowed_groups of one to change that.'
    return {
      title: 'Groups',
      section: 'groups',
      body: html`${part(
        'Who is in them, and what they open',
        html`${table('Groups', ['Group', 'People', 'Applications that only some groups may use'], rows, empty)}
${countedText(desk, of_people)}${older(desk, '/groups', {}, body.next, 'More applications')}`,
      )}
${admins === undefined ? '' : part('Administrators', table('People with rights here, whatever their groups', ['Person', 'Rights'], admins, 'No person has rights: only clients and the command do.'))}`,
    }
  },
}

function openedBy(applications: readonly ShownClient[]): Map<string, ShownClient[]> {
  const opened = new Map<string, ShownClient[]>()
  for (const one of applications)
    for (const group of one.allowed_groups ?? []) opened.set(group, [...(opened.get(group) ?? []), one])
  return opened
}

function membersOf(
  desk: Desk,
  group: string,
  counted: Groups | undefined,
  members: number | undefined,
): Html | string {
  if (counted === undefined) return ''
  const { counted_at, is_cut } = counted
  const count =
    members !== undefined ? String(members) : counted_at === undefined || is_cut ? 'not counted' : 'nobody'
  return link(desk, `/people?${new URLSearchParams({ only: 'group', group }).toString()}`, count)
}

function applicationsOf(desk: Desk, applications: readonly ShownClient[]): Html | string {
  if (applications.length === 0) return ''
  return html`<ul>${applications.map(({ client_id, required_acr = [] }) => {
    const demanded =
      required_acr.length === 0 ? '' : html` ${badge(`demands ${required_acr.map(strengthOf).join(' or ')}`)}`
    return html`<li>${link(desk, at`/applications/${client_id}`, short(client_id))}${demanded}</li>`
  })}</ul>`
}

/** What a value of acr takes of people, in words. */
const STRENGTHS: Readonly<Record<string, string>> = { '2': 'a second step', phr: 'a passkey' }
const strengthOf = (acr: string): string => STRENGTHS[acr] ?? `acr ${acr}`

function countedText(desk: Desk, counted: Groups | undefined): Html | '' {
  if (counted === undefined) return ''
  const { counted_at, is_cut } = counted
  return counted_at === undefined
    ? html`<p class="empty">A server counts people once a day: none has yet.</p>\n`
    : html`<p class="empty">People were counted ${when(counted_at, desk)}${is_cut ? ': the largest groups are named' : ''}.</p>\n`
}

export const GROUP_PAGES: readonly ConsolePage[] = [groups]
