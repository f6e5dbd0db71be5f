import type { Command } from 'commander'
import { count } from '../src/core/count.ts'
import { fitIndexes, type Index } from '../src/storage/indexes.ts'
import { addCommand, onHost } from './command.ts'
import type { Report } from './output.ts'
import type { CommandContext, CommandRun } from './run.ts'

/** Adds the command `reindex` for a kind: makes its list, and its other indexes, fit all records. */
export function addReindexCommand(
  parent: Command,
  run: CommandRun,
  about: string,
  indexesOf: (context: CommandContext) => readonly Index[],
): void {
  const command = addCommand(parent, 'reindex', about, [`redmint ${parent.name()} reindex`])
  onHost(command, run, 'A server that runs repairs its lists by itself.').action((flags: { json?: true }) =>
    run.execute(flags, (context) => reindex(parent.name(), context, indexesOf(context))),
  )
}

async function reindex(
  kind: string,
  { storage }: CommandContext,
  indexes: readonly Index[],
): Promise<Report> {
  const total = await fitIndexes(storage, indexes)
  return {
    text: `The index fits the ${kind}s: ${count(total.added, 'name')} added, ${total.removed} removed.`,
    json: total,
  }
}
