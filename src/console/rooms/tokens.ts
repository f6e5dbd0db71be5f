import type { InspectAnswer } from '../../admin/tokens/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { actionOf } from '../action.ts'
import { applicationName, personName } from '../called.ts'
import type { Desk } from '../desk.ts'
import { acts } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { detailChips } from '../pages/detail-chips.ts'
import { lines } from '../pages/fields.ts'
import { panel } from '../pages/panel.ts'
import {
  applicationLink,
  badge,
  chipsOf,
  code,
  type Fact,
  facts,
  personLink,
  short,
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
  shows: async (desk, _given, answer) => ({
    title: titleOf(answer, answer.client_id && (await applicationName(desk, answer.client_id))),
    head: {
      path: [['Explain', '/explain'], ['Token']],
      mark: html`<span class="sign">${icon('key')}</span>`,
      lead: leadOf(desk, answer, answer.grant?.username && (await personName(desk, answer.grant.username))),
      actions: acts(
        desk,
        [{ path: '/explain/token', label: 'Look at another' }],
        [{ path: '/explain/revoke-token', label: 'End a token…', operation: 'revoke_token', is_red: true }],
      ),
    },
    body: html`${answer.reasons.length === 0 ? '' : panel({ title: 'Why it does not count' }, steps(answer.reasons.map((why) => ({ kind: 'stops', says: text(why) }))))}
${answer.grant === undefined ? '' : panel({ title: 'The sign-in that it came of' }, family(desk, answer, answer.grant))}
${panel({ title: 'What is in it' }, facts(factsOf(desk, answer)))}`,
  }),
})

const TYPES: Readonly<Record<string, string>> = {
  access_token: 'access token',
  refresh_token: 'refresh token',
  id_token: 'ID token',
}
const typeWords = (type: string | undefined): string =>
  type !== undefined && Object.hasOwn(TYPES, type) ? (TYPES[type] ?? 'token') : 'token'

const FORMS: Readonly<Record<InspectAnswer['form'], string>> = {
  opaque: 'one that is looked up',
  jwt: 'one that APIs read by themselves',
  unknown: 'none that is known here',
}

function titleOf({ active, type, expires_at }: InspectAnswer, application: string | undefined): string {
  if (type === undefined) return 'This is no token that counts here'
  const kind = typeWords(type)
  const of = application === undefined ? '' : ` of ${application}`
  // A refresh token is accepted by one endpoint only, and so is never active here.
  const state = active
    ? 'valid'
    : type === 'refresh_token' && expires_at !== undefined
      ? 'for new tokens alone'
      : 'not valid'
  return `${/^[aeiouI]/.test(kind) ? 'An' : 'A'} ${kind}${of}, ${state}`
}

function leadOf(
  desk: Desk,
  { grant, subject, expires_at, active }: InspectAnswer,
  person: string | undefined,
): Html | string {
  const whose =
    grant?.username !== undefined
      ? html`For ${personLink(desk, grant.username, short(person))}`
      : subject === ''
        ? 'For the application itself'
        : ''
  if (expires_at === undefined) return whose
  return html`${whose}${whose === '' ? 'Ends' : ', ends'} ${active ? '' : 'or ended '}${when(expires_at, desk)}`
}

function factsOf(desk: Desk, answer: InspectAnswer): Fact[] {
  const { form, type, client_id, subject, scope, audience, expires_at, bound_to, grant } = answer
  const { actors, exchanged_for } = answer
  return [
    ['Application', client_id === undefined ? undefined : applicationLink(desk, client_id)],
    [
      'Person',
      grant?.username !== undefined
        ? personLink(desk, grant.username)
        : subject === ''
          ? 'none: the application itself'
          : undefined,
    ],
    [
      'May',
      scope === undefined ? undefined : html`${chipsOf(scope)}${detailChips(answer.authorization_details)}`,
    ],
    ['For', text(audience ?? (type === undefined ? '' : 'this server'))],
    [
      'Acting',
      actors === undefined
        ? undefined
        : html`${actors.map((actor, i) => html`${i === 0 ? '' : ', called by '}${actorName(desk, actor)}`)}`,
    ],
    [
      'Exchanged for',
      exchanged_for === undefined
        ? undefined
        : html`${exchanged_for.map((origin, i) => html`${i === 0 ? '' : ', that for '}${originText(desk, origin)}`)}`,
    ],
    ['Ends', expires_at === undefined ? undefined : when(expires_at, desk)],
    ['Form', FORMS[form]],
    [
      'Bound to',
      bound_to === undefined ? (type === undefined ? undefined : 'no key') : html`a key, ${code(bound_to)}`,
    ],
    ['Id of the person there', subject ? code(subject) : undefined],
  ]
}

/** Who acts: one of the applications, or one elsewhere. */
const actorName = (
  desk: Desk,
  { sub, client_id, iss }: NonNullable<InspectAnswer['actors']>[number],
): Html | string =>
  client_id === undefined || iss !== undefined ? text(sub) : applicationLink(desk, client_id)

const originText = (
  desk: Desk,
  { client_id, state }: NonNullable<InspectAnswer['exchanged_for']>[number],
): Html =>
  html`${client_id === undefined ? 'a token' : html`one of ${applicationLink(desk, client_id)}`}${state === 'live' ? '' : html` ${badge('ended', 'bad')}`}`

/** The family of a token as a tree: the sign-in, and its tokens. */
function family(desk: Desk, { client_id, type, subject }: InspectAnswer, grant: Grant): Html {
  const { id, status, username, started_at, spent_at, tokens, more } = grant
  if (status === 'none') return html`<p>${noFamily(type, subject)}</p>`
  const spent =
    spent_at === undefined
      ? ''
      : html`<li>Refresh tokens before <span class="quiet">used, the last ${when(spent_at, desk)}</span></li>\n`
  const leaves = tokens.map(
    (token) =>
      html`<li>${upper(typeWords(token.type))} ${badge(STATES[token.state], token.state === 'live' ? 'good' : 'plain')} <span class="quiet">ends ${when(token.expires_at, desk)}${token.audience === undefined ? '' : html`, for ${text(token.audience)}`}, may ${text(token.scope)}</span></li>\n`,
  )
  const none =
    tokens.length === 0 && spent_at === undefined
      ? html`<li>No stored tokens: they ended, or APIs read them by themselves</li>`
      : ''
  const of = username === undefined ? '' : html` of ${personLink(desk, username)}`
  const to = client_id === undefined ? '' : html` to ${applicationLink(desk, client_id)}`
  return html`<div class="inside tree"><p><b>Sign-in${of}${to}</b> ${status === 'active' ? '' : badge('ended', 'bad')} <span class="quiet">${started_at === undefined ? '' : when(started_at, desk)} <code>${id}</code></span></p>
<ul>
${spent}${leaves}${none}${more ? html`<li>and more</li>\n` : ''}</ul></div>`
}

const STATES: Readonly<Record<Grant['tokens'][number]['state'], string>> = {
  live: 'valid',
  revoked: 'ended',
  expired: 'over',
}
const upper = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

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
  title: () => 'End a token?',
  top: () =>
    steps([
      { kind: 'ends', says: 'An access token ends alone.' },
      { kind: 'ends', says: 'A refresh token ends with all tokens of its sign-in.' },
      { kind: 'stays', says: 'Sessions stay: the person can sign in again.' },
    ]),
  fields: tokenField,
  verb: 'End the token',
  is_danger: true,
  asks: ({ form: { token = '' } }) => ({ body: { token: token.trim() } }),
  done: 'token_revoked',
})

export const TOKEN_ACTIONS: readonly ConsoleAction[] = [INSPECT_TOKEN, revoke]
