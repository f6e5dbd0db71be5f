import type { Command } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { lift, showLimits } from './limits.ts'

/** `redmint limits …` */
export function addLimitCommands(program: Command, run: CommandRun): void {
  const limits = program
    .command('limits')
    .description('who is locked out after too many failures or requests')
  atServer(
    addCommand(
      limits,
      'list',
      'Lists who is locked out: which counter is full, and until when. redmint limits does the same.',
      ['redmint limits'],
      { isDefault: true },
    ),
  ).action((flags: ServerFlags) => run.operate(flags, showLimits))

  atServer(
    addCommand(
      limits,
      'lift <id>',
      'Lifts one lockout, on all servers within a second. Others stay: redmint user unlock lifts those of a user.',
      ['redmint limits lift 0d3f9a61c27be845'],
    ),
  ).action((id: string, flags: ServerFlags) => run.operate(flags, (calls) => lift(calls, id)))
}
