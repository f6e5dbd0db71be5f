import type { FieldDifference } from '../admin/operation/difference.ts'
import type { ShownFinding } from '../admin/operation/findings.ts'
import { invalidField } from '../admin/operation/problem.ts'
import type { RecordName } from '../admin/operations.ts'
import { type Html, html } from '../pages/html.ts'
import { lastOf } from './action.ts'
import { adviceList } from './advice.ts'
import { type Desk, paramsOf } from './desk.ts'
import { difference } from './pages/consequence.ts'
import { choice, hidden, line, lines } from './pages/fields.ts'
import { table, text } from './pages/parts.ts'
import { fill } from './place.ts'
import {
  type FormField,
  fieldsOf,
  labelOf,
  lineEnds,
  patchOf,
  readTexts,
  rebased,
  type Texts,
  textsOf,
} from './record-form.ts'
import type { ConsoleAction, ConsoleRequest, Head } from './rows.ts'
import { SECTIONS, type SectionName } from './sections.ts'

/** A kind of record that operators edit. */
export interface Edited {
  readonly section: SectionName
  /** "application" */
  readonly noun: string
  /** The path of the page of one, below the console, with its parameter. */
  readonly path: `/${string}/:${string}`
  /** As in the names of the operations that read and change it. */
  readonly record: RecordName
  /** How the form looks. */
  readonly form: EditForm
  /** What one is called; absent: by its id. */
  readonly called?: (record: Readonly<Record<string, unknown>>) => string
}

/** A form whose fields are not those of the record one by one. */
export interface EditForm {
  /** Returns the texts of the fields of the record that the form sent. @param before as the form showed them */
  read(form: Texts, before: Texts, fields: readonly FormField[]): Texts
  /**
   * Returns the panels of the form.
   * @param top what the first of them begins with
   * @throws AdminError; StorageUnavailable
   */
  show(desk: Desk, fields: readonly FormField[], typed: Texts, top?: Html, form?: Texts): Promise<Html>
  /** Whether the form asks something before it goes on: it comes again with the answer; absent: it never does. */
  asksAgain?(form: Texts): boolean
  /** Returns what stands beside the form; absent: nothing. @throws AdminError; StorageUnavailable */
  beside?(desk: Desk, given: ConsoleRequest): Promise<Html>
}

/** Returns the path of the page of a record. */
const pathOf = ({ path }: Pick<Edited, 'path'>, { params }: ConsoleRequest): string => fill(path, params)

/** The pages above a form. @param name what the record is called */
function headOf({ section, path }: Edited, given: ConsoleRequest, name: string): Head {
  const known = SECTIONS[section as keyof typeof SECTIONS]
  return { path: [[known.title, known.path], [name, fill(path, given.params)], ['Edit']] }
}

/** Returns the action that edits a record: the form, then the difference, and then the change. */
export function editAction(edited: Edited): ConsoleAction {
  const read = `read_${edited.record}` as const
  const change = `change_${edited.record}` as const
  // Nothing can have another id.
  const fields = fieldsOf(change).filter(({ name }) => !edited.path.endsWith(`:${name}`))
  const readTyped = (form: Texts): Texts =>
    form.step === 'save' ? readTexts(form.typed) : edited.form.read(form, readTexts(form.before), fields)
  const calledIn = (given: ConsoleRequest, record: Readonly<Record<string, unknown>>) =>
    edited.called?.({ ...record, ...given.params }) || lastOf(given)
  const action: ConsoleAction = {
    path: `${edited.path}/edit`,
    operation: change,
    async ask(desk, given) {
      const { body, version } = await desk.ask(read, { params: paramsOf(read, given.params) })
      const now = textsOf(fields, body)
      const { before, step } = given.form
      const typed = step === undefined ? now : rebased(fields, readTexts(before), readTyped(given.form), now)
      return {
        title: `Edit ${calledIn(given, body)}`,
        section: edited.section,
        head: headOf(edited, given, calledIn(given, body)),
        lead: html`<p class="lead">Nothing is saved yet: the next page shows what would change.</p>`,
        fields: html`${hidden('step', 'preview')}${hidden('version', version)}${hidden('before', JSON.stringify(now))}`,
        panels: await edited.form.show(desk, fields, typed, undefined, given.form),
        ...(edited.form.asksAgain && { has_other_buttons: true as const }),
        ...(edited.form.beside && { aside: await edited.form.beside(desk, given) }),
        verb: 'Review the change',
        back: pathOf(edited, given),
      }
    },
    async act(desk, given) {
      const { form } = given
      if (form.step !== 'save' && edited.form.asksAgain?.(form))
        return { next: await action.ask(desk, given) }
      if (form.edit !== undefined) return { next: await action.ask(desk, given) }
      const params = paramsOf(change, given.params)
      const { version, before: shown } = form
      const before = readTexts(shown)
      const typed = readTyped(form)
      const body = patchOf(fields, before, typed)
      if (Object.keys(body).length === 0) throw invalidField('', 'Nothing would change.')
      if (form.step === 'save') {
        const { version: written } = await desk.ask(change, { params, body, version })
        const fields = takenBack(before, typed, Object.keys(body), written)
        return {
          to: pathOf(edited, given),
          done: 'saved',
          undo: { path: `${pathOf(edited, given)}/edit`, fields },
        }
      }
      const [planned, { body: record }] = await Promise.all([
        desk.plan(change, { params, body, version }),
        desk.ask(read, { params: paramsOf(read, given.params) }),
      ])
      const kept = Object.fromEntries(fields.map(({ name }) => [name, typed[name] ?? '']))
      return {
        next: {
          title: `Save this change to ${calledIn(given, record)}?`,
          section: edited.section,
          head: headOf(edited, given, calledIn(given, record)),
          top: differences(edited.record, planned.difference),
          lead: planned.findings === undefined ? html`` : adviceFor(edited.record, planned.findings),
          fields: html`${hidden('step', 'save')}${hidden('version', version ?? '')}${hidden('before', shown ?? '')}
${hidden('typed', JSON.stringify(kept))}`,
          verb: 'Save',
          buttons: html`
<button name="edit" value="again">Go on editing</button>`,
          back: pathOf(edited, given),
        },
      }
    },
    meanwhile: (desk, given) => meanwhile(desk, edited, fields, given),
  }
  return action
}

/** The form that gives the changed fields the texts that they had. */
function takenBack(before: Texts, typed: Texts, names: readonly string[], version: string) {
  const only = (texts: Texts) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, lineEnds(texts[name] ?? '')])))
  return { step: 'save', version, before: only(typed), typed: only(before) }
}

async function meanwhile(
  desk: Desk,
  edited: Edited,
  fields: readonly FormField[],
  given: ConsoleRequest,
): Promise<Html> {
  const read = `read_${edited.record}` as const
  const { body } = await desk.ask(read, { params: paramsOf(read, given.params) })
  const [before, now] = [readTexts(given.form.before), textsOf(fields, body)]
  const changed = fields.filter(({ name }) => (before[name] ?? '') !== now[name])
  return table(
    'What changed meanwhile',
    ['Field', 'When you opened the form', 'Now'],
    changed.map(({ name }) => [
      fieldWords(edited.record, name),
      text(before[name] ?? ''),
      text(now[name] ?? ''),
    ]),
    'Only what redmint notes itself changed.',
  )
}

/** Differences between two states of a record. */
const differences = (record: RecordName, found: readonly FieldDifference[]): Html =>
  found.length === 0
    ? html`<div class="inside"><p>Nothing changes.</p></div>`
    : difference(
        found.map(({ field, from, to }) => ({
          label: labelOf(record, field),
          field,
          from: text(from ?? ''),
          to: text(to ?? ''),
        })),
      )

/** A field in words, with what scripts call it. */
function fieldWords(record: RecordName, field: string): Html {
  const label = labelOf(record, field)
  return html`${label}${label === field ? '' : html`<br><code class="quiet">${field}</code>`}`
}

/** What lint says of a record. */
const adviceFor = (record: RecordName, found: readonly ShownFinding[]): Html =>
  found.length === 0
    ? html`<p class="quiet">No advice.</p>`
    : html`<p><b>Advice</b></p>
${adviceList(record, found)}`

/** The fields of a record in a form: the first ones open, the others folded. */
export function recordFields(fields: readonly FormField[], typed: Texts, first: readonly string[]): Html {
  const known = first.flatMap((name) => fields.find((field) => field.name === name) ?? [])
  const others = fields.filter(({ name }) => !first.includes(name))
  const folded =
    others.length === 0
      ? ''
      : html`<details class="more"><summary>More settings</summary>
${others.map((field) => fieldOf(field, typed[field.name]))}</details>`
  return html`${known.map((field) => fieldOf(field, typed[field.name]))}${folded}`
}

const fieldOf = (field: FormField, value: string | undefined): Html => fieldInput(field, value)

/** A field of a record in a form. @param said what it says instead of what the documentation says */
export function fieldInput(
  { name, label, kind, choices, choice_labels = {}, hint }: FormField,
  value: string | undefined,
  said: { readonly hint?: string | undefined; readonly placeholder?: string } = {},
): Html {
  const named = { name, label, hint, field: name, ...said }
  // What was typed unseen is not given back.
  if (kind === 'secret') return line(named, 'password')
  const field = { ...named, value }
  if (kind === 'flag')
    return choice(field, [
      ['', 'as usual'],
      ['true', 'yes'],
      ['false', 'no'],
    ])
  if (choices !== undefined && kind !== 'list')
    return choice(field, [
      ['', 'as usual'],
      ...choices.map((one) => [one, choice_labels[one] ?? one] as const),
    ])
  return kind === 'list' || kind === 'object' ? lines(field) : line(field)
}
