import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Config, readConfig } from '../src/config/config.ts'
import { type Log, SILENT } from '../src/core/log.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import type { Storage } from '../src/storage/storage.ts'
import { EXIT, type ExitCode, Refusal, Unanswered, UsageError } from './errors.ts'
import { jsonLine, type Report, words, write } from './output.ts'

type Terminal<T> = T & { isTTY?: boolean }

/** The process around the command. */
export interface Surroundings {
  environment: Record<string, string | undefined>
  stdin: Terminal<Readable>
  stdout: Writable
  stderr: Terminal<Writable>
  openStorage(config: Config, log: Log): Storage
  /** Milliseconds since 1970. */
  now(): number
}

/** What a command works with. */
export interface Opened {
  storage: Storage
  config: Config
  /** Milliseconds since 1970. */
  now: number
}

/** A line that shows the progress of the work. */
export interface Progress {
  at(done: number): void
  end(): void
}

const NO_REDIS =
  'redmint works on the Redis that the servers share, and none is configured: set REDIS_URL (or REDIS_CLUSTER_NODES, or REDIS_SENTINELS and REDIS_SENTINEL_NAME) as the servers have it.'

/** One run of the command. */
export class Session {
  exitCode: ExitCode = EXIT.done
  readonly #around: Surroundings
  #storage: Storage | undefined

  constructor(around: Surroundings) {
    this.#around = around
  }

  /**
   * Opens storage, does the work and prints its report.
   * @throws ConfigError, UsageError; Unanswered if storage does not answer; whatever `work` throws
   */
  async answer(flags: { json?: true }, work: (opened: Opened) => Promise<Report>): Promise<void> {
    const config = readConfig(this.#around.environment)
    if (config.redis === undefined) throw new UsageError(NO_REDIS)
    // Storage logs nothing here: it throws the same errors, and those are printed.
    const storage = this.#around.openStorage(config, SILENT)
    this.#storage = storage
    try {
      await this.#print(await work({ storage, config, now: this.#around.now() }), flags.json === true)
    } catch (error) {
      throw sayStorageError(storage, error)
    }
  }

  /** Closes the connection to storage. Call it last: it takes a while if storage does not answer. */
  async close(): Promise<void> {
    await this.#storage?.close()
  }

  /**
   * Asks the operator, unless the flag --yes is set.
   * @throws UsageError if there is no terminal
   */
  async confirm(flags: { yes?: true }, question: string): Promise<boolean> {
    if (flags.yes) return true
    const { stdin, stderr } = this.#around
    if (!stdin.isTTY || !stderr.isTTY) {
      throw new UsageError('There is no terminal to ask on: give --yes where you are sure.')
    }
    const prompt = createInterface({ input: stdin, output: stderr })
    try {
      // The end of the input means no; otherwise the question would stay open forever.
      const closed = once(prompt, 'close').then(() => '')
      const answer = await Promise.race([prompt.question(`${question} [y/N] `), closed])
      return /^y(es)?$/i.test(answer.trim())
    } finally {
      prompt.close()
    }
  }

  /**
   * Reads one hidden line after each prompt. An answer is undefined if the operator ends the input.
   * @throws UsageError if there is no terminal
   */
  async hidden(prompts: readonly string[]): Promise<(string | undefined)[]> {
    const { stdin, stderr } = this.#around
    if (!stdin.isTTY || !stderr.isTTY) {
      throw new UsageError('There is no terminal to ask on: give --password-stdin.')
    }
    // readline echoes what is typed to its output, so the output is discarded.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
    const typed = lines[Symbol.asyncIterator]()
    try {
      const answers: (string | undefined)[] = []
      for (const prompt of prompts) {
        stderr.write(prompt)
        const { value } = await typed.next()
        stderr.write('\n')
        answers.push(value)
        if (value === undefined) break
      }
      return answers
    } finally {
      lines.close()
    }
  }

  /** Reads all of stdin, without the line break at its end. */
  async input(): Promise<string> {
    return (await text(this.#around.stdin)).replace(/\r?\n$/, '')
  }

  /** Shows the progress of the work on stderr if that is a terminal. */
  progress(verb: string, total: number): Progress {
    const { stderr } = this.#around
    if (!stderr.isTTY || total === 0) return { at() {}, end() {} }
    const step = Math.max(1, Math.floor(total / 100))
    return {
      at(done) {
        if (done % step === 0 || done === total) stderr.write(`\r${verb} ${done}/${total}`)
      },
      end: () => stderr.write('\n'),
    }
  }

  async #print(report: Report, json: boolean): Promise<void> {
    this.exitCode = report.exit ?? EXIT.done
    await write(this.#around.stdout, json ? jsonLine(report.json) : words(report.text))
    if (report.error !== undefined) await this.printError(report.error, json)
  }

  /** Prints what went wrong, as words or as {"error": …}. */
  printError(message: string, json: boolean): Promise<void> {
    return write(this.#around.stderr, json ? jsonLine({ error: message }) : words(message))
  }
}

function sayStorageError(storage: Storage, error: unknown): unknown {
  if (error instanceof StorageUnavailable) {
    return new Unanswered(
      `Storage does not answer (${storage.description}): ${error.message}.\nCheck that Redis runs, that it is the one the configuration names, and its password and TLS. Whether the last change was made is not known: look before you repeat it.`,
    )
  }
  // Storage throws a plain Error if a key holds a value that redmint never writes, which is not a bug.
  if (error instanceof Error && error.constructor === Error) {
    return new Refusal(`${storage.description} holds something else than redmint writes: ${error.message}.`)
  }
  return error
}
