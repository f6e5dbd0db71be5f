// Tables in Markdown, and values as their cells.
import type { Ratio } from './statistics.ts'

/** Two figures below 100; a dash where nothing was measured. */
export function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))
}

/** A quotient with two places; a dash if a part of it was not measured. */
export const showNumber = (ratio: number | undefined) => (ratio === undefined ? '–' : ratio.toFixed(2))

/** A quotient with its noise. */
export const showRatio = (ratio: Ratio | undefined) =>
  ratio === undefined ? '–' : `${ratio.value.toFixed(2)} ± ${ratio.noise.toFixed(2)}`

/** A table under a title, as a measurement gives it. */
export interface Table {
  title: string
  rows: readonly Readonly<Record<string, string | number>>[]
}

/** A line of a table. */
export const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** A table with its title; columns of numbers are set to the right. */
export function tableText({ title, rows }: Table): string {
  const [first = {}] = rows
  const isNumber = (name: string) => rows.every((row) => typeof row[name] === 'number' || row[name] === '')
  return [
    `**${title}**`,
    '',
    line(Object.keys(first)),
    `|${Object.keys(first)
      .map((name) => (isNumber(name) ? '--:|' : '---|'))
      .join('')}`,
    ...rows.map((row) =>
      line(Object.values(row).map((cell) => (typeof cell === 'number' ? shown(cell) : cell))),
    ),
  ].join('\n')
}

const shown = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 })
