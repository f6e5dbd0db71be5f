import { type Command, Option } from 'commander'
import { scopeOption } from '../admin/scope-option.ts'
import { addCommand } from '../command.ts'
import type { Report } from '../output.ts'
import type { CommandRun } from '../run.ts'
import { readAddress, serverOption } from './address.ts'
import { credentialsFile, keepCredentials, readCredentials } from './credentials.ts'
import { login, revokeCredentials } from './login.ts'
import { findPlaces } from './places.ts'

interface Flags {
  readonly json?: true
  readonly server: string
}

type LoginFlags = Flags & { readonly scope?: readonly string[]; readonly issuer?: string }

/** `redmint login` and `redmint logout`. */
export function addSignInCommands(program: Command, run: CommandRun): void {
  addCommand(
    program,
    'login',
    'Signs you in at the admin API of a server, by a page that any browser opens. Other commands with --server then need no token.',
    [
      'redmint login --server https://login.example.com',
      'redmint login --server https://login.example.com --scope redmint:read',
      'redmint login --server http://127.0.0.1:9000 --issuer https://login.example.com',
    ],
  )
    .addOption(serverOption('the address of the server').makeOptionMandatory())
    .addOption(scopeOption('what to ask for; default: everything. You get what you may have'))
    .addOption(
      new Option(
        '--issuer <url>',
        'the issuer of the server, if that is another address: its tokens are then sent to `--server`',
      ).argParser((value) => readAddress('--issuer', value)),
    )
    .action((flags: LoginFlags) => run.executeAtServer(flags, () => signIn(run, flags)))

  addCommand(program, 'logout', 'Ends your sign-in at a server, and forgets its tokens.', [
    'redmint logout --server https://login.example.com',
  ])
    .addOption(serverOption('the address of the server').makeOptionMandatory())
    .action((flags: Flags) => run.executeAtServer(flags, () => signOut(run, flags)))
}

async function signIn(run: CommandRun, { server, issuer, scope = [] }: LoginFlags): Promise<Report> {
  const places = await findPlaces(server, issuer ?? server)
  const credentials = await login(run, places, scope)
  await keepCredentials(credentialsFile(run.environment), server, credentials)
  return { text: `You are signed in at ${server}.`, json: { server, signed_in: true } }
}

async function signOut(run: CommandRun, { server }: Flags): Promise<Report> {
  const file = credentialsFile(run.environment)
  const kept = await readCredentials(file, server)
  if (kept !== undefined) await revokeCredentials(kept)
  await keepCredentials(file, server, undefined)
  const text =
    kept === undefined ? `You were not signed in at ${server}.` : `You are signed out at ${server}.`
  return { text, json: { server, signed_in: false } }
}
