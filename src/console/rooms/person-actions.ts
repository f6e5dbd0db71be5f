import { html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import { paramsOf } from '../desk.ts'
import { consequence, counted, steps } from '../pages/consequence.ts'
import { at, code, short, text, when } from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'
import { aboutPerson, allThatEnds, sessionsThatEnd } from './about-person.ts'
import { actAsFields } from './act-as-fields.ts'
import { handOver, mailText } from './hand-over.ts'
import { usernameOf } from './people.ts'

const PERSON = '/people/:username'
const OF_PERSON = { section: 'people', back: PERSON, about: aboutPerson } as const

/** What operators do with the account of a person. */
export const PERSON_ACTIONS: readonly ConsoleAction[] = [
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/disable`,
    operation: 'disable_user',
    title: (_desk, _given, { name }) => `Disable ${name}?`,
    top: async (desk, given, about) =>
      html`${consequence(await allThatEnds(desk, given, about))}${steps([
        {
          kind: 'ends',
          says: 'Nobody can sign in with this account, and applications learn it within a second.',
        },
        {
          kind: 'stays',
          says: 'Name, groups, ways to sign in and rights stay. Enable lets the person sign in again; what ended stays ended.',
        },
      ])}`,
    verb: 'Disable',
    is_named: true,
    is_danger: true,
    done: 'person_disabled',
    undo: `${PERSON}/enable`,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/enable`,
    operation: 'enable_user',
    title: (_desk, _given, { name }) => `Enable ${name}?`,
    top: () =>
      steps([
        { kind: 'next', says: 'The person can sign in again, in the ways that there were.' },
        { kind: 'ends', says: 'Sessions and tokens that ended stay ended.' },
      ]),
    verb: 'Enable',
    is_named: true,
    done: 'person_enabled',
    undo: `${PERSON}/disable`,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/remove`,
    operation: 'delete_user',
    title: (_desk, _given, { name }) => `Remove ${name}?`,
    top: async (desk, given, about) =>
      html`${consequence(await allThatEnds(desk, given, about))}${steps([
        {
          kind: 'ends',
          says: 'The account goes for good, with its ways to sign in. That cannot be taken back.',
        },
        {
          kind: 'stays',
          says: 'Applications keep what they know of the person. Events stay as long as they are kept.',
        },
      ])}`,
    typed: { what: 'username', read: 'read_user' },
    verb: 'Remove',
    is_named: true,
    is_danger: true,
    to: '/people',
    done: 'person_removed',
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/unlock`,
    operation: 'unlock_user',
    title: (_desk, _given, { name }) => `Lift the lockout of ${name}?`,
    top: () =>
      steps([
        {
          kind: 'next',
          says: 'Wrong passwords and codes that were counted for the person are forgotten, on all servers within a second.',
        },
        { kind: 'stays', says: 'Limits of addresses stay.' },
      ]),
    verb: 'Lift the lockout',
    done: 'unlocked',
    count: ({ items }) => items.length,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/reset-factors`,
    operation: 'reset_factors',
    title: (_desk, _given, { name }) => `Remove the passkeys and the app of ${name}?`,
    async top(desk, given, { person }) {
      const params = paramsOf('read_factors', given.params)
      const [factors, sessions] = await Promise.all([
        desk.may('read_factors') ? desk.ask('read_factors', { params }) : undefined,
        sessionsThatEnd(desk, given),
      ])
      const { passkeys = [], totp } = factors?.body ?? {}
      const password =
        person === undefined
          ? []
          : person.password === 'set'
            ? [{ kind: 'stays', says: 'The password stays.' } as const]
            : [{ kind: 'stops', says: 'There is no password: make a reset link then.' } as const]
      return html`${consequence([
        factors && counted({ items: passkeys }, 'passkey is removed', 'passkeys are removed'),
        totp && counted({ items: [totp] }, 'authenticator app is removed, with its recovery codes', ''),
        sessions,
      ])}${steps([
        {
          kind: 'ends',
          says: 'All passkeys, the authenticator app and its recovery codes are removed for good.',
        },
        ...password,
        { kind: 'next', says: 'Ask yourself whether it is the person who asks you.' },
      ])}`
    },
    verb: 'Remove them',
    is_danger: true,
    done: 'factors_reset',
    count: ({ ended }) => ended,
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/act-as`,
    operation: 'act_as_user',
    title: (_desk, _given, { name }) => `Act as ${name}?`,
    top: () =>
      steps([
        {
          kind: 'next',
          says: 'You get a token with which you are this person at one API, for ten minutes. What you do with it counts as done by the person; the API is told that it was you.',
        },
        {
          kind: 'next',
          says: 'The person is told by mail, sees it on the account page, and can end it at any time. Your reason is kept with the event.',
        },
        {
          kind: 'stays',
          says: 'You are not signed in as the person: no page opens with it, and nothing of the account can be changed.',
        },
      ]),
    fields: actAsFields,
    verb: 'Get the token',
    is_danger: true,
    asks: ({ form: { client_id = '', resource = '', scope, reason = '' } }) => ({
      body: { client_id, resource, reason, ...(scope && { scope }) },
    }),
    shows: (desk, given, { username, resource, scope, expires_at, access_token }) => ({
      title: 'The token',
      body: html`<p>With it you are ${short(username)} at ${text(resource)}, with the scope ${code(scope)}, until ${when(expires_at, desk)}. It is not shown again.</p>
<pre tabindex="0">${text(access_token)}</pre>
<p><a class="button" href="${desk.base}${at`/people/${usernameOf(given)}`}">Back to the person</a></p>`,
    }),
  }),
  actionOf({
    ...OF_PERSON,
    path: `${PERSON}/reset-link`,
    operation: 'create_reset_link',
    title: (_desk, _given, { name }) => `Make a reset link for ${name}?`,
    top: () =>
      steps([
        {
          kind: 'next',
          says: 'Whoever opens the link chooses a new password, or makes a passkey where there are no passwords.',
        },
        { kind: 'ends', says: 'An older link of the person ends.' },
        { kind: 'next', says: 'It is shown once: hand it to the person, and to nobody else.' },
      ]),
    // It is mailed to a verified address only.
    fields: (desk, { form }, { person }) =>
      person?.claims?.email_verified === true ? handOver(desk, form.send) : html``,
    verb: 'Make a reset link',
    asks: ({ form: { send } }) => ({ query: { send } }),
    shows: (desk, given, { username, expires_at, url, sets, mail }) => ({
      title: 'The reset link',
      body: html`<p>With it ${short(username)} gets a new ${sets}. It works once, and ends ${when(expires_at, desk)}. It is not shown again.</p>
<pre tabindex="0">${text(url)}</pre>
${mailText(mail)}<p><a class="button" href="${desk.base}${at`/people/${usernameOf(given)}`}">Back to the person</a></p>`,
    }),
  }),
]
