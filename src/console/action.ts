import type { AnswerOf, OperationName, RecordName } from '../admin/operations.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { type Desk, type OperationInput, paramsOf } from './desk.ts'
import { mistyped } from './mistyped.ts'
import type { ConsoleDoneName } from './pages/done.ts'
import { hidden, line } from './pages/fields.ts'
import { fill } from './place.ts'
import type { ConsoleAction, ConsoleRequest, Head, Question, ShownPage } from './rows.ts'
import { SECTIONS, type SectionName } from './sections.ts'

/** What an operator types before something is removed for good. */
interface Typed {
  /** "username": the last one of the path. */
  readonly what: string
  /** The operation that reads the record, which must be as it was when the form was shown. */
  readonly read: `read_${RecordName}`
}

/** What an action is about. */
export interface Subject {
  /** What people call it. */
  readonly name: string
  /** Its page, below the console. */
  readonly path: string
  /** A picture or initials. */
  readonly mark?: Html
  /** What tells it from others of the same name. */
  readonly lead?: Html | string
  /** The ETag of its record; absent: nobody read it. */
  readonly version?: string
}

/** What an action does: a row of the table of a room. */
export interface ActionRow<Name extends OperationName, About extends Subject = Subject> {
  /** Below the console: `/people/:username/disable`. */
  readonly path: string
  /** The operation of the admin API, which has the parameters of the path. */
  readonly operation: Name
  readonly section: SectionName
  /** Reads what it is about; absent: the last name of the path. @throws AdminError; StorageUnavailable */
  readonly about?: (desk: Desk, given: ConsoleRequest) => About | Promise<About>
  readonly title: (desk: Desk, given: ConsoleRequest, about: About) => string
  /** What will happen: numbers, and what ends and what stays. */
  readonly top?: (desk: Desk, given: ConsoleRequest, about: About) => Html | Promise<Html>
  /** The same as sentences. */
  readonly lead?: (desk: Desk, given: ConsoleRequest) => Html | Promise<Html>
  readonly fields?: (desk: Desk, given: ConsoleRequest, about: About) => Html | Promise<Html>
  readonly typed?: Typed
  /** What the button says. */
  readonly verb: string
  /** Whether the button says the name besides. */
  readonly is_named?: true
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
  readonly shows?: (
    desk: Desk,
    given: ConsoleRequest,
    body: AnswerOf<Name>,
  ) => Omit<ShownPage, 'section'> | Promise<Omit<ShownPage, 'section'>>
}

/** Returns the last name of the path. */
export const lastOf = ({ params }: ConsoleRequest): string => Object.values(params).at(-1) ?? ''

/** Returns the action of a row: the page that asks, and the form that acts. */
export function actionOf<const Name extends OperationName, About extends Subject = Subject>(
  row: ActionRow<Name, About>,
): ConsoleAction {
  const { path, operation, section, verb, typed, undo, reads } = row
  return {
    path,
    operation,
    ...(reads && { reads }),
    async ask(desk, given): Promise<Question> {
      const back = fill(row.back, given.params)
      // A row without it takes any.
      const about = (await row.about?.(desk, given)) ?? ({ name: lastOf(given), path: back } as About)
      const [top, lead, fields, guard] = await Promise.all([
        row.top?.(desk, given, about),
        row.lead?.(desk, given),
        row.fields?.(desk, given, about),
        typed && guardOf(desk, given, typed, about),
      ])
      return {
        title: row.title(desk, given, about),
        section,
        ...(row.about && { head: headOf(row, about) }),
        ...(top && { top }),
        lead: lead ?? html``,
        fields: html`${guard ?? ''}${fields ?? ''}`,
        verb: row.is_named ? `${verb} ${cut(about.name)}` : verb,
        is_danger: row.is_danger ?? false,
        back,
      }
    },
    async act(desk, given) {
      const { form, params } = given
      if (typed !== undefined && form.typed !== lastOf(given)) throw mistyped(typed.what)
      const { body, version } = await desk.ask(operation, askedOf(row, given))
      if (row.shows !== undefined) return { section, ...(await row.shows(desk, given, body)) }
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

/** How long a name on a button is. */
const MAX_NAME = 40
const cut = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

function headOf({ section, verb }: Pick<ActionRow<never>, 'section' | 'verb'>, about: Subject): Head {
  const { name, path, mark, lead } = about
  const { title, path: list } = SECTIONS[section as keyof typeof SECTIONS]
  return {
    path: [[title, list], [name, path], [verb]],
    ...(mark && { mark }),
    ...(lead && { lead }),
  }
}

function askedOf<Name extends OperationName, About extends Subject>(
  { operation, asks }: ActionRow<Name, About>,
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
async function guardOf(
  desk: Desk,
  given: ConsoleRequest,
  { what, read }: Typed,
  about: Pick<Subject, 'version'>,
): Promise<Html> {
  const { params } = given
  const version = about.version ?? (await desk.ask(read, { params: paramsOf(read, params) })).version
  const hint = `${lastOf(given)}: so that nothing is removed by mistake`
  return html`${hidden('version', version)}${line({ name: 'typed', label: `Type the ${what}`, hint, required: true })}`
}
