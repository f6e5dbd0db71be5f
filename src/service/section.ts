import type { AdminScope } from '../core/admin-scopes.ts'
import type { Html } from '../pages/html.ts'

/** The groups of the side bar of the console, in their order. */
export const SECTION_GROUPS = ['Accounts', 'Connections', 'Answers', 'Server'] as const
export type SectionGroup = (typeof SECTION_GROUPS)[number]

/** A section of the console that a room brings: one page, which reads. */
export interface ConsoleSection {
  /** Below the console. */
  readonly path: `/rooms/${string}`
  readonly title: string
  /** Where the side bar has it; absent: `Server`. */
  readonly group?: SectionGroup
  /** The right that it takes to see it. */
  readonly scope: AdminScope
  /** Returns what is below the title. @param query that of the address */
  show(query: Readonly<Record<string, string | undefined>>): Promise<Html>
}
