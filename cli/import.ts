import { readFile } from 'node:fs/promises'
import { count } from '../src/core/count.ts'
import { EXIT, Refusal, refusalOf, UsageError } from './errors.ts'
import type { Report } from './output.ts'

/** The number of records that are read or written at the same time. */
export const PARALLEL = 64

/**
 * The outcome of work that was not completed. `unknown`: storage did not answer, so it may have been written or not;
 * `not_written`: it was not tried, or another process added or removed the record in the meantime.
 */
export type Unfinished = 'unknown' | 'not_written'

/** What became of one entry of an import. */
export interface ImportStep {
  readonly outcome: 'created' | 'updated' | 'skipped' | Unfinished
}

type Outcome = ImportStep['outcome']

/** The index of an entry in the file, and the name of its record, empty if it cannot be read. */
interface Place {
  index: number
  name: string
}

/** So many problems, or records, are listed; a file may have a million. */
export const LISTED = 1000

/** Collects the problems of a file, each with its place: the first ones are kept, and all are counted. */
export class EntryProblems {
  readonly #found: { index: number; line: string; problem: string }[] = []
  #count = 0
  readonly #formatIndex: (index: number) => string

  constructor(formatIndex = (index: number) => `[${index}]`) {
    this.#formatIndex = formatIndex
  }

  /** Returns the text for a place. */
  at(index: number): string {
    return this.#formatIndex(index)
  }

  add({ index, name }: Place, problem: string): void {
    this.#count += 1
    if (this.#found.length === LISTED) return
    const line = `${this.at(index)}${name === '' ? '' : ` "${name}"`}: ${problem}`
    this.#found.push({ index, line, problem })
  }

  /** The problems without their places, in the order in which they were added. */
  get texts(): string[] {
    return this.#found.map(({ problem }) => problem)
  }

  /** @throws Refusal that lists the problems that are kept in the order of the file, if any */
  throwIfAny(): void {
    if (this.#found.length === 0) return
    const lines = this.#found.toSorted((a, b) => a.index - b.index).map(({ line }) => line)
    const more = this.#count - lines.length
    throw refusalOf(`Nothing was written. ${count(this.#count, 'problem')}:`, [
      ...lines,
      ...(more > 0 ? [`… and ${more} more`] : []),
    ])
  }
}

/** Reads a file, or stdin for `-`. @throws UsageError if it cannot be read */
export async function readTextFile(file: string, input: () => Promise<string>): Promise<string> {
  if (file === '-') return input()
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** Parses JSON. @throws Refusal if it is not JSON; the message does not quote the file */
export function readJson(content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''))
  } catch (error) {
    // Node's message may quote secrets in the file, so only take the position from it.
    const place = / at position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0]
    throw new Refusal(`The file is not valid JSON${place ?? ''}.`)
  }
}

/** How many entries of an import had which outcome. */
export type Totals = Record<'total' | Outcome, number>

export const NO_TOTALS: Totals = { total: 0, created: 0, updated: 0, skipped: 0, unknown: 0, not_written: 0 }

/** Formats the totals as a sentence. */
export function formatTotals(totals: Readonly<Record<string, number>>): string {
  const parts = Object.entries(totals)
    .filter(([name, number]) => name === 'total' || number > 0)
    .map(([name, number]) => `${name.replace('_', ' ')} ${number}`)
  return `${parts.join(', ')}.`
}

/** Returns the exit code and the error of a report if some entries may not have been written, otherwise {}. */
export function describeUnfinished(
  { unknown, not_written }: Totals,
  noun: string,
  failure: Error | undefined,
  hint: string,
): Pick<Report, 'exit' | 'error'> {
  const unfinished = unknown + not_written
  if (unfinished === 0) return {}
  const why =
    failure === undefined
      ? 'another process added or removed them in the meantime.'
      : `storage does not answer: ${failure.message}`
  return {
    exit: failure === undefined ? EXIT.refused : EXIT.storage,
    error: `${count(unfinished, noun)} not completed: ${why}\nRun the command again with --skip-existing to continue. ${hint}`,
  }
}
