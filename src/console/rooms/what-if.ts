import type { WhatIfBody } from '../../admin/explanations.ts'
import type { Reason, RequestStep } from '../../core/reasons.ts'
import { STEP_WORDS } from '../../explain/step-words.ts'
import { textOf } from '../../explain/texts.ts'
import { titleOf } from '../../explain/titles.ts'
import { type Html, html } from '../../pages/html.ts'
import { applicationName, personName } from '../called.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { type Step, steps } from '../pages/consequence.ts'
import { line, pair } from '../pages/fields.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { at, chipsOf, durationWords, facts, short, text } from '../pages/parts.ts'
import type { ConsoleAction } from '../rows.ts'
import { applicationChoice } from './application-choice.ts'

type Rule = WhatIfBody['rules'][number]
interface Asked {
  readonly username: string
  readonly client_id: string
}

/** With what people call the two. */
interface Called extends Asked {
  readonly person: string
  readonly application: string
}

/** Asks the rules of a sign-in; it writes nothing, so nobody has to confirm who it is. */
const whatIf: ConsoleAction = {
  path: '/explain/what-if',
  operation: 'what_if',
  reads: true,
  ask: async (desk, { form, query }) => ({
    title: 'What if',
    section: 'what-if',
    head: { lead: 'May a person use an application, and what would happen?' },
    lead: html`<p class="quiet down">The same rules as in a real sign-in answer. Nothing is written, and no counter changes.</p>`,
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
    )}${line({ name: 'scope', label: 'Scopes', note: 'optional', value: form.scope, hint: 'Separated by spaces; empty: all that the application may obtain' })}`,
    verb: 'Try it',
    back: '/explain',
  }),
  async act(desk, { form: { username = '', client_id = '', scope } }) {
    const asked = { username: username.trim(), client_id: client_id.trim() }
    const { body } = await desk.ask('what_if', { body: { ...asked, ...(scope && { scope }) } })
    const failed = body.rules.filter(({ passed }) => !passed)
    const [person, application] = await Promise.all([
      personName(desk, asked.username),
      applicationName(desk, asked.client_id),
    ])
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
${failed.length === 0 ? '' : panel({ title: 'What stands against it' }, steps(failed.map((rule) => against(desk, { ...asked, person, application }, rule))))}
${wouldHappen(body)}
${passedRules(body.rules.filter(({ passed }) => passed))}`,
    }
  },
}

/** A rule that fails: what it says, what there is, and where it is mended. */
function against(desk: Desk, asked: Called, { reason, received = {}, expected = {} }: Rule): Step {
  const known = reason as Reason
  const { advice } = textOf(known, 'en')
  const of_groups = known === 'access_by_group'
  const compared = [...sayAll('There is', received), ...sayAll('Should be', expected)]
  const buttons = html`${act(desk, { path: at`/people/${asked.username}`, label: 'Open the person', operation: 'read_user' })}${of_groups || known.startsWith('user_') ? '' : act(desk, { path: at`/applications/${asked.client_id}`, label: 'Open the application', operation: 'read_client' })}${of_groups ? act(desk, { path: at`/applications/${asked.client_id}/edit`, label: 'Change who may', operation: 'change_client' }) : ''}`
  return {
    kind: 'stops',
    says: html`<b>${text(titleOf(known, { client: asked.application, person: asked.person }))}</b><br>${text(advice)}${compared.map((one) => html`<br><small class="quiet">${one}</small>`)}`,
    actions: buttons,
  }
}

const sayAll = (words: string, found: Readonly<Record<string, unknown>>): Html[] =>
  Object.entries(found).map(
    ([name, value]) => html`${words}: ${text([value].flat().join(', ') || 'none')} (<code>${name}</code>)`,
  )

/** What the person would be asked, and what the application would get. */
function wouldHappen({ allowed, asks_consent, tokens }: WhatIfBody): Html | '' {
  if (!allowed || tokens === undefined) return ''
  const { format, expires_in, scope, audience } = tokens.access_token
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
    ['May', chipsOf(scope)],
    ['Refresh token', tokens.refresh_token ? 'yes' : 'no'],
  ]),
)}
${tokens.id_token === undefined ? '' : panel({ title: 'More' }, html`<details class="more"><summary>Claims about the person</summary><pre tabindex="0">${text(JSON.stringify(tokens.id_token, null, 2))}</pre></details>`)}`
}

const passedRules = (rules: readonly Rule[]): Html | '' =>
  rules.length === 0
    ? ''
    : panel(
        { title: 'The rest' },
        html`<details class="more"><summary>${String(rules.length)} rules that passed</summary>${steps(rules.flatMap(({ rule }) => (Object.hasOwn(STEP_WORDS, rule) ? [{ kind: 'stays' as const, says: STEP_WORDS[rule as RequestStep] }] : [])))}</details>`,
      )

export const WHAT_IF_ACTIONS: readonly ConsoleAction[] = [whatIf]
