// The tables of a run, in Markdown.
import { type Entry, succeeded } from '../history.ts'
import type { Episode, Result } from './run.ts'

/** The events by fault and by request, and the result. */
export function summarize({ settings, episodes, violations }: Result): string {
  const entries = episodes.flatMap((episode) => episode.entries)
  const { storage, seed, seconds, actors } = settings
  return [
    `Storage ${storage}, seed ${seed}, ${seconds} seconds, 3 replicas, ${actors} clients at a time, ${entries.length} requests.`,
    '',
    ...table(['fault', 'times', 'requests', '503', 'no answer', 'longest wait'], faultRows(episodes)),
    '',
    ...table(['request', 'sent', 'succeeded', 'refused', '503', 'no answer'], requestRows(entries)),
    '',
    `Violations: ${violations.length}`,
    ...violations.slice(0, 20).map((line) => `- ${line}`),
  ].join('\n')
}

function faultRows(episodes: readonly Episode[]): string[][] {
  const faults = [...new Set(episodes.map(({ fault }) => fault))]
  return faults.map((name) => {
    const same = episodes.filter(({ fault }) => fault === name)
    const entries = same.flatMap((episode) => episode.entries)
    const longest = Math.max(...same.map((episode) => episode.longest))
    const times = name === 'none' ? '' : String(same.length)
    const { unavailable, unanswered } = count(entries)
    return [name, times, String(entries.length), unavailable, unanswered, `${(longest / 1000).toFixed(1)} s`]
  })
}

function requestRows(entries: readonly Entry[]): string[][] {
  const kinds = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { action } = entry
    const kind = action.kind === 'use' ? action.place : action.kind
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry])
  }
  return [...kinds].map(([kind, list]) => {
    const { success, refused, unavailable, unanswered } = count(list)
    return [kind, String(list.length), success, refused, unavailable, unanswered]
  })
}

function count(entries: readonly Entry[]) {
  const number = (matches: (entry: Entry) => boolean) => String(entries.filter(matches).length)
  const status = ({ outcome }: Entry) => outcome.status
  return {
    success: number(succeeded),
    refused: number((entry) => !succeeded(entry) && status(entry) !== 503 && status(entry) !== undefined),
    unavailable: number((entry) => status(entry) === 503),
    unanswered: number((entry) => status(entry) === undefined),
  }
}

function table(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}
