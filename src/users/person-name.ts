import { visibleNameProblem } from '../core/visible-text.ts'

/** How long a name is that a person writes, in characters: pages and mails show it to others. */
const MAX_CHARACTERS = 100
// Of a text that is put into its form: more cannot be a name, and is not looked at.
const MAX_TYPED = 1000

/**
 * Reads what a person typed as a name, with single spaces. Empty: no name.
 * @returns undefined: nobody could read it, or it would change the text around it
 */
export function readPersonName(typed: string): string | undefined {
  if (typed.length > MAX_TYPED || !typed.isWellFormed()) return undefined
  // Not of every white space: a line break is refused.
  const name = typed.replace(/ +/g, ' ').trim().normalize('NFC')
  if (name === '') return ''
  return [...name].length > MAX_CHARACTERS || visibleNameProblem(name) !== undefined ? undefined : name
}
