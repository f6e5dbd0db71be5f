import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { CommandRun } from '../run.ts'
import { inspect } from './inspect.ts'
import { revoke } from './revoke.ts'

const FROM_STDIN =
  'Give "-" to read the token from stdin: other users can see arguments in the list of processes.'

/** `redmint token …` */
export function addTokenCommands(program: Command, run: CommandRun): void {
  const token = program.command('token').description('issued tokens')
  const tokenOf = async (given: string) => (given === '-' ? await run.readStdin() : given).trim()

  addCommand(
    token,
    'inspect <token>',
    `Explains why a protected API accepts a token or not; exit code 1 if it does not. ${FROM_STDIN}`,
    ['redmint token inspect - < token.txt'],
  ).action(async (given: string, flags: { json?: true }) => {
    const value = await tokenOf(given)
    await run.execute(flags, (context) => inspect(context, value))
  })

  addCommand(
    token,
    'revoke <token>',
    `Revokes an access token, or a refresh token with all codes and tokens of the same sign-in. ${FROM_STDIN}`,
    ['redmint token revoke - < token.txt', 'redmint token revoke - --family < token.txt'],
  )
    .option('--family', 'for an access token, too, revoke all codes and tokens of the same sign-in')
    .action(async (given: string, flags: { json?: true; family?: true }) => {
      const value = await tokenOf(given)
      await run.execute(flags, (context) => revoke(context, value, flags))
    })
}
