import type { Option } from 'commander'
import { commandOf } from './command.ts'
import { code, table } from './page.ts'

/** The table of the flags of a command, apart from `--json`, which all have. */
export function flagsOf(...names: readonly string[]): string {
  const options = commandOf(names).options.filter(({ long, hidden }) => long !== '--json' && !hidden)
  return table(
    ['flag', 'meaning'],
    options.map((option) => [code(option.flags), meaningOf(option)]),
  )
}

/** The flags of a command that remove a value, on one line. */
export function clearFlagsOf(...names: readonly string[]): string {
  const flags = commandOf(names).options.flatMap(({ long }) => (long?.startsWith('--clear-') ? [long] : []))
  return `To remove a value: ${flags.map(code).join(', ')}.`
}

function meaningOf({ description, argChoices = [] }: Option): string {
  const unnamed = argChoices.filter(
    (choice) => !['true', 'false'].includes(choice) && !description.includes(choice),
  )
  return unnamed.length === 0 ? description : `${description}. One of ${argChoices.map(code).join(', ')}`
}
