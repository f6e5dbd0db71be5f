import type { AnswerOf, OperationName, RecordName } from '../admin/operations.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { type Desk, type OperationInput, paramsOf } from './desk.ts'
import { mistyped } from './mistyped.ts'
import type { ConsoleDoneName } from './pages/done.ts'
import { hidden, line } from './pages/fields.ts'
import { fill } from './place.ts'
import type { ConsoleAction, ConsoleRequest, Question, ShownPage } from './rows.ts'
import type { SectionName } from './sections.ts'

/** What an operator types before something is removed for good. */
interface Typed {
  /** "username": the last one of the path. */
  readonly what: string
  /** The operation that reads the record, which must be as it was when the form was shown. */
  readonly read: `read_${RecordName}`
}

/** What an action does: a row of the table of a room. */
export interface ActionRow<Name extends OperationName> {
  /** Below the console: `/people/:username/disable`. */
  readonly path: string
  /** The operation of the admin API, which has the parameters of the path. */
  readonly operation: Name
  readonly section: SectionName
  readonly title: (desk: Desk, given: ConsoleRequest) => string
  /** What will happen, in numbers. */
  readonly lead: (desk: Desk, given: ConsoleRequest) => Html | Promise<Html>
  readonly fields?: (desk: Desk, given: ConsoleRequest) => Html | Promise<Html>
  readonly typed?: Typed
  /** What the button says. */
  readonly verb: string
  /** Whether it cannot be taken back. */
  readonly is_danger?: true
  readonly reads?: true
  /** Where the operator came from, with parameters of the path. */
  readonly back: string
  /** Where the operator goes on; absent: back. */
  readonly to?: string
  /** What the operation is given besides the parameters. */
  readonly asks?: (given: ConsoleRequest) => Omit<OperationInput<Name>, 'params' | 'version'>
  readonly done?: ConsoleDoneName
  /** The number in what was done. */
  readonly count?: (body: AnswerOf<Name>) => number
  /** The action that takes it back, with parameters of the path. The record must still be as this one left it. */
  readonly undo?: string
  /** What is shown once instead of going on. */
  readonly shows?: (desk: Desk, given: ConsoleRequest, body: AnswerOf<Name>) => Omit<ShownPage, 'section'>
}

/** Returns the last name of the path. */
export const lastOf = ({ params }: ConsoleRequest): string => Object.values(params).at(-1) ?? ''

/** Returns the action of a row: the page that asks, and the form that acts. */
export function actionOf<const Name extends OperationName>(row: ActionRow<Name>): ConsoleAction {
  const { path, operation, section, verb, typed, undo, reads } = row
  return {
    path,
    operation,
    ...(reads && { reads }),
    async ask(desk, given): Promise<Question> {
      const [lead, fields, guard] = await Promise.all([
        row.lead(desk, given),
        row.fields?.(desk, given),
        typed && guardOf(desk, given, typed),
      ])
      return {
        title: row.title(desk, given),
        section,
        lead,
        fields: html`${guard ?? ''}${fields ?? ''}`,
        verb,
        is_danger: row.is_danger ?? false,
        back: fill(row.back, given.params),
      }
    },
    async act(desk, given) {
      const { form, params } = given
      if (typed !== undefined && form.typed !== lastOf(given)) throw mistyped(typed.what)
      const { body, version } = await desk.ask(operation, askedOf(row, given))
      if (row.shows !== undefined) return { section, ...row.shows(desk, given, body) }
      const count = row.count?.(body)
      return {
        to: fill(row.to ?? row.back, params),
        done: row.done ?? 'saved',
        ...(count !== undefined && { count }),
        ...(undo !== undefined &&
          version !== '' && { undo: { path: fill(undo, params), fields: { version } } }),
      }
    },
  }
}

function askedOf<Name extends OperationName>(
  { operation, asks }: ActionRow<Name>,
  given: ConsoleRequest,
): OperationInput<Name> {
  const { form, params } = given
  const version = form.version && { version: form.version }
  return {
    ...asks?.(given),
    params: paramsOf(operation, params),
    ...version,
  } as unknown as OperationInput<Name>
}

/** The field in which a name is typed, and the version of the record. */
async function guardOf(desk: Desk, { params }: ConsoleRequest, { what, read }: Typed): Promise<Html> {
  const { version } = await desk.ask(read, { params: paramsOf(read, params) })
  const hint = 'So that nothing is removed by mistake'
  return html`${hidden('version', version)}${line({ name: 'typed', label: `Type the ${what}`, hint, required: true })}`
}
