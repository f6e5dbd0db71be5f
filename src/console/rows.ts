import type { OperationName } from '../admin/operations.ts'
import type { AdminScope } from '../core/admin-scopes.ts'
import type { Html } from '../pages/html.ts'
import type { Desk } from './desk.ts'
import type { ConsoleDoneName } from './pages/done.ts'
import type { SectionName } from './sections.ts'

/** What a page or an action is asked with. */
export interface ConsoleRequest {
  /** The parts of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The query of the address. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** What was typed into the form; empty if it was not sent. */
  readonly form: Readonly<Record<string, string | undefined>>
}

/** What is around the title of a page. */
export interface Head {
  /** The pages above, and the last names this one; a path below the console for each that can be opened. */
  readonly path?: readonly (readonly [label: string, path?: string])[]
  /** A picture or initials. */
  readonly mark?: Html
  /** A count or a state beside the title. */
  readonly beside?: Html | ''
  /** One line below the title. */
  readonly lead?: Html | string
  /** Buttons; the one that the page is for comes last. */
  readonly actions?: Html | ''
}

/** A page as it is shown. */
export interface ShownPage {
  readonly title: string
  readonly head?: Head
  readonly section: SectionName
  /** What is below the title. */
  readonly body: Html
  /** Absent: 200. */
  readonly status?: number
}

/** A page that reads. */
export interface ConsolePage {
  /** Below the console: `/people/:username`. */
  readonly path: string
  /** The operation whose right the page needs; absent: it shows what the operator may see. */
  readonly operation?: OperationName
  /** The right that it needs, where no operation says it. */
  readonly scope?: AdminScope
  /** @throws AdminError; StorageUnavailable */
  show(desk: Desk, given: ConsoleRequest): Promise<ShownPage | Moved>
}

/** The page is another one: a path below the console. */
export interface Moved {
  readonly to: string
}

/** What an action says before it acts. */
export interface Question {
  readonly title: string
  readonly head?: Head
  readonly section: SectionName
  /** What is at the top of the panel, as wide as it is: consequences, steps, differences. */
  readonly top?: Html
  /** What will happen, in numbers. */
  readonly lead: Html
  /** The fields of the form; hidden ones too. */
  readonly fields?: Html
  /** Panels of the form, if one is not enough for its fields. */
  readonly panels?: Html
  /** Ways on instead of a form: pages that ask. */
  readonly ways?: Html
  /** What stands beside the form. */
  readonly aside?: Html
  /** Whether its fields have buttons of their own: Enter in a field presses the main one all the same. */
  readonly has_other_buttons?: true
  /** What the button says. */
  readonly verb: string
  /** Whether it cannot be taken back. */
  readonly is_danger?: boolean
  /** Other buttons of the form, after the main one. */
  readonly buttons?: Html
  /** Where the operator came from: a path below the console. */
  readonly back: string
}

/** The form that takes back what was done. */
export interface Undo {
  /** Of an action, below the console. */
  readonly path: string
  /** Its fields; the version of the record that was just written among them. */
  readonly fields: Readonly<Record<string, string>>
}

/** What an action did: a page says so, or shows what is shown once. Or what it asks next, before it does anything. */
export type ConsoleOutcome =
  | {
      readonly to: string
      readonly done: ConsoleDoneName
      readonly count?: number
      /** How it is taken back. */
      readonly undo?: Undo
    }
  | ShownPage
  | { readonly next: Question }
  /** Another page: a path below the console. */
  | { readonly go: string }

/** Something that an operator does: a page that asks, and a form that acts. */
export interface ConsoleAction {
  /** Below the console: `/people/:username/disable`. */
  readonly path: string
  /** The operation that it does; absent: it shows what the operator may see. */
  readonly operation?: OperationName
  /** Whether it only reads: then nobody has to confirm who it is. */
  readonly reads?: true
  /** @throws AdminError; StorageUnavailable */
  ask(desk: Desk, given: ConsoleRequest): Promise<Question>
  /** @throws AdminError; StorageUnavailable */
  act(desk: Desk, given: ConsoleRequest): Promise<ConsoleOutcome>
  /** What the page says if the record changed since the form was shown; absent: only that it did. */
  meanwhile?(desk: Desk, given: ConsoleRequest): Promise<Html>
}
