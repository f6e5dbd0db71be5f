import { basename, relative } from 'node:path'
import { Command, CommanderError, Help } from 'commander'
import { parseToken } from '../src/core/token-string.ts'
import { VERSION } from '../src/core/version.ts'
import { addGrantCommands, addSessionCommands } from './access/commands.ts'
import { addAdminCommands } from './admin/commands.ts'
import { addApplicationCommands } from './application/commands.ts'
import { addApplyCommand } from './apply/command.ts'
import { addAuditCommands } from './audit/commands.ts'
import { addClientCommands } from './client/commands.ts'
import { addCommand, atServer, exampleLine } from './command.ts'
import { addDetailTypeCommands } from './detail-type/commands.ts'
import { addDevCommands } from './dev/commands.ts'
import { addDirectoryCommands } from './directory/commands.ts'
import { EXIT, type ExitCode, exitCodeOf } from './errors.ts'
import { addExplainCommand } from './explain/commands.ts'
import { addFindCommand } from './find/command.ts'
import { addInitCommand } from './init/command.ts'
import { addIssuerCommands } from './issuer/commands.ts'
import { addKeyCommands } from './keys/commands.ts'
import { addLimitCommands } from './limits/commands.ts'
import { addMailCommands } from './mail/commands.ts'
import { addMcpCommands } from './mcp/command.ts'
import { addMoveCommands } from './move/commands.ts'
import { plainText } from './output.ts'
import { addProviderCommands } from './provider/commands.ts'
import { addSignInCommands } from './remote/commands.ts'
import { addResourceCommands } from './resource/commands.ts'
import { addRestoreCommands } from './restore/commands.ts'
import { CommandRun, type ProcessContext, type ServerFlags } from './run.ts'
import { addServerCommand } from './server/commands.ts'
import { addStreamCommands } from './stream/commands.ts'
import { addTokenCommands } from './token/commands.ts'
import { addUserCommands } from './user/commands.ts'

const afterHelp = (invocation: string) => `
The command reads the same environment variables as the servers. It needs the location of Redis, such as REDIS_URL.

Exit codes:
  0  done
  1  negative result: not found, exists already, malformed, lint errors, problems of doctor, token not accepted, too soon
  2  the command line or the configuration is wrong
  3  storage or the server does not answer, or the output cannot be written

Example:
${exampleLine(invocation, 'REDIS_URL=redis://127.0.0.1:6379 redmint client list')}`

/**
 * Runs the command `redmint` with these arguments (without the names of program and script).
 * @returns the exit code
 * @throws errors that are bugs in redmint; expected ones are printed
 */
export async function runCli(
  args: readonly string[],
  context: ProcessContext,
  run = new CommandRun(context),
): Promise<ExitCode> {
  try {
    await buildProgram(run, context).parseAsync(operandsLast(helpLast(args)), { from: 'user' })
    return run.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const exitCode = exitCodeOf(error)
    if (exitCode === undefined) throw error
    const message = errorMessage(error as Error)
    if (message !== undefined) await run.printError(message, asksForJson(args))
    return exitCode
  } finally {
    await run.close()
  }
}

/** Whether a command line, which may not be valid, asks for JSON. */
export function asksForJson(args: readonly string[]): boolean {
  return args.includes('--json')
}

/** Returns the command with all its subcommands. Descriptions of flags are Markdown, for docs/cli.md. */
export function buildProgram(run: CommandRun, { invocation, stdout, stderr }: ProcessContext): Command {
  const help = new Help()
  const program = new Command(invocation)
    .description('Manages the clients, users, trusted issuers, tokens and signing keys of redmint.')
    .version(VERSION)
    .exitOverride()
    // Commands below redmint dev have some of its options, too.
    .enablePositionalOptions()
    .configureHelp({ optionDescription: (option) => plainText(help.optionDescription(option)) })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // CommandRun.printError prints errors, as text or JSON.
      outputError: () => {},
    })
    .addHelpText('after', afterHelp(invocation))
  addClientCommands(program, run)
  addUserCommands(program, run)
  addAdminCommands(program, run)
  addSignInCommands(program, run)
  addResourceCommands(program, run)
  addDetailTypeCommands(program, run)
  addIssuerCommands(program, run)
  addApplicationCommands(program, run)
  addProviderCommands(program, run)
  addDirectoryCommands(program, run)
  addApplyCommand(program, run)
  addMoveCommands(program, run)
  addSessionCommands(program, run)
  addGrantCommands(program, run)
  addTokenCommands(program, run)
  addKeyCommands(program, run)
  addRestoreCommands(program, run)
  addLimitCommands(program, run)
  addMailCommands(program, run)
  addStreamCommands(program, run)
  addAuditCommands(program, run)
  addServerCommand(program, run)
  addFindCommand(program, run)
  addExplainCommand(program, run)
  addDoctorCommand(program, run)
  addInitCommand(program, run)
  addMcpCommands(program, run)
  addServeCommand(program)
  addDevCommands(program, run)
  return program
}

// The command `help` of commander reads one name only: `help client add` would explain `client`.
function helpLast([first, ...names]: readonly string[]): string[] {
  if (first === undefined) return []
  return first === 'help' ? [...names, '--help'] : [first, ...names]
}

// One id in 64 begins with "-" and would be parsed as an option.
function operandsLast(args: readonly string[]): string[] {
  const [noun = ''] = args
  const is_of_id = ['session', 'grant', 'explain'].includes(noun)
  const isId = (arg: string) =>
    arg.startsWith('-') && (parseToken(arg) !== undefined || (is_of_id && ID.test(arg)))
  const ids = args.filter(isId)
  return ids.length === 0 ? [...args] : [...args.filter((arg) => !isId(arg)), '--', ...ids]
}

// 12 or 16 random bytes, in base64url. No option has a capital letter, a digit or an underscore.
const ID = /^-(?=.*[A-Z0-9_])(?:[\w-]{15}|[\w-]{21})$/

function errorMessage(error: Error): string | undefined {
  if (!(error instanceof CommanderError)) return error.message
  // No command was given, so commander has printed the help.
  if (error.code === 'commander.help') return undefined
  return `${error.message.replace(/^error: /, '')}\nAdd --help to see how the command is used.`
}

/**
 * Returns the command that started this process, so that the examples of the help can be pasted where it was asked for.
 * @param script the path of the started script
 * @param environment tells whether npx started it
 */
export function invocationOf(
  script: string,
  folder: string,
  { npm_command }: Readonly<Record<string, string | undefined>>,
): string {
  const path = relative(folder, script)
  // The package and the image have a link with the name of the command.
  if (basename(path) !== 'redmint') return `node ${path}`
  return npm_command === 'exec' ? 'npx redmint' : 'redmint'
}

/** Adds `doctor`, which examines Redis, the issuer, the keys and the records. */
function addDoctorCommand(program: Command, run: CommandRun): void {
  atServer(
    addCommand(
      program,
      'doctor',
      'Examines Redis, the issuer, the signing keys and the records, and says what to do. Run it with the environment of the servers.',
      ['redmint doctor'],
    ),
  ).action(async (flags: ServerFlags) => {
    // The other commands and the server need none of it.
    const { examineHost, examineServer } = await import('./doctor/examine.ts')
    if (run.serverOf(flags) === undefined) await run.execute(flags, examineHost)
    else await run.operate(flags, examineServer)
  })
}

/** Adds `serve`, which starts the server as `node dist/server.js` does. */
function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Starts the server, like node dist/server.js. SIGTERM stops it.')
    .summary('Starts the server')
    .addHelpText('after', `\nExample:\n${exampleLine(program.name(), 'PORT=3000 redmint serve')}`)
    .action(async () => {
      // Importing server.ts starts it; the other commands do not load Fastify.
      await import('../server.ts')
    })
}
