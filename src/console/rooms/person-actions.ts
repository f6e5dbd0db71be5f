import type { GrantAnswer } from '../../admin/access/grants.ts'
import type { AccessPage, EndedCount } from '../../admin/access/page.ts'
import type { SessionAnswer } from '../../admin/access/sessions.ts'
import type { ResetAnswer } from '../../admin/factors/operations.ts'
import type { Limits } from '../../admin/limits.ts'
import type { ResetLink } from '../../admin/users/links.ts'
import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { mistyped } from '../mistyped.ts'
import { hidden, line } from '../pages/fields.ts'
import { at, atLeast, short, text, when } from '../pages/parts.ts'
import type { ConsoleAction, Given, Question } from '../rows.ts'
import { usernameOf } from './people.ts'

// So many are counted for the page of an action.
const COUNTED = '20'

const back = (given: Given, below = '') => at`/people/${usernameOf(given)}` + below

async function heldBy(desk: Desk, { params }: Given): Promise<{ sessions: string; grants: string }> {
  const query = { limit: COUNTED }
  const [sessions, grants] = await Promise.all([
    desk.ask<AccessPage<SessionAnswer>>('list_sessions', { params, query }),
    desk.ask<AccessPage<GrantAnswer>>('list_grants_of_user', { params, query }),
  ])
  return {
    sessions: atLeast(sessions.body.items, sessions.body.next),
    grants: atLeast(grants.body.items, grants.body.next),
  }
}

const question = (
  given: Given,
  asked: Pick<Question, 'title' | 'lead' | 'verb'> & Partial<Question>,
): Question => ({ section: 'people', back: back(given), ...asked })

const disable: ConsoleAction = {
  path: '/people/:username/disable',
  operation: 'disable_user',
  async ask(desk, given) {
    const { sessions, grants } = await heldBy(desk, given)
    return question(given, {
      title: `Disable ${usernameOf(given)}?`,
      lead: html`<p>The person cannot sign in any more. Sessions that end: ${sessions}. Sign-ins of applications that end with their tokens: ${grants}.</p>
<p>The account stays, and can be enabled again; what ended stays ended.</p>`,
      verb: 'Disable',
      is_danger: true,
    })
  },
  async act(desk, given) {
    await desk.ask('disable_user', { params: given.params })
    return { to: back(given), done: 'person_disabled' }
  },
}

const enable: ConsoleAction = {
  path: '/people/:username/enable',
  operation: 'enable_user',
  ask: async (_desk, given) =>
    question(given, {
      title: `Enable ${usernameOf(given)}?`,
      lead: html`<p>The person can sign in again. Sessions and tokens that ended stay ended.</p>`,
      verb: 'Enable',
    }),
  async act(desk, given) {
    await desk.ask('enable_user', { params: given.params })
    return { to: back(given), done: 'person_enabled' }
  },
}

const remove: ConsoleAction = {
  path: '/people/:username/remove',
  operation: 'delete_user',
  async ask(desk, given) {
    const [{ sessions, grants }, { version }] = await Promise.all([
      heldBy(desk, given),
      desk.ask('read_user', { params: given.params }),
    ])
    return question(given, {
      title: `Remove ${usernameOf(given)}?`,
      lead: html`<p>The account is removed for good. Sessions that end: ${sessions}. Sign-ins of applications that end with their tokens: ${grants}.</p>`,
      fields: html`${hidden('version', version)}${line({ name: 'typed', label: 'Type the username', hint: 'So that nobody is removed by mistake', required: true })}`,
      verb: 'Remove',
      is_danger: true,
    })
  },
  async act(desk, given) {
    const { typed, version } = given.form
    if (typed !== usernameOf(given)) throw mistyped('username')
    await desk.ask('delete_user', { params: given.params, version })
    return { to: '/people', done: 'person_removed' }
  },
}

const endSessions: ConsoleAction = {
  path: '/people/:username/end-sessions',
  operation: 'end_sessions',
  async ask(desk, given) {
    const { sessions } = await heldBy(desk, given)
    return question(given, {
      title: `End all sessions of ${usernameOf(given)}?`,
      lead: html`<p>Sessions that end: ${sessions}, with the tokens that came of them. Applications are told. The person can sign in again.</p>`,
      verb: 'End all sessions',
      back: back(given, '/sessions'),
    })
  },
  async act(desk, given) {
    const { body } = await desk.ask<EndedCount>('end_sessions', { params: given.params })
    return { to: back(given, '/sessions'), done: 'sessions_ended', count: body.ended }
  },
}

const endSession: ConsoleAction = {
  path: '/people/:username/sessions/:sid/end',
  operation: 'end_session',
  ask: async (_desk, given) =>
    question(given, {
      title: 'End this session?',
      lead: html`<p>One session of ${short(usernameOf(given))} ends, with the tokens that came of it. Its applications are told.</p>`,
      verb: 'End the session',
      back: back(given, '/sessions'),
    }),
  async act(desk, given) {
    const { body } = await desk.ask<EndedCount>('end_session', { params: given.params })
    return { to: back(given, '/sessions'), done: 'sessions_ended', count: body.ended }
  },
}

const endGrants: ConsoleAction = {
  path: '/people/:username/end-grants',
  operation: 'end_grants_of_user',
  async ask(desk, given) {
    const { grants } = await heldBy(desk, given)
    return question(given, {
      title: `End what all applications may do for ${usernameOf(given)}?`,
      lead: html`<p>Sign-ins of applications that end with their tokens: ${grants}. Sessions stay.</p>`,
      verb: 'End all',
      back: back(given, '/applications'),
    })
  },
  async act(desk, given) {
    const { body } = await desk.ask<EndedCount>('end_grants_of_user', { params: given.params })
    return { to: back(given, '/applications'), done: 'grants_ended', count: body.ended }
  },
}

const endGrant: ConsoleAction = {
  path: '/people/:username/grants/:grant/end',
  operation: 'end_grant_of_user',
  ask: async (_desk, given) =>
    question(given, {
      title: 'End this sign-in of an application?',
      lead: html`<p>All tokens of it end. The application can ask ${short(usernameOf(given))} to sign in again.</p>`,
      verb: 'End it',
      back: back(given, '/applications'),
    }),
  async act(desk, given) {
    const { body } = await desk.ask<EndedCount>('end_grant_of_user', { params: given.params })
    return { to: back(given, '/applications'), done: 'grants_ended', count: body.ended }
  },
}

const unlock: ConsoleAction = {
  path: '/people/:username/unlock',
  operation: 'unlock_user',
  ask: async (_desk, given) =>
    question(given, {
      title: `Lift the lockout of ${usernameOf(given)}?`,
      lead: html`<p>The wrong passwords and codes that were counted for the person are forgotten, on all servers within a second. Limits of addresses stay.</p>`,
      verb: 'Lift the lockout',
    }),
  async act(desk, given) {
    const { body } = await desk.ask<Limits>('unlock_user', { params: given.params })
    return { to: back(given), done: 'unlocked', count: body.items.length }
  },
}

const resetFactors: ConsoleAction = {
  path: '/people/:username/reset-factors',
  operation: 'reset_factors',
  async ask(desk, given) {
    const { sessions } = await heldBy(desk, given)
    return question(given, {
      title: `Remove the ways to sign in of ${usernameOf(given)} besides the password?`,
      lead: html`<p>The authenticator app, its recovery codes and all passkeys are removed. Sessions that end: ${sessions}. Ask yourself whether it is the person who asks you.</p>`,
      verb: 'Remove them',
      is_danger: true,
    })
  },
  async act(desk, given) {
    const { body } = await desk.ask<ResetAnswer>('reset_factors', { params: given.params })
    return { to: back(given), done: 'factors_reset', count: body.ended }
  },
}

const resetLink: ConsoleAction = {
  path: '/people/:username/reset-link',
  operation: 'create_reset_link',
  ask: async (_desk, given) =>
    question(given, {
      title: `Make a reset link for ${usernameOf(given)}?`,
      lead: html`<p>Whoever opens the link can choose a new password. It is shown once: hand it to the person, and to nobody else.</p>`,
      verb: 'Make a link',
    }),
  async act(desk, given) {
    const { body } = await desk.ask<ResetLink>('create_reset_link', { params: given.params })
    return {
      title: 'The reset link',
      section: 'people',
      body: html`<p>It is for ${short(body.username)}, works once, and ends ${when(body.expires_at, desk)}. It is not shown again.</p>
<pre tabindex="0">${text(body.url)}</pre>
<p><a class="button" href="${desk.base}${back(given)}">Back to the person</a></p>`,
    }
  },
}

const endAll: ConsoleAction = {
  path: '/sessions/end-all',
  operation: 'end_all_sessions',
  ask: async () => ({
    title: 'End all sessions of everybody?',
    section: 'sessions',
    lead: html`<p>Everybody is signed out everywhere, with all tokens, and so are you. That cannot be taken back.</p>`,
    fields: line({ name: 'typed', label: 'Type all-sessions', required: true }),
    verb: 'End all sessions',
    is_danger: true,
    back: '/sessions',
  }),
  async act(desk, { form }) {
    await desk.ask('end_all_sessions', { query: { confirm: form.typed } })
    return { to: '/sessions', done: 'all_sessions_ended' }
  },
}

export const PERSON_ACTIONS: readonly ConsoleAction[] = [
  ...[disable, enable, remove, endSessions, endSession, endGrants, endGrant],
  ...[unlock, resetFactors, resetLink, endAll],
]
