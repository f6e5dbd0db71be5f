import type { FactorsAnswer } from '../../admin/factors/operations.ts'
import { indexingNote } from '../../admin/operation/list.ts'
import type { AnswerOf } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { choice, filters, line } from '../pages/fields.ts'
import { at, badge, exportOffer, link, older, short, stateBadge, table, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import type { ShownUser } from './people.ts'

type Given = Readonly<Record<string, string | undefined>>

const DAY_MS = 86_400_000
const DAYS = '90'

/** Who is shown, and how many records are looked at for a page: what storage does not index is looked for among these. */
const ONLY = {
  '': { label: 'everybody', looks_at: undefined },
  admin: { label: 'administrators', looks_at: undefined },
  locked: { label: 'locked out', looks_at: undefined },
  disabled: { label: 'disabled', looks_at: '200' },
  not_seen: { label: 'not seen for some days', looks_at: '200' },
  no_second_step: { label: 'without a second step or passkey', looks_at: '20' },
  group: { label: 'in a group', looks_at: '200' },
  invited: { label: 'invited, and not here yet', looks_at: '200' },
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
    const { q, group } = query
    const only = onlyOf(query)
    const days = daysOf(query)
    const { rows, next, indexing } =
      only === 'invited' ? await invitedTo(desk, query) : await peopleOf(desk, only, query)
    const search = html`${line({ name: 'q', label: 'Name, e-mail address or sub, or how a name begins', value: q })}${choice(
      { name: 'only', label: 'Who', value: only },
      Object.entries(ONLY).map(([name, { label }]) => [name, label]),
    )}${line({ name: 'days', label: 'Days not seen', value: days })}${line({ name: 'group', label: 'Group', value: group })}`
    const { looks_at } = ONLY[only]
    return {
      title: 'People',
      section: 'people',
      body: html`${filters(`${desk.base}/people`, search)}${
        indexing
          ? html`
<p>${indexingNote('user')}</p>`
          : ''
      }
${table('People, in the order of their names', ['Name', 'Called', 'E-mail', 'State', 'Last sign-in'], rows, emptyText(desk, only, q, next))}
${looks_at === undefined || next === undefined ? '' : html`<p>${looks_at} ${only === 'invited' ? 'invitations' : 'people'} were looked at for this page.</p>`}
${older(desk, '/people', { q, only, days, group }, next, looks_at === undefined ? 'More' : 'Look further')}
${only === '' ? exportOffer(desk, '/export/people.csv', { q }) : ''}`,
    }
  },
}

interface Rows {
  readonly rows: readonly (readonly (Html | string)[])[]
  readonly next?: string | undefined
  readonly indexing?: true | undefined
}

async function peopleOf(desk: Desk, only: Only, query: Given): Promise<Rows> {
  const { items, next, indexing } = await pageOf(desk, only, query)
  const rows = items.map((person) => [
    link(desk, at`/people/${person.username}`, short(person.username)),
    short(person.claims?.name ?? ''),
    short(person.claims?.email ?? ''),
    stateBadge(person.state),
    when(person.last_sign_in_at, desk),
  ])
  return { rows, next, indexing }
}

/** Those whose address an invitation names that can still be used: they have no account yet. */
async function invitedTo(desk: Desk, { q = '', cursor }: Given): Promise<Rows> {
  const { body } = await desk.ask('list_user_invitations', {
    query: { cursor, limit: ONLY.invited.looks_at },
  })
  const begin = q.toLowerCase()
  const rows = body.items
    .filter(({ email, uses_left }) => uses_left > 0 && email?.toLowerCase().startsWith(begin))
    .map(({ email, expires_at }) => [
      link(desk, '/invitations', 'not here yet'),
      '',
      short(email),
      html`${badge('invited')} until ${when(expires_at, desk)}`,
      'never',
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
  // A text that is nobody's name is looked for as the beginning of one, too.
  return (await Promise.all(found))
    .flatMap(({ items }) => items)
    .filter(({ username }) => names.has(username))
}

function emptyText(desk: Desk, only: Only, q: string | undefined, next: string | undefined): Html {
  if (next !== undefined) return html`Nobody among those who were looked at: go on with Look further.`
  if (only !== '') return html`Nobody is like this.`
  if (q !== undefined) return html`Nobody has this name, address or sub, and no name begins like it.`
  const add = html`people with <code>redmint user add</code>`
  const invites = desk.may('create_user_invitation') && desk.refusal('create_user_invitation') === undefined
  return invites
    ? html`Nobody is here yet. ${link(desk, '/invitations', 'Invite somebody')}, or add ${add}.`
    : html`Nobody is here yet. Add ${add}.`
}

export const PEOPLE_LIST: readonly ConsolePage[] = [list]
