import { type Command, Option } from 'commander'
import type { FieldTable } from '../src/core/field-table.ts'
import { camelCase, collect, collectWords } from './command.ts'
import { Refusal } from './errors.ts'
import { type FlagField, type FlagValues, flagFields } from './field-flags.ts'

/** What a command adds to a list of a record, and takes out of it. */
export interface ListChange {
  readonly name: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

const HEADING = 'To change single entries of a list:'

const listFields = (table: FieldTable): FlagField[] =>
  flagFields(table).filter(({ field }) => ['uris', 'names', 'words'].includes(field.layout))

/** Adds the flags that add entries to lists, and those that remove entries; the others stay. */
export function addListFlags(command: Command, table: FieldTable): Command {
  for (const { field, flag, set, clear } of listFields(table)) {
    const others = [set, ...(clear === undefined ? [] : [clear])].map(camelCase)
    const parser = field.layout === 'words' ? collectWords : collect
    for (const [verb, help] of [
      ['add', `adds to what \`--${set}\` sets; repeatable`],
      ['remove', `takes out of it; repeatable`],
    ] as const) {
      const option = new Option(`--${verb}-${set} <${flag.value}>`, help)
      command.addOption(option.argParser(parser).conflicts(others).helpGroup(HEADING))
    }
  }
  return command
}

/** Returns the changes of lists that the flags name. */
export function listChanges(table: FieldTable, flags: FlagValues): ListChange[] {
  const given = (flag: string) => (flags[camelCase(flag)] ?? []) as readonly string[]
  return listFields(table)
    .map(({ name, set }) => ({ name, added: given(`add-${set}`), removed: given(`remove-${set}`) }))
    .filter(({ added, removed }) => added.length + removed.length > 0)
}

/**
 * Returns a list after its change.
 * @param stored the list as the API answers it
 * @throws Refusal if it is none, or lacks what is to be removed
 */
export function changedList(stored: unknown, { name, added, removed }: ListChange): readonly string[] {
  if (stored !== undefined && !Array.isArray(stored))
    throw new Refusal(`${name} is ${JSON.stringify(stored)}, which is no list: set a whole one.`)
  const list: readonly string[] = stored ?? []
  const missing = removed.find((entry) => !list.includes(entry))
  if (missing !== undefined)
    throw new Refusal(`${name} has no ${JSON.stringify(missing)}: it is ${list.join(' ') || 'empty'}.`)
  return [...new Set([...list.filter((entry) => !removed.includes(entry)), ...added])]
}
