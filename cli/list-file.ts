import { readFile } from 'node:fs/promises'
import { Refusal } from './errors.ts'
import { chunksOf, linesOf } from './file-lines.ts'
import { readJson } from './import.ts'

/** An entry of a list in a file. */
interface ListEntry {
  /** Its place, counted from 0. */
  readonly index: number
  readonly value?: unknown
  /** Why it cannot be read; absent: it was. */
  readonly problem?: string
}

/** A list of records in a file. */
export interface ListFile {
  /** Returns the text for a place. */
  readonly placeOf: (index: number) => string
  /** Reads the entries from the beginning; it may be called again. @throws UsageError, Refusal if the file cannot be read */
  readonly entries: () => AsyncIterable<ListEntry>
}

/**
 * Opens a file with a list: JSON lines, of which only those are in memory that are being worked on, or a JSON array,
 * which is read as a whole.
 * @param noun what the list is of: "users"
 * @throws UsageError if the file cannot be read; Refusal if it is not JSON
 */
export async function openList(path: string, noun: string): Promise<ListFile> {
  if (await isArray(path)) return arrayOf(path, noun)
  return { placeOf: (index) => `line ${index + 1}`, entries: () => entriesOf(path) }
}

// An array may be one line, however long.
async function isArray(path: string): Promise<boolean> {
  for await (const chunk of chunksOf(path)) {
    const [first] = chunk
      .toString()
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (first !== undefined) return first === '['
  }
  return false
}

async function* entriesOf(path: string): AsyncGenerator<ListEntry> {
  for await (const { number, text } of linesOf(path)) {
    try {
      yield { index: number - 1, value: JSON.parse(text) }
    } catch (error) {
      // What its reader throws is not of the line.
      if (!(error instanceof SyntaxError)) throw error
      yield { index: number - 1, problem: 'is not valid JSON' }
    }
  }
}

async function arrayOf(path: string, noun: string): Promise<ListFile> {
  const values = readJson(await readFile(path, 'utf8'))
  if (!Array.isArray(values)) throw new Refusal(`The file must hold a JSON array of ${noun}.`)
  return {
    placeOf: (index) => `[${index}]`,
    async *entries() {
      for (const [index, value] of values.entries()) yield { index, value }
    },
  }
}
