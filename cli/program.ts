import { Command, CommanderError } from 'commander'
import { parseToken } from '../src/core/token-string.ts'
import { VERSION } from '../src/core/version.ts'
import { addClientCommands } from './client/commands.ts'
import { EXIT, type ExitCode, exitCodeOf } from './errors.ts'
import { addKeyCommands } from './keys/commands.ts'
import { Session, type Surroundings } from './run.ts'
import { addServeCommand } from './serve.ts'
import { addTokenCommands } from './token/commands.ts'
import { addUserCommands } from './user/commands.ts'

const AFTER_HELP = `
The configuration is the servers' own: the same environment variables, REDIS_URL first of all.

Exit codes:
  0  done
  1  the answer is no: not found, exists already, malformed, lint errors, not accepted, too soon
  2  the command line or the configuration is wrong
  3  storage does not answer

Example:
  $ REDIS_URL=redis://127.0.0.1:6379 redmint client list`

/**
 * Runs the command `redmint` with these arguments (without the names of program and script).
 * @returns the exit code
 * @throws errors that are bugs in redmint; expected ones are printed
 */
export async function run(args: readonly string[], around: Surroundings): Promise<ExitCode> {
  const session = new Session(around)
  try {
    await buildProgram(session, around).parseAsync(operandsLast(args), { from: 'user' })
    return session.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const exitCode = exitCodeOf(error)
    if (exitCode === undefined) throw error
    const message = sayError(error as Error)
    if (message !== undefined) await session.printError(message, args.includes('--json'))
    return exitCode
  } finally {
    await session.close()
  }
}

function buildProgram(session: Session, { stdout, stderr }: Surroundings): Command {
  const program = new Command('redmint')
    .description("The operator's command: clients, users, tokens and signing keys of a redmint server.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // Errors are printed in one place, as words or as JSON.
      outputError: () => {},
    })
    .addHelpText('after', AFTER_HELP)
  addClientCommands(program, session)
  addUserCommands(program, session)
  addTokenCommands(program, session)
  addKeyCommands(program, session)
  addServeCommand(program)
  return program
}

// One token in 64 begins with "-" and would be read as an option.
function operandsLast(args: readonly string[]): string[] {
  const isToken = (arg: string) => arg.startsWith('-') && parseToken(arg) !== undefined
  const tokens = args.filter(isToken)
  return tokens.length === 0 ? [...args] : [...args.filter((arg) => !isToken(arg)), '--', ...tokens]
}

function sayError(error: Error): string | undefined {
  if (!(error instanceof CommanderError)) return error.message
  // Commander has printed the help, because no command was named.
  if (error.code === 'commander.help') return undefined
  return `${error.message.replace(/^error: /, '')}\nAdd --help to see how the command is used.`
}
