import type { RecordName } from '../../admin/operations.ts'

import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { act, dangerZone } from '../pages/actions.ts'
import { chipList } from '../pages/chips.ts'
import { panel, rows } from '../pages/panel.ts'
import {
  at,
  durationWords,
  type Fact,
  facts,
  link,
  oddState,
  type RecordProblem,
  short,
  stateBadge,
  text,
  wrongs,
} from '../pages/parts.ts'
import { choiceWords, labelOf } from '../record-form.ts'
import { adviceOf } from './application-advice.ts'
import { kindLabel, kindMark, kindOf, type ShownClient } from './application-kind.ts'
import type { SimpleId } from './record-forms.ts'

/** What a reading of a plain record says of it. */
interface Judged {
  readonly state: unknown
  readonly problems?: readonly RecordProblem[]
  readonly managed_by?: unknown
}

const SECONDS = /_ttl$|^max_lifetime$|^clock_skew$/

/** A field of a record in words; left out if the record has none. @param absent what it means that there is none */
export function fieldFact(
  record: RecordName,
  shown: Readonly<Record<string, unknown>>,
  name: string,
  absent?: Html | string,
): Fact {
  // Those of seconds say so; here is the unit.
  const label = labelOf(record, name).replace(/ \(seconds\)$/, '')
  const value = shown[name]
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [label, absent]
  return [label, inWords(record, name, value)]
}

function inWords(record: RecordName, name: string, value: unknown): Html | string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return chipList(value.map((one) => choiceWords(record, name, String(one))))
  if (typeof value === 'number' && SECONDS.test(name)) return durationWords(value)
  return typeof value === 'string' ? text(choiceWords(record, name, value)) : text(value)
}

/** What is stored in a malformed record, as it is. */
export const storedFacts = (record: RecordName, fields: Readonly<Record<string, string>> = {}): Fact[] =>
  Object.entries(fields).map(([name, value]) => [labelOf(record, name), text(value)])

/** What declares a record; undefined: no file does. */
const declaredBy = (managed_by: unknown): Html | undefined =>
  managed_by === undefined ? undefined : html`the file ${text(managed_by)}: change it there`

/** So many applications are looked at: there are seldom more. */
const LOOKED_AT = '200'
const SHOWN = 10

/**
 * The applications that a record is about; empty: the operator may not see them.
 * @param none what it says if there are none
 */
export async function applicationsPanel(
  desk: Desk,
  title: string,
  isMeant: (one: ShownClient) => boolean,
  none: string,
): Promise<Html | ''> {
  if (!desk.may('list_clients')) return ''
  const { body } = await desk.ask('list_clients', { query: { limit: LOOKED_AT } })
  const found = body.items.filter(isMeant)
  const rest = found.length - SHOWN
  const others = [
    ...(rest > 0 ? [`and ${String(rest)} more`] : []),
    ...(body.next === undefined ? [] : [`of the first ${LOOKED_AT} applications`]),
  ]
  const foot = others.length === 0 ? '' : html`<span>${others.join(', ')}</span>`
  if (found.length === 0) return panel({ title, foot }, html`<p class="empty">${none}</p>`)
  return panel(
    { title, count: String(found.length), foot },
    rows(
      found.slice(0, SHOWN).map((one) => ({
        mark: kindMark(kindOf(one)),
        name: link(desk, at`/applications/${one.client_id}`, short(one.client_name || one.client_id)),
        state: oddState(one.state),
        detail: short(one.client_id),
        action: html`<span class="quiet">${kindLabel(kindOf(one))}</span>`,
      })),
    ),
  )
}

/** What stands beside a plain record: what it is, and what to mend. @param own facts of its kind */
export const besideRecord = (
  record: SimpleId,
  own: readonly Fact[],
  { state, problems, managed_by }: Judged,
  found: Parameters<typeof adviceOf>[0],
): Html => html`<aside aria-label="About it">
${panel(
  { title: 'Facts' },
  facts(
    [
      ...own,
      ['State', stateBadge(state)],
      ['What is wrong', wrongs(problems)],
      ['Managed by', declaredBy(managed_by)],
    ],
    'above',
  ),
)}${adviceOf(found, record)}</aside>`

/** How many there are, if all of them are shown. */
export const countOf = (count: number, next: string | undefined, cursor?: string, q?: string) =>
  next !== undefined || cursor || q ? '' : html`<span class="count">${String(count)}</span>`

/** The button that adds one, in an empty list the one thing to do. */
export const addButton = (
  desk: Desk,
  path: string,
  label: string,
  operation: `create_${SimpleId}`,
): Html | '' => act(desk, { path: `${path}/new`, label, operation, icon: 'plus', is_main: true }, 'normal')

/** What removes one, last on its page. */
export const removal = (desk: Desk, path: string, operation: `delete_${SimpleId}`, does: string): Html | '' =>
  dangerZone(desk, [{ path: `${path}/remove`, label: 'Remove', operation, does }])
