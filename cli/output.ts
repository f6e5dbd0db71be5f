import type { Writable } from 'node:stream'
import type { ExitCode } from './errors.ts'

/** What a command answers: the same in words and as JSON. */
export interface Report {
  text: string
  json: object
  /** Absent: done. */
  exit?: ExitCode
  /** What went wrong after a part was done; goes to stderr. */
  error?: string
}

// A record written by somebody else could otherwise rewrite the operator's terminal.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A value with every character that a terminal would act upon spelled out. */
function printable(value: string): string {
  return value.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Rows as aligned columns, the head above them. */
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

/** Names and values, the values aligned. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = maximum(entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join('\n')
}

// Math.max takes arguments, and a table may have more rows than a call may have arguments.
function maximum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0)
}

/** "1 client", "2 clients". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const
const relative = new Intl.RelativeTimeFormat('en')

/** An instant in ISO 8601, and how far from now (milliseconds since 1970) it is. */
export function instant(at: Date, now: number): string {
  const distance = at.getTime() - now
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? UNITS[3]
  return `${at.toISOString()} (${relative.format(Math.trunc(distance / length), unit)})`
}

/** A report's words, with what a record smuggled in made visible. */
export function words(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** A JSON document on one line; it holds no character that a terminal would act upon. */
export function jsonLine(document: object): string {
  return JSON.stringify(document).replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Writes a text; resolves when it is handed over, also where nobody reads any more. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(`${text}\n`, () => resolve())
  })
}
