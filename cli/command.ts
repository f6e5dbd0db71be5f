import type { Command, CommandOptions } from 'commander'
import { UsageError } from './errors.ts'
import { serverOption } from './remote/address.ts'
import type { CommandRun } from './run.ts'

/** Adds a subcommand that takes --json and shows examples in its help. */
export function addCommand(
  parent: Command,
  usage: string,
  description: string,
  examples: readonly string[],
  options: CommandOptions = {},
): Command {
  let program = parent
  while (program.parent !== null) program = program.parent
  const invocation = program.name()
  return parent
    .command(usage, options)
    .description(description)
    .summary(description.replace(/[.;:(] ?.*$/s, '').trim())
    .option('--json', 'print one JSON document instead of text')
    .addHelpText(
      'after',
      `\nExample${examples.length === 1 ? '' : 's'}:\n${examples.map((line) => exampleLine(invocation, line)).join('\n')}`,
    )
}

/** Adds `--server` to a subcommand that works by operations of the admin API. */
export function atServer(command: Command): Command {
  return command.addOption(
    serverOption(
      'work at the [admin API](admin-api.md) of this server instead of on Redis, see [at a server](#at-a-server)',
    ),
  )
}

export interface FindFlag {
  readonly find?: string
}

/** Adds `--find` to a subcommand that lists records. */
export function withFind(command: Command): Command {
  return command.option(
    '--find <text>',
    'only those that have these words, whole or their beginnings, in a name, address or id; the best first',
  )
}

/** Returns the query of a list of what is found by a text. */
export function queryOf({ find }: FindFlag): { readonly query?: { readonly q: string } } {
  return find === undefined ? {} : { query: { q: find } }
}

/** What is said of an empty list. @param none what is said of one that is not searched */
export function noneText({ find }: FindFlag, none: string): string {
  return find === undefined ? none : 'Nothing is found by this.'
}

/**
 * Says of a subcommand that it works on Redis only, where it is asked for at a server; before it reads anything.
 * @param why no server does it, and what to use there, as sentences
 */
export function onHost(command: Command, run: Pick<CommandRun, 'serverOf'>, why: string): Command {
  return command.addOption(serverOption(why).hideHelp()).hook('preAction', (_, action) => {
    if (run.serverOf(action.opts()) === undefined) return
    throw new UsageError(`This command works on Redis only: leave --server and REDMINT_SERVER out. ${why}`)
  })
}

/** Returns the line of an example in the help, without a prompt, so that it can be pasted. */
export function exampleLine(invocation: string, example: string): string {
  return `  ${example.replace(/\bredmint /, `${invocation} `)}`
}

/** Collects a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value]
}

/** Collects a repeatable option whose value may be a list separated by spaces. Duplicates are dropped. */
export function collectWords(value: string, previous: readonly string[] = []): string[] {
  return [...new Set([...previous, ...value.split(/\s+/).filter((word) => word !== '')])]
}

/** Returns the name by which commander parses a flag, given without its leading dashes. */
export function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
