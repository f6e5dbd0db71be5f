import type { Command } from 'commander'
import { present } from '../../src/core/present.ts'
import type { Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import type { Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { when } from '../when.ts'

/** What a token is to be, with which somebody acts as a user. */
interface Wanted {
  readonly client: string
  readonly resource: string
  readonly reason: string
  readonly scope?: string
}

/** `redmint user act-as` */
export function addActAsCommand(user: Command, run: CommandRun): void {
  atServer(
    addCommand(
      user,
      'act-as <username>',
      'Makes a token with which you act as a user at one API, for ten minutes at most: to see what the user sees. It names you, and cannot be used at redmint itself or exchanged. The user is told, and can end it. Nobody acts as somebody with rights at the admin API.',
      [
        'redmint user act-as alice --client shop --resource https://orders.example.com --reason "ticket 4711: her order is missing"',
      ],
    ),
  )
    .requiredOption('--client <client_id>', 'the client whose token it is to be')
    .requiredOption('--resource <uri>', 'the API that takes it')
    .requiredOption('--reason <text>', 'why: for the audit trail, and not in the token')
    .option(
      '--scope <names>',
      'scopes of the API, separated by spaces; default: all that the client may obtain',
    )
    .action((username: string, flags: Wanted & ServerFlags) =>
      run.operate(flags, (calls) => actAs(calls, username, flags)),
    )
}

/** The command `user act-as`. */
async function actAs({ call, now }: Calls, username: string, wanted: Wanted): Promise<Report> {
  const { client: client_id, resource, reason, scope } = wanted
  const body = { client_id, resource, reason, ...present({ scope }) }
  const given = await call('act_as_user', { params: { username }, body })
  const lines = [
    given.access_token,
    '',
    `With it you act as ${username} at ${given.resource}, until ${when(given.expires_at, now)}. It is not shown again.`,
    `Scope: ${given.scope}. To end it: redmint grant end ${given.grant}`,
    ...(given.notice?.sent === false ? [`No mail tells the user: ${given.notice.answer}.`] : []),
  ]
  return { text: lines.join('\n'), json: given }
}
