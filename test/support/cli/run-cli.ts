import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from '../../../cli/program.ts'
import type { CommandRun, ProcessContext } from '../../../cli/run.ts'
import type { Config } from '../../../src/config/config.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/** The exit code and output of one run. */
export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

interface CliOptions {
  storage?: Storage
  /** Default: without the events of LOG_LEVEL info. */
  environment?: Record<string, string>
  /** Default: the same storage for every configuration. */
  openStorage?: (config: Config) => Storage
  /** Milliseconds since 1970. */
  now?: () => number
  /** Default: does not wait. */
  wait?: (seconds: number) => Promise<unknown>
  /** Is told what is written on stderr, when it is. */
  onStderr?: (text: string) => void
  /** Default: a run that opens storage, or calls a server. */
  runIn?: (context: ProcessContext) => CommandRun
}

/** Runs the command in this process, on one storage that stays open between runs. */
export function createCli(cli: CliOptions = {}) {
  const { storage = new MemoryStorage(), now = Date.now, openStorage = () => storage } = cli
  const { wait = async () => {} } = cli
  const environment = cli.environment ?? { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn' }
  // Every command closes its storage, but the next one needs it.
  storage.close = async () => {}

  const redmint = async (args: readonly string[], input = '', isTTY = false): Promise<CommandResult> => {
    const stdout = new PassThrough()
    const stderr = Object.assign(new PassThrough(), { isTTY })
    if (cli.onStderr) stderr.on('data', (chunk) => cli.onStderr?.(String(chunk)))
    const printed = Promise.all([text(stdout), text(stderr)])
    const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY })
    const invocation = 'redmint'
    const development = () => import('../../../dev/serve.ts')
    const storageOpener = async () => openStorage
    const context = { invocation, environment, stdin, stdout, stderr, now, wait, development, storageOpener }
    const code = await runCli(args, context, cli.runIn?.(context))
    stdout.end()
    stderr.end()
    const [out, err] = await printed
    return { code, stdout: out, stderr: err }
  }
  return { storage, redmint }
}

/** Returns the JSON document that a command printed. */
export function parsed<T = Record<string, unknown>>(result: CommandResult): T {
  return JSON.parse(result.stdout) as T
}
