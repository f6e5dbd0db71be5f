import type { Groups } from '../../admin/upkeep/groups.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { empty, sheet } from '../pages/panel.ts'
import { at, link, older, part, short, table, when } from '../pages/parts.ts'
import { calledOf } from '../pages/person.ts'
import { rightsWords } from '../pages/rights-words.ts'
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
    const rows = [...names].sort().map((group) => {
      const applications = opened.get(group) ?? []
      return [
        sees_people ? link(desk, peopleIn(group), short(group)) : short(group),
        membersOf(of_people, members.get(group)),
        String(applications.length),
        applicationsOf(desk, applications),
      ]
    })
    const admins = administrators?.body.items.map((one) => [
      link(desk, at`/people/${one.username}`, short(calledOf(one))),
      rightsWords(one.admin ?? []),
    ])
    const columns = [
      'Name',
      { label: 'People', is_number: true, absent: 'not shown' },
      { label: 'Applications', is_number: true, is_minor: true },
      { label: 'Which it opens', is_minor: true, absent: 'none: it changes nothing' },
    ] as const
    const foot = html`${countedText(desk, of_people)}${older(desk, '/groups', {}, body.next, 'More applications')}`
    const list = table('Groups, in the order of their names', columns, rows, '')
    return {
      title: 'Groups',
      section: 'groups',
      head: {
        beside: cursor === undefined ? html`<span class="count">${String(rows.length)}</span>` : '',
        lead: 'A group exists while somebody or an application has it.',
      },
      body: html`${rows.length === 0 ? none(desk, body.next) : sheet(list, foot)}
${admins === undefined ? '' : part('Administrators', table('Administrators, whatever their groups', ['Person', 'Manages'], admins, 'No person has rights: only clients and the command do.'))}`,
    }
  },
}

/** Nobody is in a group, and nothing is opened by one. */
const none = (desk: Desk, next: string | undefined): Html =>
  html`${empty('groups', 'No group yet', 'Groups decide who may use an application. Give a person one, or name those that may use an application.')}${older(desk, '/groups', {}, next, 'More applications')}`

const peopleIn = (group: string): string =>
  `/people?${new URLSearchParams({ only: 'group', group }).toString()}`

function openedBy(applications: readonly ShownClient[]): Map<string, ShownClient[]> {
  const opened = new Map<string, ShownClient[]>()
  for (const one of applications)
    for (const group of one.allowed_groups ?? []) opened.set(group, [...(opened.get(group) ?? []), one])
  return opened
}

function membersOf(counted: Groups | undefined, members: number | undefined): string {
  if (counted === undefined) return ''
  const { counted_at, is_cut } = counted
  if (members !== undefined) return String(members)
  return counted_at === undefined || is_cut ? 'not counted' : '0'
}

/** So many applications of a group are named, the others unfold. */
const NAMED = 3

function applicationsOf(desk: Desk, applications: readonly ShownClient[]): Html | string {
  if (applications.length === 0) return ''
  const links = applications.map(({ client_id, client_name, required_acr = [] }) => {
    const demands =
      required_acr.length === 0
        ? ''
        : html` <small class="quiet">with ${required_acr.map(strengthOf).join(' or ')}</small>`
    const name = short(String(client_name ?? client_id))
    return html`${link(desk, at`/applications/${client_id}`, name)}${demands}`
  })
  const rest = links.slice(NAMED)
  return html`${inLine(links.slice(0, NAMED))}${rest.length === 0 ? '' : html`<details class="more"><summary>and ${String(rest.length)} more</summary>${inLine(rest)}</details>`}`
}

const inLine = (links: readonly Html[]): Html =>
  html`${links.map((one, i) => html`${i === 0 ? '' : ', '}${one}`)}`

/** What a value of acr takes of people, in words. */
const STRENGTHS: Readonly<Record<string, string>> = { '2': 'a second step', phr: 'a passkey' }
const strengthOf = (acr: string): string => STRENGTHS[acr] ?? `acr ${acr}`

function countedText(desk: Desk, counted: Groups | undefined): Html | '' {
  if (counted === undefined) return ''
  const { counted_at, is_cut } = counted
  return counted_at === undefined
    ? html`<span>A server counts people once a day: none has yet.</span>`
    : html`<span>People were counted ${when(counted_at, desk)}${is_cut ? ': the largest groups are named' : ''}.</span>`
}

export const GROUP_PAGES: readonly ConsolePage[] = [groups]
