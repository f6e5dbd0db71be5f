import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { CommandRun } from '../run.ts'

/** `redmint server` */
export function addServerCommand(program: Command, run: CommandRun): void {
  addCommand(
    program,
    'server',
    'Shows the servers that run, with their versions and start times, the settings in which they disagree, and their Redis.',
    ['redmint server'],
  ).action(async (flags: { json?: true }) => {
    const { showServers } = await import('./show.ts')
    await run.execute(flags, showServers)
  })
}
