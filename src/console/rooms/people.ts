import type { FactorsAnswer } from '../../admin/factors/operations.ts'
import type { Limits } from '../../admin/limits.ts'
import type { AnswerOf, OperationName } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import {
  at,
  badge,
  code,
  entries,
  type Fact,
  facts,
  link,
  offers,
  part,
  short,
  stateBadge,
  table,
  text,
  when,
  wrongs,
} from '../pages/parts.ts'
import type { ConsolePage, ConsoleRequest } from '../rows.ts'

/** A person as the admin API answers. */
export type ShownUser = AnswerOf<'read_user'>

const one: ConsolePage = {
  path: '/people/:username',
  operation: 'read_user',
  async show(desk, { params }) {
    const { username = '' } = params
    const [{ body: person }, { body: factors }, limits] = await Promise.all([
      desk.ask('read_user', { params: { username } }),
      desk.ask('read_factors', { params: { username } }),
      desk.may('list_limits') ? desk.ask('list_limits') : undefined,
    ])
    const locked = limits?.body.items.filter((limit) => limit.username === person.username) ?? []
    return {
      title: person.username,
      section: 'people',
      body: html`${tabs(desk, username)}${part('Facts', facts(factsOf(desk, person)))}
${part('Ways to sign in', ways(desk, person, factors))}
${limits === undefined ? '' : part('Lockout', lockout(desk, locked))}
${part('What you can do', actions(desk, person, factors, locked.length > 0))}`,
    }
  },
}

/** The links between the pages of a person. */
export function tabs(desk: Desk, username: string): Html {
  const events = new URLSearchParams({ username }).toString()
  return html`<ul class="tabs">
<li>${link(desk, at`/people/${username}`, 'Facts')}</li>
<li>${link(desk, at`/people/${username}/sessions`, 'Sessions')}</li>
<li>${link(desk, at`/people/${username}/applications`, 'Applications')}</li>
<li>${link(desk, at`/people/${username}/consents`, 'Consents')}</li>
${desk.may('list_events') ? html`<li>${link(desk, `/events?${events}`, 'Events')}</li>` : ''}
${desk.may('what_if') ? html`<li>${link(desk, `/explain/what-if?${events}`, 'What may this person use?')}</li>` : ''}
</ul>
`
}

function factsOf(desk: Desk, person: ShownUser): Fact[] {
  const { claims = {}, managed_by, problems, fields = {} } = person
  const verified = claims.email_verified === true ? '' : ' (not confirmed)'
  const others = Object.entries(claims).filter(
    ([name]) => !['name', 'email', 'email_verified'].includes(name),
  )
  return [
    ['Username', text(person.username)],
    ['Name', claims.name === undefined ? undefined : text(claims.name)],
    ['E-mail', claims.email === undefined ? undefined : html`${text(claims.email)}${verified}`],
    ['sub', code(person.sub ?? '')],
    ['State', stateBadge(person.state)],
    ['What is wrong', wrongs(problems)],
    ['Last sign-in', person.last_sign_in_at === undefined ? 'never' : when(person.last_sign_in_at, desk)],
    ['Rights here', person.admin === undefined ? 'none' : code(person.admin.join(' '))],
    ['Managed by', managed_by === undefined ? undefined : html`file ${text(managed_by)}: change it there`],
    ...[...others, ...Object.entries(fields)].map(
      ([name, value]) => [name.slice(0, 100), text(value)] as const,
    ),
  ]
}

function ways(desk: Desk, person: ShownUser, { totp, recovery_codes, passkeys }: FactorsAnswer): Html {
  const linked = person.linked_subjects ?? []
  const app =
    totp === undefined
      ? 'none'
      : html`since ${when(totp.created_at, desk)}${totp.limited ? html` ${badge('too many wrong codes', 'bad')}` : ''}`
  return html`${facts([
    ['Password', person.password ?? 'none'],
    ['Authenticator app', app],
    ['Recovery codes', recovery_codes === undefined ? 'none' : `${recovery_codes.left} left`],
    ['Second step', secondStep(desk, person)],
    ['Accounts elsewhere', linked.length === 0 ? 'none' : entries(linked)],
  ])}
${table(
  'Passkeys',
  ['Name', 'Created', 'Last used', 'Where'],
  passkeys.map((passkey) => [
    short(passkey.name),
    when(passkey.created_at, desk),
    when(passkey.last_used_at, desk),
    passkey.synced ? 'synced' : 'one device',
  ]),
  'No passkeys.',
)}`
}

/** Whether a sign-in with a password takes a second step. */
function secondStep({ second_factor }: Desk, person: ShownUser): string {
  if (second_factor === 'off') return 'off at this server'
  const is_demanded = second_factor === 'required' || person.second_factor === 'required'
  return is_demanded ? 'demanded' : 'asked for if it is set up'
}

function lockout(desk: Desk, locked: Limits['items']): Html {
  return table(
    'Lockouts in force',
    ['Counter', 'Until', 'From'],
    locked.map(({ counter, until, address = '' }) => [counter, when(until, desk), code(address)]),
    'Not locked out.',
  )
}

function actions(
  desk: Desk,
  { username, state }: ShownUser,
  factors: FactorsAnswer,
  is_locked: boolean,
): Html {
  const has_factors = factors.totp !== undefined || factors.passkeys.length > 0
  const offer = (label: string, path: string, operation: OperationName) => ({
    label,
    path: at`/people/${username}` + path,
    operation,
  })
  return offers(
    desk,
    [
      ...(is_locked ? [offer('Lift the lockout', '/unlock', 'unlock_user')] : []),
      offer('Edit', '/edit', 'change_user'),
      offer('Show link once to reset the password', '/reset-link', 'create_reset_link'),
      offer('End all sessions', '/end-sessions', 'end_sessions'),
      ...(has_factors ? [offer('Reset all factors', '/reset-factors', 'reset_factors')] : []),
      state === 'disabled'
        ? offer('Enable', '/enable', 'enable_user')
        : offer('Disable', '/disable', 'disable_user'),
      offer('Remove', '/remove', 'delete_user'),
    ],
    'redmint:users:write',
  )
}

export const PEOPLE_PAGES: readonly ConsolePage[] = [one]

/** Returns the name in the path of a page of a person. */
export const usernameOf = ({ params }: ConsoleRequest): string => params.username ?? ''
