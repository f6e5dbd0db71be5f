import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { CommandRun } from '../run.ts'
import { lift, showLimits } from './limits.ts'

interface Json {
  json?: true
}

/** `redmint limits …` */
export function addLimitCommands(program: Command, run: CommandRun): void {
  const limits = program
    .command('limits')
    .description('who is locked out after too many failures or requests')
  addCommand(
    limits,
    'list',
    'Lists who is locked out: which counter is full, and until when. redmint limits does the same.',
    ['redmint limits'],
    { isDefault: true },
  ).action((flags: Json) => run.execute(flags, showLimits))

  addCommand(
    limits,
    'lift <id>',
    'Lifts one lockout, on all servers within a second. Others stay: redmint user unlock lifts those of a user.',
    ['redmint limits lift 0d3f9a61c27be845'],
  ).action((id: string, flags: Json) => run.execute(flags, (context) => lift(context, id)))
}
