import type { WhatIfBody } from '../../admin/explanations.ts'
import type { Reason, RequestStep } from '../../core/reasons.ts'
import { STEP_WORDS } from '../../explain/step-words.ts'
import { textOf } from '../../explain/texts.ts'
import { titleOf } from '../../explain/titles.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { type Step, steps } from '../pages/consequence.ts'
import { panel } from '../pages/panel.ts'
import { at, text } from '../pages/parts.ts'

type Rule = WhatIfBody['rules'][number]

/** Whom it was asked about, and what people call the two. */
interface Called {
  readonly username: string
  readonly client_id: string
  readonly person: string
  readonly application: string
}

/** The rules that stand against what was asked, each with where it is mended, and the rules that passed. */
export function rulePanels(desk: Desk, asked: Called, rules: readonly Rule[]) {
  const failed = rules.filter(({ passed }) => !passed)
  return {
    against:
      failed.length === 0
        ? ''
        : panel({ title: 'What stands against it' }, steps(failed.map((rule) => against(desk, asked, rule)))),
    passed: passedRules(rules.filter(({ passed }) => passed)),
  }
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

const passedRules = (rules: readonly Rule[]): Html | '' =>
  rules.length === 0
    ? ''
    : panel(
        { title: 'The rest' },
        html`<details class="more"><summary>${String(rules.length)} rules that passed</summary>${steps(rules.flatMap(({ rule }) => (Object.hasOwn(STEP_WORDS, rule) ? [{ kind: 'stays' as const, says: STEP_WORDS[rule as RequestStep] }] : [])))}</details>`,
      )
