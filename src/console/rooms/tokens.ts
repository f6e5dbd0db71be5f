import type { InspectAnswer } from '../../admin/tokens/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { actionOf } from '../action.ts'
import type { Desk } from '../desk.ts'
import { lines } from '../pages/fields.ts'
import {
  applicationLink,
  badge,
  code,
  entries,
  type Fact,
  facts,
  link,
  part,
  personLink,
  text,
  when,
} from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'

type Grant = NonNullable<InspectAnswer['grant']>

const tokenField = () => lines({ name: 'token', label: 'The token, as its application has it' })

/** What a token is, and the others of its sign-in. It is in a form, and never in an address. */
export const INSPECT_TOKEN = actionOf({
  section: 'explain',
  // Who may look at tokens may not see refusals.
  back: '',
  path: '/explain/token',
  operation: 'inspect_token',
  reads: true,
  title: () => 'What is this token?',
  lead: () =>
    html`<p>Paste an access token or a refresh token. It is looked at, and neither kept nor shown again.</p>`,
  fields: tokenField,
  verb: 'Look at it',
  asks: ({ form: { token = '' } }) => ({ body: { token: token.trim() } }),
  shows: (desk, _given, answer) => ({
    title: 'What this token is',
    body: html`<p>${answer.active ? badge('is accepted', 'good') : badge('is not accepted', 'bad')}</p>
${answer.reasons.length === 0 ? '' : part('Why not', entries(answer.reasons))}
${part('Facts', facts(factsOf(desk, answer)))}
${answer.grant === undefined ? '' : part('Its family', family(desk, answer, answer.grant))}
<p>${link(desk, '/explain/token', 'Look at another')}${desk.may('revoke_token') ? html` · ${link(desk, '/explain/revoke-token', 'Revoke a token')}` : ''}</p>`,
  }),
})

function factsOf(desk: Desk, answer: InspectAnswer): Fact[] {
  const { form, type, client_id, subject, scope, audience, expires_at, bound_to, grant } = answer
  return [
    ['Form', form],
    ['Type', type],
    ['Application', client_id === undefined ? undefined : applicationLink(desk, client_id)],
    [
      'Person',
      grant?.username !== undefined
        ? personLink(desk, grant.username)
        : subject === ''
          ? 'none: the application itself'
          : undefined,
    ],
    ['sub', subject ? code(subject) : undefined],
    ['Scope', scope === undefined ? undefined : code(scope)],
    ['For', text(audience ?? (type === undefined ? '' : 'this server'))],
    ['Expires', expires_at === undefined ? undefined : when(expires_at, desk)],
    ['Bound to a key', bound_to === undefined ? undefined : code(bound_to)],
  ]
}

/** The family of a token as a tree: the sign-in, its application, and its tokens. */
function family(desk: Desk, { client_id, type, subject }: InspectAnswer, grant: Grant): Html {
  const { id, status, username, started_at, spent_at, tokens, more } = grant
  if (status === 'none') return html`<p class="empty">${noFamily(type, subject)}</p>`
  const state = badge(status, status === 'active' ? 'good' : 'bad')
  const spent =
    spent_at === undefined
      ? ''
      : html`<li>Refresh tokens before: ${badge('spent')}, the last ${when(spent_at, desk)}</li>\n`
  const leaves = tokens.map(
    (token) =>
      html`<li>${token.type.replace('_', ' ')} ${badge(token.state, token.state === 'live' ? 'good' : 'bad')}, ${code(token.scope)}, expires ${when(token.expires_at, desk)}${token.audience === undefined ? '' : html`, for ${text(token.audience)}`}</li>\n`,
  )
  const none =
    tokens.length === 0 && spent_at === undefined
      ? html`<li>no stored tokens: they ended, or are JWTs</li>`
      : ''
  return html`<ul class="tree"><li>Sign-in ${code(id)} ${state}${started_at === undefined ? '' : html`, ${when(started_at, desk)}`}
<ul>
<li>Application ${client_id === undefined ? 'unknown' : applicationLink(desk, client_id)}${username === undefined ? '' : html`, for ${personLink(desk, username)}`}
<ul>
${spent}${leaves}${none}${more ? html`<li>and more</li>\n` : ''}</ul></li>
</ul></li></ul>`
}

/** Says why there is no sign-in of a token, of which this is known. */
function noFamily(type: string | undefined, subject: string | undefined): string {
  if (type === undefined) return 'There is none: no sign-in here has such a token, or all of it expired.'
  return subject === '' ? 'There is none: the application acts for itself.' : 'All of its sign-in expired.'
}

const revoke = actionOf({
  section: 'explain',
  back: '/explain/token',
  path: '/explain/revoke-token',
  operation: 'revoke_token',
  title: () => 'Revoke a token?',
  lead: () =>
    html`<p>An access token ends alone. A refresh token ends with all tokens of its sign-in; the person can sign in again.</p>`,
  fields: tokenField,
  verb: 'Revoke it',
  is_danger: true,
  asks: ({ form: { token = '' } }) => ({ body: { token: token.trim() } }),
  done: 'token_revoked',
})

export const TOKEN_ACTIONS: readonly ConsoleAction[] = [INSPECT_TOKEN, revoke]
