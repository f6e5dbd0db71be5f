import type { WhatIfBody } from '../../admin/explanations.ts'
import { type Html, html } from '../../pages/html.ts'
import { applicationName, personName } from '../called.ts'
import { act } from '../pages/actions.ts'
import { steps } from '../pages/consequence.ts'
import { detailChips } from '../pages/detail-chips.ts'
import { line, pair } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { chipsOf, durationWords, facts, link, short, text } from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'
import { applicationChoice } from './application-choice.ts'
import { detailsField } from './details-field.ts'
import { rulePanels } from './rule-panels.ts'
import { WHAT_IF_EXCHANGE } from './what-if-exchange.ts'

/** Asks the rules of a sign-in; it writes nothing, so nobody has to confirm who it is. */
const whatIf: ConsoleAction = {
  path: '/explain/what-if',
  operation: 'what_if',
  reads: true,
  ask: async (desk, { form, query }) => ({
    title: 'What if',
    section: 'what-if',
    head: { lead: 'May a person use an application, and what would happen?' },
    lead: html`<p class="quiet down">The same rules as in a real sign-in answer. Nothing is written, and no counter changes.${desk.may('what_if_exchange') ? html` ${link(desk, '/explain/what-if-exchange', 'May an application act for a person?')}` : ''}</p>`,
    fields: html`${pair(
      line({
        name: 'username',
        label: 'Person',
        value: form.username ?? query.username,
        hint: 'A username or an address',
        required: true,
      }),
      await applicationChoice(desk, {
        ...{ name: 'client_id', label: 'Application', value: form.client_id ?? query.client_id },
        ...{ none: '', hint: '', typed: 'Its client id' },
      }),
    )}${line({ name: 'scope', label: 'Scopes', note: 'optional', value: form.scope, hint: 'Separated by spaces; empty: all that the application may obtain' })}${detailsField(form.authorization_details)}`,
    verb: 'Try it',
    back: '/explain',
  }),
  async act(desk, { form: { username = '', client_id = '', scope, authorization_details } }) {
    const asked = { username: username.trim(), client_id: client_id.trim() }
    const { body } = await desk.ask('what_if', {
      body: { ...asked, ...(scope && { scope }), ...(authorization_details && { authorization_details }) },
    })
    const failed = body.rules.filter(({ passed }) => !passed)
    const [person, application] = await Promise.all([
      personName(desk, asked.username),
      applicationName(desk, asked.client_id),
    ])
    const panels = rulePanels(desk, { ...asked, person, application }, body.rules)
    return {
      title: `${person} ${body.allowed ? 'could use' : 'could not use'} ${application}`,
      section: 'what-if',
      head: {
        path: [['What if', '/explain/what-if']],
        actions: act(
          desk,
          { path: `/explain/what-if?${new URLSearchParams(asked).toString()}`, label: 'Try another' },
          'normal',
        ),
      },
      body: html`${body.allowed ? notice('good', html`${short(person)} would get in${body.asks_consent ? ', after agreeing' : ''}.`) : notice('bad', html`${short(person)} would be refused. ${String(failed.length)} of ${String(body.rules.length)} rules ${failed.length === 1 ? 'stands' : 'stand'} against it.`)}
${panels.against}
${wouldHappen(body)}
${panels.passed}`,
    }
  },
}

/** What the person would be asked, and what the application would get. */
function wouldHappen({ allowed, asks_consent, tokens }: WhatIfBody): Html | '' {
  if (!allowed || tokens === undefined) return ''
  const { format, expires_in, scope, authorization_details, audience } = tokens.access_token
  return html`${panel(
    { title: 'What would be asked' },
    steps([
      { kind: 'stays', says: 'The sign-in, as strong as the application demands' },
      {
        kind: 'stays',
        says: asks_consent
          ? 'Whether the application may have what it asks for'
          : 'Nothing else: no consent is due',
      },
    ]),
  )}
${panel(
  { title: 'What the application would get' },
  facts([
    [
      'Access token',
      `${format === 'jwt' ? 'one that APIs read by themselves' : 'one that is looked up'}, for ${durationWords(expires_in)}`,
    ],
    ['For', audience === undefined ? undefined : text(audience)],
    ['May', html`${chipsOf(scope)}${detailChips(authorization_details)}`],
    ['Refresh token', tokens.refresh_token ? 'yes' : 'no'],
  ]),
)}
${tokens.id_token === undefined ? '' : panel({ title: 'More' }, html`<details class="more"><summary>Claims about the person</summary><pre tabindex="0">${text(JSON.stringify(tokens.id_token, null, 2))}</pre></details>`)}`
}

export const WHAT_IF_ACTIONS: readonly ConsoleAction[] = [whatIf, WHAT_IF_EXCHANGE]
