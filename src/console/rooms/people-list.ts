import type { FactorsAnswer } from '../../admin/factors/operations.ts'
import { indexingNote, isFoundBy } from '../../admin/operation/list.ts'
import type { AnswerOf } from '../../admin/operations.ts'
import type { Groups } from '../../admin/upkeep/groups.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { type Act, acts } from '../pages/actions.ts'
import { chipList, filterChips, findBox, listHead } from '../pages/chips.ts'
import { empty, sheet } from '../pages/panel.ts'
import { at, badge, exportOffer, oddState, older, short, table, when } from '../pages/parts.ts'
import type { ShownUser } from '../pages/person.ts'
import { addressText, calledOf, face, groupsOf } from '../pages/person.ts'
import type { ConsolePage } from '../rows.ts'

type Given = Readonly<Record<string, string | undefined>>

const DAY_MS = 86_400_000
const DAYS = '90'

/** Who is shown, and how many records are looked at for a page: what storage does not index is looked for among these. */
const ONLY = {
  '': { label: 'Everybody', looks_at: undefined },
  disabled: { label: 'Disabled', looks_at: '200' },
  locked: { label: 'Locked out', looks_at: undefined },
  no_second_step: { label: 'No second step', looks_at: '20' },
  not_seen: { label: 'Not seen for # days', looks_at: '200' },
  admin: { label: 'Administrators', looks_at: undefined },
  invited: { label: 'Invited, not here yet', looks_at: '200' },
  group: { label: 'In a group', looks_at: '200' },
} as const
type Only = keyof typeof ONLY

const isOnly = (name: string): name is Only => Object.hasOwn(ONLY, name)

/** Who is wanted: who types a group alone means its members, and a group without a name is nobody's. */
function onlyOf({ only = '', group }: Given): Only {
  if (!isOnly(only) || only === '') return group ? 'group' : ''
  return only === 'group' && !group ? '' : only
}

const daysOf = ({ days = '' }: Given): string => (/^\d{1,5}$/.test(days) ? days : DAYS)

const list: ConsolePage = {
  path: '/people',
  operation: 'list_users',
  async show(desk, { query }) {
    const { q, group, cursor } = query
    const only = onlyOf(query)
    const days = daysOf(query)
    const [{ rows, next, indexing }, counted] = await Promise.all([
      only === 'invited' ? invitedTo(desk, query) : peopleOf(desk, only, query),
      countedOf(desk),
    ])
    const { looks_at } = ONLY[only]
    const kept = { only, ...(only === 'not_seen' && { days }), group }
    const label = 'Name, address or sub'
    const box = findBox({ action: `${desk.base}/people`, name: 'q', label, value: q, kept })
    const columns = [
      'Name',
      { label: 'Username', is_minor: true },
      { label: 'Groups', is_minor: true },
      { label: 'Last sign-in', is_minor: true, absent: 'never' },
    ] as const
    const is_all = only === '' && !q && cursor === undefined && next === undefined
    const count = is_all ? String(rows.length) : counted?.people && `about ${counted.people}`
    const looked = looks_at !== undefined && next !== undefined
    const foot = html`<span>${looked ? `${looks_at} ${only === 'invited' ? 'invitations' : 'people'} were looked at for this page.` : `${rows.length} here, by name`}</span>${
      only === '' ? exportOffer(desk, '/export/people.csv', { q }) : ''
    }${older(desk, '/people', { ...kept, q }, next, looks_at === undefined ? 'Next' : 'Look further')}`
    return {
      title: 'People',
      section: 'people',
      head: {
        beside: count ? html`<span class="count">${count}</span>` : '',
        actions: acts(desk, ADD),
      },
      body: html`${listHead(box, chips(desk, only, query, counted))}${
        indexing ? html`<p>${indexingNote('user')}</p>\n` : ''
      }${
        rows.length === 0 && next === undefined
          ? nobody(desk, only, q)
          : sheet(
              table(
                'People, in the order of their names',
                columns,
                rows,
                'Nobody among those who were looked at: go on with Look further.',
              ),
              foot,
            )
      }`,
    }
  },
}

const ADD: readonly Act[] = [
  { path: '/people/new/many', label: 'Add many', operation: 'create_user' },
  { path: '/invitations/new', label: 'Invite', operation: 'create_user_invitation' },
  { path: '/people/new', label: 'Add person', operation: 'create_user', icon: 'plus', is_main: true },
]

/** How many people are in each group, as a server counted them. */
const countedOf = async (desk: Desk): Promise<Groups | undefined> => {
  if (desk.refusal('list_groups') !== undefined) return undefined
  return (await desk.ask('list_groups')).body
}

/** So many groups are offered to choose from. */
const MAX_GROUPS = 50

function chips(desk: Desk, only: Only, query: Given, counted: Groups | undefined): Html {
  const at_list = (given: Given) => {
    const kept = Object.entries(given).filter(([, value]) => value)
    return `${desk.base}/people${kept.length === 0 ? '' : `?${new URLSearchParams(kept as [string, string][]).toString()}`}`
  }
  const counts: { readonly [name in Only]?: number | undefined } = {
    '': counted?.people,
    disabled: counted?.disabled,
  }
  const days = daysOf(query)
  const shown = Object.entries(ONLY).filter(
    ([name]) => name !== 'group' && (name !== 'locked' || desk.may('list_limits')),
  )
  const groups = counted?.items.slice(0, MAX_GROUPS) ?? []
  return filterChips(
    'Which people',
    shown.map(([name, { label }]) => ({
      label: label.replace('#', days),
      href: at_list({ only: name, ...(name === 'not_seen' && { days }) }),
      count: counts[name as Only]?.toString(),
      is_current: name === only,
    })),
    [
      {
        label: only === 'group' ? `Group: ${query.group}` : 'Group',
        is_current: only === 'group',
        items: groups.map(({ group, members }) => ({
          label: group,
          count: String(members),
          href: at_list({ only: 'group', group }),
          is_current: only === 'group' && query.group === group,
        })),
      },
    ],
  )
}

interface Rows {
  readonly rows: readonly (readonly (Html | string)[])[]
  readonly next?: string | undefined
  readonly indexing?: true | undefined
}

/** So many groups of a person are named in a row. */
const NAMED_GROUPS = 3

async function peopleOf(desk: Desk, only: Only, query: Given): Promise<Rows> {
  const { items, next, indexing } = await pageOf(desk, only, query)
  const rows = items.map((person) => [
    who(desk, person),
    short(person.username),
    chipList(groupsOf(desk, person).slice(0, NAMED_GROUPS)),
    person.last_sign_in_at === undefined ? '' : when(person.last_sign_in_at, desk),
  ])
  return { rows, next, indexing }
}

/** A person in a list: the name with the address, and a state only if it is not as it should be. */
function who(desk: Desk, person: ShownUser): Html {
  const { username, state } = person
  return html`<div class="who">${face(calledOf(person))}<div><a class="name" href="${desk.base}${at`/people/${username}`}">${short(calledOf(person))}</a> ${oddState(state)}${addressLine(person.claims?.email)}</div></div>`
}

const addressLine = (email: unknown): Html | '' =>
  email === undefined ? '' : html`<small>${addressText(email)}</small>`

/** Those whose address an invitation names that can still be used: they have no account yet. */
async function invitedTo(desk: Desk, { q = '', cursor }: Given): Promise<Rows> {
  const { body } = await desk.ask('list_user_invitations', {
    query: { cursor, limit: ONLY.invited.looks_at },
  })
  const rows = body.items
    .filter(
      ({ email, uses_left }) => uses_left > 0 && email !== undefined && (q === '' || isFoundBy([email], q)),
    )
    .map(({ email, groups, expires_at }) => [
      html`<div class="who">${face(email ?? '')}<div><a class="name" href="${desk.base}/invitations">${short(email)}</a> ${badge('Invited')}<small>until ${when(expires_at, desk)}</small></div></div>`,
      html`<span class="quiet">not chosen yet</span>`,
      chipList(groups.slice(0, NAMED_GROUPS)),
      '',
    ])
  return { rows, next: body.next }
}

async function pageOf(desk: Desk, only: Only, query: Given): Promise<AnswerOf<'list_users'>> {
  const { q, cursor, group } = query
  if (only === 'locked') return { items: await lockedOut(desk) }
  const { looks_at: limit } = ONLY[only]
  const admin = only === 'admin' ? 'true' : undefined
  const asked = { q, admin, cursor, limit, group: only === 'group' ? group : undefined }
  const { body } = await desk.ask('list_users', { query: asked })
  const { items, ...more } = body
  if (only === 'disabled') return { items: items.filter(({ state }) => state === 'disabled'), ...more }
  if (only === 'not_seen') {
    const since = desk.now - Number(daysOf(query)) * DAY_MS
    return {
      items: items.filter(({ last_sign_in_at = '' }) => !(Date.parse(last_sign_in_at) > since)),
      ...more,
    }
  }
  if (only !== 'no_second_step') return body
  const factors = await Promise.all(
    items.map(async ({ username, state }) => {
      if (state === 'malformed') return undefined
      return (await desk.ask('read_factors', { params: { username } })).body
    }),
  )
  const lacks = (found: FactorsAnswer | undefined) =>
    found?.totp === undefined && found?.passkeys.length === 0
  return { items: items.filter((_, i) => lacks(factors[i])), ...more }
}

/** Everybody for whom a lockout is in force: their number is bounded. */
async function lockedOut(desk: Desk): Promise<readonly ShownUser[]> {
  if (!desk.may('list_limits')) return []
  const { body } = await desk.ask('list_limits')
  const names = new Set(body.items.flatMap(({ username }) => username ?? []))
  const found = [...names].map(async (q) => (await desk.ask('list_users', { query: { q, limit: '1' } })).body)
  // A text that is nobody's name finds others by its words.
  return (await Promise.all(found))
    .flatMap(({ items }) => items)
    .filter(({ username }) => names.has(username))
}

function nobody(desk: Desk, only: Only, q: string | undefined): Html {
  if (only !== '') return empty('people', 'Nobody is like this', 'Choose another filter, or everybody.')
  if (q)
    return empty(
      'search',
      'Nobody has this name, address or sub',
      'A person is found by any word of the names, the username and the address, or how it begins, and by the whole sub.',
    )
  return empty(
    'people',
    'Nobody is here yet',
    'People sign in to your applications with one account. Add one, or invite somebody by mail.',
    acts(desk, ADD),
  )
}

export const PEOPLE_LIST: readonly ConsolePage[] = [list]
