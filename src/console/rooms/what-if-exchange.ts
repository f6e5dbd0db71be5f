import type { AnswerOf } from '../../admin/operations.ts'
import { type Html, html } from '../../pages/html.ts'
import { applicationName, personName } from '../called.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { detailChips } from '../pages/detail-chips.ts'
import { line, pair } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { applicationLink, chipsOf, durationWords, facts, short, text } from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'
import { apiChoice } from './api-choice.ts'
import { applicationChoice } from './application-choice.ts'
import { detailsField } from './details-field.ts'
import { rulePanels } from './rule-panels.ts'

const PATH = '/explain/what-if-exchange'

/** Asks the rules of an exchange of tokens; it writes nothing, so nobody has to confirm who it is. */
export const WHAT_IF_EXCHANGE: ConsoleAction = {
  path: PATH,
  operation: 'what_if_exchange',
  reads: true,
  ask: async (desk, { form, query }) => {
    const given = { ...query, ...form }
    const fields = [
      pair(
        line({
          ...{ name: 'username', label: 'For which person', value: given.username, required: true },
          hint: 'A username or an address',
        }),
        await applicationChoice(desk, {
          ...{ name: 'client_id', label: 'Who acts', value: given.client_id },
          ...{ none: '', hint: 'It exchanges the token', typed: 'Its client id' },
        }),
      ),
      pair(
        await applicationChoice(desk, {
          ...{ name: 'of_client', label: 'Whose token it is', value: given.of_client },
          ...{ none: '', hint: 'The person signed in there', typed: 'Its client id' },
        }),
        await apiChoice(desk, {
          ...{ name: 'of_resource', label: 'The API that this token is for', value: given.of_resource },
          none: 'This server',
        }),
      ),
      pair(
        await apiChoice(desk, {
          ...{ name: 'resource', label: 'The API to act at', value: given.resource, none: '' },
        }),
        line({
          ...{ name: 'scope', label: 'Scopes', note: 'optional', value: given.scope },
          hint: 'Separated by spaces; empty: all that are left',
        }),
      ),
    ]
    return {
      title: 'What if it acts',
      section: 'what-if',
      head: {
        path: [['What if', '/explain/what-if']],
        lead: 'May an application act for a person by the token of another one?',
      },
      lead: html`<p class="quiet down">The same rules as in a real exchange of tokens answer. Nothing is written.</p>`,
      fields: html`${fields}${detailsField(given.authorization_details)}`,
      verb: 'Try it',
      back: '/explain/what-if',
    }
  },
  async act(desk, { form }) {
    const asked = askedIn(form)
    // What is asked for in detail is of a person: it stays out of addresses.
    const { authorization_details: _, ...again } = asked
    const { body } = await desk.ask('what_if_exchange', { body: asked })
    const [person, application] = await Promise.all([
      personName(desk, asked.username),
      applicationName(desk, asked.client_id),
    ])
    const panels = rulePanels(desk, { ...asked, person, application }, body.rules)
    return {
      title: `${application} ${body.allowed ? 'could act' : 'could not act'} for ${person}`,
      section: 'what-if',
      head: {
        path: [['What if', '/explain/what-if']],
        actions: act(
          desk,
          { path: `${PATH}?${new URLSearchParams(again).toString()}`, label: 'Try another' },
          'normal',
        ),
      },
      body: html`${body.allowed ? notice('good', html`${short(application)} would get a token.`) : notice('bad', html`${short(application)} would be refused.`)}
${panels.against}
${tokenPanel(desk, body)}
${panels.passed}`,
    }
  },
}

const NAMES = ['of_resource', 'scope', 'authorization_details'] as const

/** What was typed; what was left empty is absent. */
function askedIn(form: Readonly<Record<string, string | undefined>>) {
  const typed = (name: string) => form[name]?.trim() ?? ''
  const given = NAMES.flatMap((name) => (typed(name) === '' ? [] : [[name, typed(name)] as const]))
  return {
    username: typed('username'),
    client_id: typed('client_id'),
    of_client: typed('of_client'),
    resource: typed('resource'),
    ...(Object.fromEntries(given) as { readonly [Name in (typeof NAMES)[number]]?: string }),
  }
}

/** The token that the application would get. */
function tokenPanel(desk: Desk, { token }: AnswerOf<'what_if_exchange'>): Html | '' {
  if (token === undefined) return ''
  const { format, expires_in, scope, authorization_details, audience, actors } = token
  const form = format === 'jwt' ? 'one that APIs read by themselves' : 'one that is looked up'
  return panel(
    { title: 'What the application would get' },
    facts([
      ['Access token', `${form}, for ${durationWords(expires_in)} at most`],
      ['For', text(audience)],
      ['May', html`${chipsOf(scope)}${detailChips(authorization_details)}`],
      [
        'Acting',
        actors.length === 0
          ? 'nobody: a narrower token'
          : html`${actors.map((actor, i) => html`${i === 0 ? '' : ', called by '}${applicationLink(desk, actor)}`)}`,
      ],
    ]),
  )
}
