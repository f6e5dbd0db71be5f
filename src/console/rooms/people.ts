import type { FactorsAnswer } from '../../admin/factors/operations.ts'
import type { Limits } from '../../admin/limits.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { type Act, act, acts, dangerZone, mayOnlySee } from '../pages/actions.ts'
import { chipList } from '../pages/chips.ts'
import { claimLabel, claimText } from '../pages/claim-words.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { at, badge, code, type Fact, facts, oddState, short, text, when, wrongs } from '../pages/parts.ts'
import { addressText, calledOf, face, groupsOf, type ShownUser } from '../pages/person.ts'
import { rightsWords } from '../pages/rights-words.ts'
import type { ConsolePage, ConsoleRequest } from '../rows.ts'
import { accessPanel, actingPanel, askAccess, type PersonAccess, sessionPanel } from './person-access.ts'
import { historyPanel } from './person-history.ts'
import { waysPanel } from './person-ways.ts'

const WRITE = 'redmint:users:write'

const one: ConsolePage = {
  path: '/people/:username',
  operation: 'read_user',
  async show(desk, { params }) {
    const { username = '' } = params
    const [{ body: person }, { body: factors }, limits, access, history] = await Promise.all([
      desk.ask('read_user', { params: { username } }),
      desk.ask('read_factors', { params: { username } }),
      desk.may('list_limits') ? desk.ask('list_limits') : undefined,
      askAccess(desk, username),
      historyPanel(desk, username),
    ])
    const locked = limits?.body.items.filter((limit) => limit.username === person.username) ?? []
    const name = calledOf(person)
    return {
      title: name,
      section: 'people',
      head: {
        path: [['People', '/people'], [person.username]],
        mark: face(name, 'large'),
        beside: html`${oddState(person.state)}${locked.length === 0 ? '' : badge('Locked out', 'warn')}`,
        lead: person.claims?.email === undefined ? person.username : addressText(person.claims.email),
        actions: acts(desk, actionsOf(person), moreOf(person)),
      },
      body: html`${mayOnlySee(desk, ['change_user'], WRITE)}${noWayIn(desk, person, factors)}${lockout(desk, person, locked)}<div class="two">
<div>
${waysPanel(desk, person, factors)}${sessionPanel(desk, username, access)}${accessPanel(desk, username, access)}${actingPanel(desk, username, access)}${history}</div>
<aside aria-label="Facts">
${panel({ title: 'Facts' }, facts(factsOf(desk, person), 'above'))}${othersPanel(desk, person)}</aside>
<div>
${dangerZone(desk, [...dangersOf(person, access)])}</div>
</div>`,
    }
  },
}

const pathOf = ({ username }: ShownUser, rest: string): string => at`/people/${username}` + rest

function actionsOf(person: ShownUser): Act[] {
  const reset = { path: pathOf(person, '/reset-link'), operation: 'create_reset_link' } as const
  const edit = { path: pathOf(person, '/edit'), operation: 'change_user', icon: 'pencil' } as const
  return [
    ...(person.state === 'disabled'
      ? [{ path: pathOf(person, '/enable'), label: 'Enable', operation: 'enable_user' } as const]
      : []),
    { ...reset, label: 'Make a reset link' },
    { ...edit, label: 'Edit', is_main: true },
  ]
}

function moreOf(person: ShownUser): Act[] {
  const query = new URLSearchParams({ username: person.username }).toString()
  return [
    { path: `/explain/what-if?${query}`, label: 'What may this person use?', operation: 'what_if' },
    { path: pathOf(person, '/consents'), label: 'What the person allowed', operation: 'list_consents' },
    { path: pathOf(person, '/end-sessions'), label: 'Sign out everywhere', operation: 'end_sessions' },
    ...(isActedFor(person)
      ? [{ path: pathOf(person, '/act-as'), label: 'Act as this person', operation: 'act_as_user' } as const]
      : []),
    ...(person.state === 'disabled'
      ? []
      : ([
          { path: pathOf(person, '/disable'), label: 'Disable', operation: 'disable_user', is_red: true },
        ] as const)),
  ]
}

/** Nobody acts as somebody with rights here, or who cannot sign in. */
const isActedFor = ({ state, admin = [] }: ShownUser): boolean => state === 'active' && admin.length === 0

function dangersOf(person: ShownUser, { sessions }: PersonAccess) {
  const count = sessions.length === 0 ? 'all' : 'these'
  const disable = {
    path: pathOf(person, '/disable'),
    label: 'Disable',
    operation: 'disable_user',
    does: `Ends ${count} sessions and tokens. The account stays, and can be enabled again.`,
  } as const
  const remove = {
    path: pathOf(person, '/remove'),
    label: 'Remove',
    operation: 'delete_user',
    does: 'Removes the account and all that is stored about it. That cannot be taken back.',
  } as const
  return person.state === 'disabled' ? [remove] : [disable, remove]
}

/** That nobody can sign in as the person, with what helps; empty: somebody can, or nobody shall. */
function noWayIn(desk: Desk, person: ShownUser, { next_step }: FactorsAnswer): Html | '' {
  if (next_step === undefined) return ''
  const reset = {
    path: pathOf(person, '/reset-link'),
    label: 'Make a reset link',
    operation: 'create_reset_link',
  } as const
  const edit = {
    path: pathOf(person, '/edit'),
    label: 'Say which account it is',
    operation: 'change_user',
  } as const
  const is_elsewhere = desk.refusal('create_reset_link') !== undefined
  return notice(
    'warn',
    html`<b>Nobody can sign in as ${short(calledOf(person))} yet.</b> ${is_elsewhere ? 'No account elsewhere is linked.' : 'There is no password, no passkey and no linked account: a link sets one up.'}`,
    act(desk, is_elsewhere ? edit : reset),
  )
}

function lockout(desk: Desk, person: ShownUser, locked: Limits['items']): Html | '' {
  const [first] = locked
  if (first === undefined) return ''
  const from = first.address === undefined ? '' : html`, for ${code(first.address)}`
  const lift = {
    path: pathOf(person, '/unlock'),
    label: 'Lift the lockout',
    operation: 'unlock_user',
  } as const
  return notice(
    'warn',
    html`<b>Locked out until ${when(first.until, desk)}</b>${from}: too many wrong passwords or codes.`,
    act(desk, lift),
  )
}

function factsOf(desk: Desk, person: ShownUser): Fact[] {
  const { claims = {}, managed_by, problems } = person
  const verified = claims.email_verified === true ? badge('verified', 'good') : badge('not verified')
  return [
    ['What is wrong', wrongs(problems)],
    [
      'E-mail address',
      claims.email === undefined ? 'none' : html`${addressText(claims.email)}<br>${verified}`,
    ],
    ['Username', text(person.username)],
    ['Groups', chipList(groupsOf(desk, person)) || 'none'],
    ['Last sign-in', person.last_sign_in_at === undefined ? 'never' : when(person.last_sign_in_at, desk)],
    ['Manages', rightsWords(person.admin ?? [])],
    [
      'Managed by',
      managed_by === undefined ? undefined : html`the file ${text(managed_by)}: change it there`,
    ],
    ['Stable id', code(person.sub ?? '')],
  ]
}

/** Other claims, and what this server does not know; empty: there are none. */
function othersPanel(desk: Desk, { claims = {}, fields = {} }: ShownUser): Html | '' {
  const told = ['name', 'email', 'email_verified', desk.groups_claim]
  const others = Object.entries(claims).filter(([name]) => !told.includes(name))
  const rows = [...others, ...Object.entries(fields)].map(
    ([name, value]) => [claimLabel(name), claimText(name, value, desk)] as const,
  )
  return rows.length === 0 ? '' : panel({ title: 'More about the person' }, facts(rows, 'above'))
}

export const PEOPLE_PAGES: readonly ConsolePage[] = [one]

/** Returns the name in the path of a page of a person. */
export const usernameOf = ({ params }: ConsoleRequest): string => params.username ?? ''

/** The pages above one that is about a part of a person. */
export const pathOfPerson = (username: string, ...rest: readonly string[]) =>
  [['People', '/people'], [username, at`/people/${username}`], ...rest.map((one) => [one] as const)] as const
