import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { CommandRun } from '../run.ts'

/** `redmint directory …` */
export function addDirectoryCommands(program: Command, run: CommandRun): void {
  const directory = program
    .command('directory')
    .description('the directory with the names and passwords of people: LDAP, Active Directory')

  addCommand(
    directory,
    'test [username]',
    'Asks the directory what is wrong, and what it has for a name; exit code 1 if something is wrong. Run it with the environment of the servers.',
    ['redmint directory test', 'redmint directory test alice'],
  ).action(async (username: string | undefined, flags: { json?: true }) => {
    // The other commands load no client of LDAP.
    const { testDirectory } = await import('./test-directory.ts')
    await run.execute(flags, (context) => testDirectory(context, username))
  })
}
