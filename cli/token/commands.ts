import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { Session } from '../run.ts'
import { inspectToken } from './inspect.ts'
import { revokeToken } from './revoke.ts'

const FROM_STDIN =
  'Give "-" to have the token read from stdin: arguments can be seen in the list of processes.'

/** `redmint token …` */
export function addTokenCommands(program: Command, session: Session): void {
  const token = program.command('token').description('issued tokens')
  const tokenOf = async (given: string) => (given === '-' ? await session.input() : given).trim()

  addCommand(
    token,
    'inspect <token>',
    `Says why a protected API accepts a token or not; exit code 1 where it does not. ${FROM_STDIN}`,
    ['redmint token inspect - < token.txt'],
  ).action(async (given: string, flags: { json?: true }) => {
    const value = await tokenOf(given)
    await session.answer(flags, (opened) => inspectToken(opened, value))
  })

  addCommand(
    token,
    'revoke <token>',
    `Revokes an access token of either format, or a refresh token with all that came of the same sign-in. ${FROM_STDIN}`,
    ['redmint token revoke - < token.txt', 'redmint token revoke - --family < token.txt'],
  )
    .option('--family', 'revoke all that came of the same sign-in for an access token, too')
    .action(async (given: string, flags: { json?: true; family?: true }) => {
      const value = await tokenOf(given)
      await session.answer(flags, (opened) => revokeToken(opened, value, flags))
    })
}
