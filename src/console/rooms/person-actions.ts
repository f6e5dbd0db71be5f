import type { EndedCount } from '../../admin/access/page.ts'
import { html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { type Desk, paramsOf } from '../desk.ts'
import { line } from '../pages/fields.ts'
import { at, atLeast, short, text, when } from '../pages/parts.ts'
import type { ConsoleAction, ConsoleRequest } from '../rows.ts'
import { usernameOf } from './people.ts'

// So many are counted for the page of an action.
const COUNTED = '20'
const PERSON = '/people/:username'
const OF_PERSON = { section: 'people', back: PERSON } as const

const counted = async (
  desk: Desk,
  operation: 'list_sessions' | 'list_grants_of_user' | 'list_consents',
  { params }: ConsoleRequest,
) => {
  const { body } = await desk.ask(operation, {
    params: paramsOf(operation, params),
    query: { limit: COUNTED },
  })
  return atLeast(body.items, body.next)
}
const sessionsOf = (desk: Desk, given: ConsoleRequest) => counted(desk, 'list_sessions', given)
const grantsOf = (desk: Desk, given: ConsoleRequest) => counted(desk, 'list_grants_of_user', given)

/** What ends with an account, in numbers. */
const held = async (desk: Desk, given: ConsoleRequest) => {
  const [sessions, grants] = await Promise.all([sessionsOf(desk, given), grantsOf(desk, given)])
  return html`Sessions that end: ${sessions}. Sign-ins of applications that end with their tokens: ${grants}.`
}
const countEnded = ({ ended }: EndedCount) => ended

export const PERSON_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/disable`,
    operation: 'disable_user',
    title: (_desk, given) => `Disable ${usernameOf(given)}?`,
    lead: async (desk, given) => html`<p>The person cannot sign in any more. ${await held(desk, given)}</p>
<p>The account stays, and can be enabled again; what ended stays ended.</p>`,
    verb: 'Disable',
    is_danger: true,
    done: 'person_disabled',
    undo: `${PERSON}/enable`,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/enable`,
    operation: 'enable_user',
    title: (_desk, given) => `Enable ${usernameOf(given)}?`,
    lead: () => html`<p>The person can sign in again. Sessions and tokens that ended stay ended.</p>`,
    verb: 'Enable',
    done: 'person_enabled',
    undo: `${PERSON}/disable`,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/remove`,
    operation: 'delete_user',
    title: (_desk, given) => `Remove ${usernameOf(given)}?`,
    lead: async (desk, given) => html`<p>The account is removed for good. ${await held(desk, given)}</p>`,
    typed: { what: 'username', read: 'read_user' },
    verb: 'Remove',
    is_danger: true,
    to: '/people',
    done: 'person_removed',
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/sessions`,
    path: `${PERSON}/end-sessions`,
    operation: 'end_sessions',
    title: (_desk, given) => `End all sessions of ${usernameOf(given)}?`,
    lead: async (desk, given) =>
      html`<p>Sessions that end: ${await sessionsOf(desk, given)}, with the tokens that came of them. Applications are told. The person can sign in again.</p>`,
    verb: 'End all sessions',
    done: 'sessions_ended',
    count: countEnded,
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/sessions`,
    path: `${PERSON}/sessions/:sid/end`,
    operation: 'end_session',
    title: () => 'End this session?',
    lead: (_desk, given) =>
      html`<p>One session of ${short(usernameOf(given))} ends, with the tokens that came of it. Its applications are told.</p>`,
    verb: 'End the session',
    done: 'sessions_ended',
    count: countEnded,
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/applications`,
    path: `${PERSON}/end-grants`,
    operation: 'end_grants_of_user',
    title: (_desk, given) => `End what all applications may do for ${usernameOf(given)}?`,
    lead: async (desk, given) =>
      html`<p>Sign-ins of applications that end with their tokens: ${await grantsOf(desk, given)}. Sessions stay.</p>`,
    verb: 'End all',
    done: 'grants_ended',
    count: countEnded,
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/applications`,
    path: `${PERSON}/grants/:grant/end`,
    operation: 'end_grant_of_user',
    title: () => 'End this sign-in of an application?',
    lead: (_desk, given) =>
      html`<p>All tokens of it end. The application can ask ${short(usernameOf(given))} to sign in again.</p>`,
    verb: 'End it',
    done: 'grants_ended',
    count: countEnded,
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/consents`,
    path: `${PERSON}/consents/:client_id/withdraw`,
    operation: 'withdraw_consent',
    title: (_desk, { params }) => `Forget what ${params.username} allowed ${params.client_id}?`,
    lead: (_desk, given) =>
      html`<p>${short(usernameOf(given))} is asked again at the next sign-in. Tokens stay: end the sign-in to end them.</p>`,
    verb: 'Forget it',
    done: 'consents_withdrawn',
    count: countEnded,
  }),
  actionOf({
    section: 'people',
    back: `${PERSON}/consents`,
    path: `${PERSON}/withdraw-consents`,
    operation: 'withdraw_consents',
    title: (_desk, given) => `Forget all that ${usernameOf(given)} allowed applications?`,
    lead: async (desk, given) =>
      html`<p>Consents that are forgotten: ${await counted(desk, 'list_consents', given)}. The person is asked again by each application. Tokens stay.</p>`,
    verb: 'Forget all',
    done: 'consents_withdrawn',
    count: countEnded,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/unlock`,
    operation: 'unlock_user',
    title: (_desk, given) => `Lift the lockout of ${usernameOf(given)}?`,
    lead: () =>
      html`<p>The wrong passwords and codes that were counted for the person are forgotten, on all servers within a second. Limits of addresses stay.</p>`,
    verb: 'Lift the lockout',
    done: 'unlocked',
    count: ({ items }) => items.length,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/reset-factors`,
    operation: 'reset_factors',
    title: (_desk, given) => `Remove the ways to sign in of ${usernameOf(given)} besides the password?`,
    lead: async (desk, given) =>
      html`<p>The authenticator app, its recovery codes and all passkeys are removed. Sessions that end: ${await sessionsOf(desk, given)}. Ask yourself whether it is the person who asks you.</p>`,
    verb: 'Remove them',
    is_danger: true,
    done: 'factors_reset',
    count: countEnded,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/reset-link`,
    operation: 'create_reset_link',
    title: (_desk, given) => `Make a reset link for ${usernameOf(given)}?`,
    lead: () =>
      html`<p>Whoever opens the link can choose a new password, or make a passkey where there are no passwords. It is shown once: hand it to the person, and to nobody else. An older link of the person ends.</p>`,
    verb: 'Make a reset link',
    shows: (desk, given, { username, expires_at, url, sets }) => ({
      title: 'The reset link',
      body: html`<p>With it ${short(username)} gets a new ${sets}. It works once, and ends ${when(expires_at, desk)}. It is not shown again.</p>
<pre tabindex="0">${text(url)}</pre>
<p><a class="button" href="${desk.base}${at`/people/${usernameOf(given)}`}">Back to the person</a></p>`,
    }),
  }),
]

export const END_ALL: readonly ConsoleAction[] = [
  actionOf({
    section: 'sessions',
    back: '/sessions',
    path: '/sessions/end-all',
    operation: 'end_all_sessions',
    title: () => 'Sign everybody out?',
    lead: () =>
      html`<p>Everybody is signed out everywhere, with all tokens, and so are you. That cannot be taken back.</p>`,
    fields: () => line({ name: 'typed', label: 'Type all-sessions', required: true }),
    verb: 'Sign everybody out',
    is_danger: true,
    asks: ({ form }) => ({ query: { confirm: form.typed } }),
    done: 'all_sessions_ended',
  }),
]
