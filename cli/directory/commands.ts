import type { Command } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { testDirectory } from './test-directory.ts'

/** `redmint directory …` */
export function addDirectoryCommands(program: Command, run: CommandRun): void {
  const directory = program
    .command('directory')
    .description('the directory with the names and passwords of people: LDAP, Active Directory')

  atServer(
    addCommand(
      directory,
      'test [username]',
      'Asks the directory what is wrong, and what it has for a name; exit code 1 if something is wrong. Run it with the environment of the servers.',
      ['redmint directory test', 'redmint directory test alice'],
    ),
  ).action((username: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => testDirectory(calls, username)),
  )
}
