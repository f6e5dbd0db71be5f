import type { Command } from 'commander'
import { addTokenListCommand } from '../access/commands.ts'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { inspect } from './inspect.ts'
import { revoke } from './revoke.ts'

const FROM_STDIN =
  'Give "-" to read the token from stdin: other users can see arguments in the list of processes.'

/** `redmint token …` */
export function addTokenCommands(program: Command, run: CommandRun): void {
  const token = program.command('token').description('issued tokens')
  const tokenOf = async (given: string) => (given === '-' ? await run.readStdin() : given).trim()

  atServer(
    addCommand(
      token,
      'inspect <token>',
      `Explains why a protected API accepts a token or not; exit code 1 if it does not. ${FROM_STDIN}`,
      ['redmint token inspect - < token.txt'],
    ),
  ).action(async (given: string, flags: ServerFlags) => {
    const value = await tokenOf(given)
    await run.operate(flags, (calls) => inspect(calls, value))
  })

  addTokenListCommand(token, run)

  atServer(
    addCommand(
      token,
      'revoke <token>',
      `Revokes an access token, or a refresh token with all codes and tokens of the same sign-in. ${FROM_STDIN}`,
      ['redmint token revoke - < token.txt', 'redmint token revoke - --family < token.txt'],
    ),
  )
    .option('--family', 'for an access token, too, revoke all codes and tokens of the same sign-in')
    .action(async (given: string, flags: ServerFlags & { family?: true }) => {
      const value = await tokenOf(given)
      await run.operate(flags, (calls) => revoke(calls, value, flags))
    })
}
