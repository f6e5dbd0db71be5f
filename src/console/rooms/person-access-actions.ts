import type { EndedCount } from '../../admin/access/page.ts'
import { type Html, html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { consequence, counted, steps } from '../pages/consequence.ts'
import { line } from '../pages/fields.ts'
import { applicationLink, code, short, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import { aboutPerson, accessThatEnds, firstGrants, firstSessions, sessionsThatEnd } from './about-person.ts'

const PERSON = '/people/:username'
const OF_SESSIONS = { section: 'people', back: `${PERSON}/sessions`, about: aboutPerson } as const
const OF_GRANTS = { section: 'people', back: `${PERSON}/applications`, about: aboutPerson } as const
const OF_CONSENTS = { section: 'people', back: `${PERSON}/consents`, about: aboutPerson } as const
const countEnded = ({ ended }: EndedCount) => ended

/** One session in words, and the applications that are told of its end. */
async function oneSession(desk: Desk, given: ConsoleRequest): Promise<Html> {
  const found = (await firstSessions(desk, given))?.items.find(({ sid }) => sid === given.params.sid)
  const { browser, address, started_at, last_used_at, clients = [] } = found ?? {}
  const where = address === undefined ? '' : html` at ${code(address)}`
  const told = clients.length === 0 ? '' : html`: ${text(clients.join(', '))}`
  return steps([
    {
      kind: 'ends',
      says:
        found === undefined
          ? 'This session ends, with the tokens that came of it.'
          : html`${short(browser ?? 'An unknown browser')}${where} is signed out, with the tokens that came of it. Signed in ${when(started_at, desk)}, used ${when(last_used_at ?? started_at, desk)}.`,
    },
    { kind: 'next', says: html`Its applications are told${told}.` },
    { kind: 'stays', says: 'Other sessions stay, and the person can sign in again.' },
  ])
}

/** One sign-in of an application in words. */
async function oneGrant(desk: Desk, given: ConsoleRequest): Promise<Html> {
  const found = (await firstGrants(desk, given))?.items.find(({ grant }) => grant === given.params.grant)
  return steps([
    {
      kind: 'ends',
      says:
        found === undefined
          ? 'All tokens of this sign-in end.'
          : html`All tokens end that ${applicationLink(desk, found.client_id)} has of this sign-in. It began ${when(found.started_at, desk)}, and was used ${when(found.last_used_at ?? found.started_at, desk)}.`,
    },
    { kind: 'next', says: 'The application can ask the person to sign in again.' },
    { kind: 'stays', says: 'Sessions stay, and what the person allowed.' },
  ])
}

/** What ends of where a person is signed in, of applications with access, and of what the person allowed. */
export const PERSON_ACCESS_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    ...OF_SESSIONS,
    path: `${PERSON}/end-sessions`,
    operation: 'end_sessions',
    title: (_desk, _given, { name }) => `Sign ${name} out everywhere?`,
    top: async (desk, given) =>
      html`${consequence([await sessionsThatEnd(desk, given)])}${steps([
        { kind: 'ends', says: 'The tokens that came of these sessions end, too, and applications are told.' },
        { kind: 'stays', says: 'The account and its ways to sign in stay: the person can sign in again.' },
      ])}`,
    verb: 'Sign out everywhere',
    done: 'sessions_ended',
    count: countEnded,
  }),
  actionOf({
    ...OF_SESSIONS,
    path: `${PERSON}/sessions/:sid/end`,
    operation: 'end_session',
    title: (_desk, _given, { name }) => `End this session of ${name}?`,
    top: oneSession,
    verb: 'End the session',
    done: 'sessions_ended',
    count: countEnded,
  }),
  actionOf({
    ...OF_GRANTS,
    path: `${PERSON}/end-grants`,
    operation: 'end_grants_of_user',
    title: (_desk, _given, { name }) => `Remove the access of all applications of ${name}?`,
    top: async (desk, given) =>
      html`${consequence(await accessThatEnds(desk, given))}${steps([
        { kind: 'ends', says: 'No application can act for the person any more.' },
        { kind: 'stays', says: 'Sessions stay: an application gets access again when the person opens it.' },
      ])}`,
    verb: 'Remove all access',
    done: 'grants_ended',
    count: countEnded,
  }),
  actionOf({
    ...OF_GRANTS,
    path: `${PERSON}/grants/:grant/end`,
    operation: 'end_grant_of_user',
    title: (_desk, _given, { name }) => `Remove this access of an application of ${name}?`,
    top: oneGrant,
    verb: 'Remove access',
    done: 'grants_ended',
    count: countEnded,
  }),
  actionOf({
    ...OF_CONSENTS,
    path: `${PERSON}/consents/:client_id/withdraw`,
    operation: 'withdraw_consent',
    title: (_desk, { params }, { name }) => `Forget what ${name} allowed ${params.client_id}?`,
    top: () =>
      steps([
        { kind: 'ends', says: 'The person is asked again at the next sign-in.' },
        { kind: 'stays', says: 'Tokens stay. Remove the access of the application to end them.' },
      ]),
    verb: 'Forget it',
    done: 'consents_withdrawn',
    count: countEnded,
  }),
  actionOf({
    ...OF_CONSENTS,
    path: `${PERSON}/withdraw-consents`,
    operation: 'withdraw_consents',
    title: (_desk, _given, { name }) => `Forget all that ${name} allowed applications?`,
    async top(desk, { params }) {
      const asked = { params: paramsOf('list_consents', params), query: { limit: '20' } }
      const found = desk.may('list_consents') ? (await desk.ask('list_consents', asked)).body : undefined
      return html`${consequence([found && counted(found, 'application asks again', 'applications ask again')])}${steps(
        [
          { kind: 'ends', says: 'Each application asks the person again at the next sign-in.' },
          { kind: 'stays', says: 'Tokens stay. Remove the access of applications to end them.' },
        ],
      )}`
    },
    verb: 'Forget all',
    done: 'consents_withdrawn',
    count: countEnded,
  }),
]

export const END_ALL: readonly ConsoleAction[] = [
  actionOf({
    section: 'sessions',
    back: '/sessions',
    path: '/sessions/end-all',
    operation: 'end_all_sessions',
    title: () => 'Sign everybody out?',
    async top(desk) {
      const may_count = desk.may('list_groups') && desk.refusal('list_groups') === undefined
      const people = may_count ? (await desk.ask('list_groups')).body.people : undefined
      return html`${consequence([
        people === undefined
          ? undefined
          : { number: String(people), says: 'people have an account, and sign in again' },
      ])}${steps([
        {
          kind: 'ends',
          says: 'Everybody is signed out everywhere within a second, with all tokens. So are you.',
        },
        { kind: 'ends', says: 'That cannot be taken back.' },
        { kind: 'stays', says: 'Accounts and their ways to sign in stay.' },
      ])}`
    },
    fields: () => line({ name: 'typed', label: 'Type all-sessions', required: true }),
    verb: 'Sign everybody out',
    is_danger: true,
    asks: ({ form }) => ({ query: { confirm: form.typed } }),
    done: 'all_sessions_ended',
  }),
]
