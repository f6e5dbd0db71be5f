import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Config, readConfig } from '../src/config/config.ts'
import { hasOnlyPasskeys } from '../src/config/passkey-settings.ts'
import type { RedisLocation } from '../src/config/redis-location.ts'
import type { Settings } from '../src/config/settings.ts'
import type { ReportEvent } from '../src/core/events.ts'
import { type Log, SILENT } from '../src/core/log.ts'
import { foldName } from '../src/core/visible-text.ts'
import { UnexpectedStatus } from '../src/outbound/operator-fetch.ts'
import { readIssuers } from '../src/service/running-server.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { OutcomeUnknown } from '../src/storage/redis/connection/errors.ts'
import { adviceOn, stateOf } from '../src/storage/redis/connection/outage-advice.ts'
import type { Storage } from '../src/storage/storage.ts'
import { type Calls, hostCalls } from './calls.ts'
import type { CommandContext } from './command-context.ts'
import type { Development } from './dev/development.ts'
import { differingSettings } from './differing-settings.ts'
import {
  commandError,
  EXIT,
  type ExitCode,
  Refusal,
  ServerFailure,
  StorageFailure,
  UsageError,
} from './errors.ts'
import { eventLog } from './event-log.ts'
import { errorText, jsonLine, printableText, type Report, write } from './output.ts'
import { accessAt } from './remote/access.ts'
import { readAddress } from './remote/address.ts'
import { ServerCalls } from './remote/call.ts'

export type { CommandContext }

type Terminal<T> = T & { isTTY?: boolean }

/** Opens storage, which need not answer yet. */
type StorageOpener = (config: Config, log: Log) => Storage

/** The environment and streams of the process that runs the command. */
export interface ProcessContext {
  /** The command that started the process, as typed into a shell; the help shows it. */
  invocation: string
  environment: Record<string, string | undefined>
  stdin: Terminal<Readable>
  stdout: Writable
  stderr: Terminal<Writable>
  /** Returns what opens storage, with the driver that only some commands need. */
  storageOpener(): Promise<StorageOpener>
  /** Milliseconds since 1970. */
  now(): number
  /** Waits for so many seconds. */
  wait(seconds: number): Promise<unknown>
  /** Loads what `redmint dev` runs. @throws UsageError if it is not installed */
  development(): Promise<Development>
}

/** The flags of a command that works at a server, too. */
export interface ServerFlags {
  readonly json?: true
  /** The address of a server, as readAddress returns it. */
  readonly server?: string
}

/** A line on the terminal that shows the progress of a command. */
export interface Progress {
  at(done: number): void
  end(): void
}

/** What an import has of the process that runs it. */
export interface Importing {
  progress(total: number): Progress
  /** Waits for so many seconds. */
  wait(seconds: number): Promise<unknown>
}

const VAGUE = /^(no connection( to .*)?|the connection was closed|no answer in time)$/

const OUTCOME_UNKNOWN =
  'A change that was being made may or may not have been made: check before you repeat it.'

const NO_REDIS =
  'No Redis is configured: set REDIS_URL (or REDIS_CLUSTER_NODES, or REDIS_SENTINELS and REDIS_SENTINEL_NAME) to the Redis of the servers. For a server that keeps its records in memory, give its address: --server http://localhost:3000.'

/** One run of the command. */
export class CommandRun {
  exitCode: ExitCode = EXIT.done
  readonly #context: ProcessContext
  readonly #opened: Storage[] = []

  constructor(context: ProcessContext) {
    this.#context = context
  }

  /** Whether nobody has a password at servers with this environment. @throws ConfigError */
  get has_only_passkeys(): boolean {
    return hasOnlyPasskeys(readConfig(this.#context.environment, false).settings)
  }

  /** Whether the environment names a Redis to work on. @throws ConfigError */
  get has_redis(): boolean {
    return readConfig(this.#context.environment, false).redis !== undefined
  }

  /**
   * Opens storage, does the work and prints its report.
   * @throws ConfigError, UsageError; StorageFailure if storage does not answer; any error of `work`
   */
  async execute(flags: { json?: true }, work: (context: CommandContext) => Promise<Report>): Promise<void> {
    const config = readConfig(this.#context.environment, false)
    for (const warning of config.warnings) await this.#printWarning(warning, flags.json === true)
    if (config.redis === undefined) throw new UsageError(NO_REDIS)
    const openStorage = await this.#context.storageOpener()
    const storage = this.#open(openStorage, config)
    const { settings, ...known } = await this.#withIssuer(config, storage, flags.json === true)
    // If storage is unavailable, the work of the command says so.
    const difference = await differingSettings(storage, settings).catch(() => undefined)
    if (difference !== undefined) await this.#printWarning(difference, flags.json === true)
    const tokens_at_rest = config.tokens_at_rest === 'plain' ? 'hashed' : 'plain'
    const openOtherForm = () => this.#open(openStorage, { ...config, tokens_at_rest })
    try {
      const { stderr, now } = this.#context
      const log = eventLog(stderr, config.log_level, now, flags.json === true)
      const context = { ...known, storage, config: { ...config, settings }, openOtherForm, now }
      const report = await this.#recorded(log, storage, settings, (report) => work({ ...context, report }))
      await this.#print(report, flags.json === true)
    } catch (error) {
      throw await toExpectedError(storage, config.redis, error)
    }
  }

  /** Does work whose events go to the audit trail, too, if there is one. @throws any error of `work` */
  async #recorded(
    log: ReportEvent,
    storage: Storage,
    settings: Settings,
    work: (report: ReportEvent) => Promise<Report>,
  ): Promise<Report> {
    if (settings.audit === 'off') return work(log)
    // Loaded only where there is an audit trail.
    const { recordingOf } = await import('./audit/recording.ts')
    const recording = recordingOf(log, storage, settings, this.#context.now)
    try {
      return await work(recording.report)
    } finally {
      const lost = await recording.end()
      if (lost > 0)
        await this.printError(`The audit trail lacks what this command did: ${lost} entries.`, false)
    }
  }

  /**
   * Does work by operations of the admin API, and prints its report: at the server of `--server` or REDMINT_SERVER,
   * otherwise on storage, with the same output and exit code.
   * @throws as execute and executeAtServer
   */
  async operate(flags: ServerFlags, work: (calls: Calls) => Promise<Report>): Promise<void> {
    const server = this.serverOf(flags)
    if (server === undefined) return this.execute(flags, (context) => work(hostCalls(context)))
    const { environment, now } = this.#context
    const token = accessAt(environment, server, now)
    await this.executeAtServer(flags, () => work(new ServerCalls(server, token, now())))
  }

  /** Returns the address of the server that a command works at; undefined: it works on storage. */
  serverOf(flags: ServerFlags): string | undefined {
    return flags.server ?? this.#serverOfEnvironment()
  }

  #serverOfEnvironment(): string | undefined {
    const given = this.#context.environment.REDMINT_SERVER?.trim()
    return given ? readAddress('REDMINT_SERVER', given) : undefined
  }

  /**
   * Does work that needs neither storage nor configuration, and prints its report.
   * @throws any error of `work`
   */
  async executeAlone(flags: { json?: true }, work: () => Promise<Report>): Promise<void> {
    await this.#print(await work(), flags.json === true)
  }

  /**
   * Does work at a server, and prints its report.
   * @throws ServerFailure if the server does not answer; any other error of `work`, as one of the command
   */
  async executeAtServer(flags: { json?: true }, work: () => Promise<Report>): Promise<void> {
    try {
      await this.#print(await work(), flags.json === true)
    } catch (error) {
      const is_unanswered = error instanceof Error && error.constructor === Error
      if (is_unanswered || error instanceof UnexpectedStatus) throw new ServerFailure(`${error.message}.`)
      throw commandError(error)
    }
  }

  /** Closes the connections to storage. Call it last: it is slow if storage does not answer. */
  async close(): Promise<void> {
    await Promise.all(this.#opened.map((storage) => storage.close()))
  }

  /**
   * Asks the operator a yes-or-no question, unless the flag --yes is set. Returns whether the answer is yes.
   * @throws UsageError if there is no terminal
   */
  async confirm(flags: { yes?: true }, question: string): Promise<boolean> {
    if (flags.yes) return true
    const { stdin, stderr } = this.#context
    if (!this.hasTerminal) {
      throw new UsageError('There is no terminal to ask for confirmation: give --yes to confirm.')
    }
    const prompt = createInterface({ input: stdin, output: stderr })
    try {
      // The end of the input means no; the question alone would never resolve.
      const closed = once(prompt, 'close').then(() => '')
      const answer = await Promise.race([prompt.question(`${question} [y/N] `), closed])
      return /^y(es)?$/.test(foldName(answer))
    } finally {
      prompt.close()
    }
  }

  /**
   * Shows each prompt and reads a line without echo, until one is empty. An answer is undefined if the operator ends the
   * input.
   * @throws UsageError if there is no terminal
   */
  async readHidden(prompts: readonly string[]): Promise<(string | undefined)[]> {
    if (!this.hasTerminal) {
      throw new UsageError('There is no terminal to ask for the password: give --password-stdin.')
    }
    // readline echoes the input to its output, so discard the output.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    return this.#readLines(prompts, { output: nowhere, terminal: true, ends: (line) => !line })
  }

  /** Shows each question and reads a line. After the end of the input, answers are undefined. Call it on a terminal. */
  ask(questions: readonly string[]): Promise<(string | undefined)[]> {
    return this.#readLines(questions, { ends: (line) => line === undefined })
  }

  async #readLines(
    prompts: readonly string[],
    { ends, ...how }: { output?: Writable; terminal?: true; ends(line: string | undefined): boolean },
  ): Promise<(string | undefined)[]> {
    const { stdin, stderr } = this.#context
    const lines = createInterface({ input: stdin, ...how })
    const typed = lines[Symbol.asyncIterator]()
    try {
      const answers: (string | undefined)[] = []
      for (const prompt of prompts) {
        stderr.write(prompt)
        const { value } = await typed.next()
        if (how.output !== undefined) stderr.write('\n')
        answers.push(value)
        if (ends(value)) break
      }
      return answers
    } finally {
      lines.close()
    }
  }

  /** Returns what the environment says of a variable, with or without the prefix; undefined: nothing. */
  variable(name: string): string | undefined {
    const { environment } = this.#context
    return environment[`REDMINT_${name}`]?.trim() || environment[name]?.trim() || undefined
  }

  /** Whether there is a terminal to ask at. */
  get hasTerminal(): boolean {
    const { stdin, stderr } = this.#context
    return stdin.isTTY === true && stderr.isTTY === true
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#context.now()
  }

  /** Waits for so many seconds. */
  async wait(seconds: number): Promise<void> {
    await this.#context.wait(seconds)
  }

  /** Shows a sentence on stderr. */
  say(text: string): Promise<void> {
    return write(this.#context.stderr, printableText(text))
  }

  /** The environment variables of the process. */
  get environment(): ProcessContext['environment'] {
    return this.#context.environment
  }

  /** The standard input. */
  get stdin(): Readable {
    return this.#context.stdin
  }

  /** Reads all of stdin, without the line break at its end. */
  async readStdin(): Promise<string> {
    return (await text(this.#context.stdin)).replace(/\r?\n$/, '')
  }

  /** Writes all of stdin to a new file, which only its owner can read. */
  async copyStdin(path: string): Promise<void> {
    await pipeline(this.#context.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  }

  /** Loads what `redmint dev` runs. @throws UsageError if it is not installed */
  development(): Promise<Development> {
    return this.#context.development()
  }

  /** Writes text on stdout, as it is. Resolves when it is written, or fails because the reader has closed. */
  writeText(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#context.stdout.write(text, () => resolve())
    })
  }

  /** Shows the progress of the work on stderr if that is a terminal; without `total`, it is not known how much there is. */
  progress(verb: string, total?: number): Progress {
    const { stderr } = this.#context
    if (!stderr.isTTY || total === 0) return { at() {}, end() {} }
    const step = total === undefined ? 1000 : Math.max(1, Math.floor(total / 100))
    return {
      at(done) {
        if (done % step !== 0 && done !== total) return
        stderr.write(`\r${verb} ${done}${total === undefined ? '' : `/${total}`}`)
      },
      end: () => stderr.write('\n'),
    }
  }

  /** Takes the issuer of the servers, unless ISSUER is set, and says if the two differ, or the servers among themselves. */
  async #withIssuer(
    { settings }: Config,
    storage: Storage,
    json: boolean,
  ): Promise<Pick<Config, 'settings'> & Pick<CommandContext, 'guesses_issuer' | 'disputed_issuers'>> {
    const { ISSUER, REDMINT_ISSUER } = this.#context.environment
    const is_given = [ISSUER, REDMINT_ISSUER].some((value) => value?.trim())
    // If storage is unavailable, the work of the command says so.
    const issuers = await readIssuers(storage).catch((): string[] => [])
    const [issuer, ...others] = issuers
    if (is_given && issuer !== undefined && !issuers.includes(settings.issuer)) {
      const difference = `ISSUER is ${settings.issuer} here, but that of the servers is ${issuers.join(' and ')}: the command uses ISSUER.`
      await this.#printWarning(difference, json)
    }
    if (!is_given && others.length > 0) {
      const difference = `The servers disagree about ISSUER: ${issuers.join(' and ')}. Set ISSUER to say which one the command is for.`
      await this.#printWarning(difference, json)
      return { settings, guesses_issuer: true, disputed_issuers: issuers }
    }
    if (is_given || issuer === undefined) return { settings, guesses_issuer: !is_given }
    return { settings: { ...settings, issuer }, guesses_issuer: false }
  }

  #open(openStorage: StorageOpener, config: Config): Storage {
    // Storage need not log: it throws the same errors, which are printed.
    const storage = openStorage(config, SILENT)
    this.#opened.push(storage)
    return storage
  }

  async #print(report: Report, json: boolean): Promise<void> {
    this.exitCode = report.exit ?? EXIT.done
    if (report.is_silent !== true)
      await write(this.#context.stdout, json ? jsonLine(report.json) : printableText(report.text))
    if (report.error !== undefined) await this.printError(report.error, json)
  }

  #printWarning(warning: string, json: boolean): Promise<void> {
    const line = json ? jsonLine({ warning }) : printableText(`Warning: ${warning}`)
    return write(this.#context.stderr, line)
  }

  /** What an import has of this run. */
  get importing(): Importing {
    return { progress: (total) => this.progress('Written', total), wait: (seconds) => this.wait(seconds) }
  }

  /** Prints a line of a report that is long. */
  printLine(text: string): Promise<void> {
    return write(this.#context.stdout, text)
  }

  /** Prints an error on stderr, as text or as {"error": …}. */
  printError(message: string, json: boolean): Promise<void> {
    return write(this.#context.stderr, errorText(message, json))
  }
}

const troubleAt = async (location: RedisLocation) =>
  (await import('../src/storage/redis/connection/trouble.ts')).findTrouble(location)

async function toExpectedError(
  { description }: Storage,
  location: RedisLocation,
  error: unknown,
): Promise<unknown> {
  if (error instanceof StorageUnavailable) {
    // A command may fail before the reason is known.
    const reason = (VAGUE.test(error.message) ? await troubleAt(location) : undefined) ?? error.message
    const advice = adviceOn(reason, location) ?? 'Check that Redis runs, and the address, password and TLS.'
    const unknown = error instanceof OutcomeUnknown ? ` ${OUTCOME_UNKNOWN}` : ''
    return new StorageFailure(
      `Storage cannot be used: ${description} ${stateOf(reason)}: ${reason}.\n${advice}${unknown}`,
    )
  }
  // Storage throws a plain Error if a key has a value that redmint never writes, which is not a bug.
  if (error instanceof Error && error.constructor === Error) {
    return new Refusal(`${description} has a value that redmint did not write: ${error.message}.`)
  }
  return commandError(error)
}
