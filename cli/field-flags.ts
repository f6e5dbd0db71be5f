import { type Command, InvalidArgumentError, Option } from 'commander'
import { encodeName, type Field, type Flag, type FlagGroup } from '../src/core/field-kinds.ts'
import type { FieldTable } from '../src/core/field-table.ts'
import { camelCase, collect, collectWords } from './command.ts'
import { nothingToChange, Refusal } from './errors.ts'

/** The options of a command as commander parses them: names in camel case, and values. */
export type FlagValues = Readonly<Record<string, unknown>>

/** A field that a flag sets, and the names of its flags without leading dashes. */
export interface FlagField {
  readonly name: string
  readonly field: Field<unknown>
  readonly flag: Flag
  readonly set: string
  /** The flag that removes the field, if there is one. */
  readonly clear?: string
}

/** Returns the fields of a table that can be set by flags. */
export function flagFields(table: FieldTable): FlagField[] {
  return Object.entries(table).flatMap(([name, field]) => {
    const { flag } = field
    if (flag === undefined) return []
    const set = flag.name ?? name.replaceAll('_', '-')
    const clear =
      flag.clear === undefined ? {} : { clear: `clear-${set}${field.layout === 'line' ? '' : 's'}` }
    return [{ name, field, flag, set, ...clear }]
  })
}

/** The headings of the help. Flags without a group come before. */
const HEADINGS: Readonly<Record<FlagGroup, string>> = {
  sign_in: 'Sign-in and logout:',
  tokens: 'Tokens:',
  authentication: 'Authentication without a secret:',
  answers: 'Signed and encrypted answers:',
  pages: 'On pages:',
}
const CLEAR_HEADING = 'To remove a value:'

/** Adds the flags that set fields. */
export function addFieldFlags(command: Command, table: FieldTable): Command {
  const order = [undefined, ...Object.keys(HEADINGS)]
  const fields = flagFields(table).sort((a, b) => order.indexOf(a.flag.group) - order.indexOf(b.flag.group))
  for (const { field, flag, set } of fields) {
    const option = new Option(`--${set} <${flag.value}>`, flag.help)
    if (flag.group !== undefined) option.helpGroup(HEADINGS[flag.group])
    if (field.layout === 'words') option.argParser(wordsParser(field.choices))
    else if (field.layout === 'uris' || field.layout === 'names') option.argParser(collect)
    else if (field.choices !== undefined) option.choices(field.choices)
    command.addOption(option)
  }
  return command
}

/** Adds the flags that remove fields. */
export function addClearFlags(command: Command, table: FieldTable): Command {
  for (const { flag, set, clear } of flagFields(table)) {
    if (clear === undefined) continue
    command.addOption(new Option(`--${clear}`, flag.clear).conflicts(camelCase(set)).helpGroup(CLEAR_HEADING))
  }
  return command
}

/**
 * Returns the fields that the flags set, as storage writes them.
 * @throws Refusal if an entry of a list of URIs is empty or contains white space
 */
export function givenFields(table: FieldTable, flags: FlagValues): Record<string, string> {
  const given: Record<string, string> = {}
  for (const { name, field, set } of flagFields(table)) {
    const value = flags[camelCase(set)]
    if (Array.isArray(value)) given[name] = entriesOf(field, value).join(' ')
    else if (value !== undefined) given[name] = String(value)
  }
  return given
}

/** Returns the names of the fields that the flags remove. */
export function clearedFields(table: FieldTable, flags: FlagValues): string[] {
  return flagFields(table).flatMap(({ name, clear }) =>
    clear !== undefined && flags[camelCase(clear)] === true ? [name] : [],
  )
}

/**
 * Returns what the flags of a command change.
 * @param command its words, such as `resource update`
 * @throws UsageError if that is nothing; as givenFields
 */
export function changedFields(
  table: FieldTable,
  flags: FlagValues,
  command: string,
): { set: Record<string, string>; unset: string[] } {
  const set = givenFields(table, flags)
  const unset = clearedFields(table, flags)
  if (Object.keys(set).length + unset.length === 0) throw nothingToChange(command)
  return { set, unset }
}

function wordsParser(choices: readonly string[] | undefined) {
  return (value: string, previous?: readonly string[]): string[] => {
    const words = collectWords(value, previous)
    if (choices !== undefined && !words.every((word) => choices.includes(word))) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    }
    return words
  }
}

function entriesOf({ layout }: Field<unknown>, given: readonly string[]): readonly string[] {
  if (layout === 'uris') return checkUris(given)
  // An empty name is none: alone it makes an empty list.
  return layout === 'names' ? [...new Set(given.filter((name) => name !== '').map(encodeName))] : given
}

// Spaces separate the entries of a record, so an entry with a space would become two.
function checkUris(uris: readonly string[]): string[] {
  if (uris.some((uri) => !/^\S+$/.test(uri))) {
    throw new Refusal('A URI must not be empty and must have no white space: repeat the flag for each URI.')
  }
  return [...new Set(uris)]
}
