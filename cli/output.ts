import type { Writable } from 'node:stream'
import { type Indexing, indexingNote } from '../src/admin/operation/list.ts'
import { count } from '../src/core/count.ts'
import type { ExitCode } from './errors.ts'

/** The result of a command, as text and as JSON. */
export interface Report {
  text: string
  json: object
  /** Absent: EXIT.done. */
  exit?: ExitCode
  /** Whether nothing is printed of it, because the command has printed its result; absent: it is. */
  is_silent?: true
  /** An error after part of the work was done; printed on stderr. */
  error?: string
}

/** Adds to the report of a list that it may lack records. @param noun of the command that makes it whole */
export function withIndexing(report: Report, noun: string, { indexing }: Indexing): Report {
  if (!indexing) return report
  return { ...report, text: `${report.text}\n\n${indexingNote(noun)}`, json: { ...report.json, indexing } }
}

// A record may contain control sequences for the operator's terminal.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Escapes every character that a terminal would interpret. */
export function printable(value: string): string {
  return value.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Returns a line of Markdown without its marks: code is bare, and a link is its text. */
export function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

/** Formats rows as aligned columns below a head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(printable))
  const widths = head.map((_, column) => maximum(lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What a list says besides its rows. */
interface ListTexts {
  /** What is said of a list without rows. */
  readonly none: string
  /** What a row is: `client`. */
  readonly noun: string
  /** How many there are, of which the rows were chosen; absent: the rows are all, or it is not known. */
  readonly of?: number | undefined
}

/** Formats a list as a table, and says below it how many rows it has. */
export function listed(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { none, noun, of }: ListTexts,
): string {
  if (rows.length === 0) return of === undefined ? none : `${none}\n\n0 of ${count(of, noun)}.`
  return `${table(head, rows)}\n\n${countOf(rows.length, noun, of)}.`
}

/** "64 clients", "12 of 64 clients". */
function countOf(number: number, noun: string, of?: number): string {
  return of === undefined ? count(number, noun) : `${number} of ${count(of, noun)}`
}

/** Formats names and values, one pair per line, the values aligned. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = maximum(entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join('\n')
}

// Not Math.max(...values): a table can have more rows than a call can have arguments.
function maximum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0)
}

/** Escapes every character that a terminal would interpret, except line breaks. */
export function printableText(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Formats a JSON document on one line, without characters that a terminal would interpret. */
export function jsonLine(document: object): string {
  return JSON.stringify(document).replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Formats an error for stderr, as text or as {"error": …}. */
export function errorText(message: string, json: boolean): string {
  return json ? jsonLine({ error: message }) : printableText(message)
}

/** Writes a line; resolves when it is written, or fails because the reader has closed. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(`${text}\n`, () => resolve())
  })
}
