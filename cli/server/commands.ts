import type { Command } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

/** `redmint server` */
export function addServerCommand(program: Command, run: CommandRun): void {
  atServer(
    addCommand(
      program,
      'server',
      'Shows the servers that run, with their versions and start times, the settings in which they disagree, and their Redis.',
      ['redmint server'],
    ),
  ).action(async (flags: ServerFlags) => {
    const { showServers } = await import('./show.ts')
    await run.operate(flags, showServers)
  })
}
