import { type Html, html } from '../pages/html.ts'
import { type EditForm, fieldInput } from './edit.ts'
import { cardChoice } from './pages/cards.ts'
import { choice, more } from './pages/fields.ts'
import { panel } from './pages/panel.ts'
import { code } from './pages/parts.ts'
import { type FormField, lineEnds, type Texts } from './record-form.ts'

/** A field of a form, in the words of people. */
export interface ShownField {
  readonly name: string
  /** What people call it, if the table of the record does not know it. */
  readonly label?: string
  /** What stands below it. */
  readonly hint?: string
  readonly placeholder?: string
  /** What the choice says that leaves it to something else; absent: one of the words has to be chosen. */
  readonly usual?: string
  /** The word of the choice that is chosen if nothing is. */
  readonly first?: string
  /** What is below each choice; then the choices are cards. */
  readonly cards?: Readonly<Record<string, string>>
}

/** Fields that belong together. */
export interface FormPart {
  readonly title: string
  readonly fields: readonly ShownField[]
}

/**
 * Returns a form of a record in parts, with its seldom fields folded at the end. A field of the record that no part names is
 * among the seldom ones.
 */
export function formOfParts(parts: readonly FormPart[], seldom: readonly ShownField[] = []): EditForm {
  const shown = new Map([...parts.flatMap((part) => part.fields), ...seldom].map((one) => [one.name, one]))
  const in_parts = new Set(parts.flatMap((part) => part.fields.map(({ name }) => name)))
  return {
    read: (form, before, fields) =>
      Object.fromEntries(
        fields.map((field) => {
          const typed = readField(field, form, before[field.name])
          // A choice that is there without being made is none.
          const is_first = !before[field.name] && typed === shown.get(field.name)?.first
          return [field.name, is_first ? before[field.name] : typed]
        }),
      ),
    async show(_desk, fields, typed, top) {
      const inputOf = (name: string): Html | '' => {
        const field = fields.find((one) => one.name === name)
        return field === undefined ? '' : input(field, shown.get(name) ?? { name }, typed[name])
      }
      const others = fields.filter(({ name }) => !in_parts.has(name))
      const panels = parts.map(({ title, fields: members }, i) =>
        panel(
          { title },
          html`<div class="inside">${i === 0 ? (top ?? '') : ''}${members.map(({ name }) => inputOf(name))}</div>`,
        ),
      )
      const folded =
        others.length === 0
          ? ''
          : panel(
              { title: 'More settings' },
              html`<div class="inside">${more(
                others.length === 1
                  ? '1 setting that is seldom needed'
                  : `${String(others.length)} settings that are seldom needed`,
                html`${others.map(({ name }) => inputOf(name))}`,
              )}</div>`,
            )
      return html`${panels}${folded}`
    },
  }
}

/** Whether it is a box for each of its words. */
const hasBoxes = ({ kind, choices }: FormField) => kind === 'list' && choices !== undefined

function input(field: FormField, shown: ShownField, value = ''): Html {
  const { name, kind, choices = [], choice_labels = {} } = field
  const { label = field.label, hint, usual, first = '', cards, placeholder } = shown
  const legend = html`${label} ${code(name)}`
  if (kind === 'flag')
    return html`<div class="field"><label class="tick"><input type="checkbox" name="${name}" value="true"${value === 'true' ? html` checked` : ''}><span>${label} <code class="quiet">${name}</code>${hint === undefined ? '' : html`<small>${hint}</small>`}</span></label></div>
`
  if (hasBoxes(field)) {
    const chosen = entriesOf(value)
    return html`<fieldset class="field"><legend>${legend}</legend>
<div class="chips">
${choices.map((one) => html`<label class="chip"><input type="checkbox" name="${name}[]" value="${one}"${chosen.includes(one) ? html` checked` : ''}>${choice_labels[one] ?? one}</label>\n`)}</div>
${hint === undefined ? '' : html`<p class="hint">${hint}</p>\n`}</fieldset>
`
  }
  if (choices.length === 0)
    return fieldInput({ ...field, label }, value, { hint, ...(placeholder && { placeholder }) })
  const words = [
    ...(usual === undefined ? [] : [['', usual] as const]),
    ...choices.map((one) => [one, choice_labels[one] ?? one] as const),
  ]
  const chosen = value === '' ? first : value
  if (cards === undefined)
    return choice({ name, label, field: name, value: chosen, ...(hint && { hint }) }, words)
  return cardChoice(
    legend,
    name,
    words.map(([one, words_of_it]) => ({
      value: one,
      label: words_of_it,
      ...(cards[one] && { detail: cards[one] }),
    })),
    chosen,
  )
}

const entriesOf = (text: string): string[] =>
  lineEnds(text)
    .split('\n')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** Returns the text of a field of the record: a box that is not ticked sends nothing. */
function readField(field: FormField, form: Texts, before = ''): string | undefined {
  const sent = form[field.name]
  if (field.kind === 'flag') return sent === 'true' ? 'true' : before === 'true' ? 'false' : before
  if (!hasBoxes(field)) return sent
  const chosen = entriesOf(sent ?? '')
  const former = entriesOf(before)
  const is_same = chosen.length === former.length && chosen.every((one) => former.includes(one))
  return is_same ? before : chosen.join('\n')
}
