// The tables of one or more runs, in Markdown.
import { type Entry, succeeded } from '../history.ts'
import type { Result } from './run.ts'

/** The figures of the requests after one fault, or of one kind. */
interface Row {
  /** How often the fault occurred. */
  times: number
  sent: number
  succeeded: number
  refused: number
  unavailable: number
  unanswered: number
  /** Milliseconds. */
  longest: number
}

/** The figures of runs with the same settings, without their histories. */
export interface Tally {
  settings: Omit<Result['settings'], 'seed'>
  seeds: number[]
  by_fault: Map<string, Row>
  by_request: Map<string, Row>
  violations: string[]
  unintended: string[]
}

/** Returns the figures of a run. */
export function tally({ settings: { seed, ...settings }, episodes, violations, unintended }: Result): Tally {
  const by_fault = new Map<string, Row>()
  const by_request = new Map<string, Row>()
  for (const { fault, entries, longest } of episodes) {
    const times = fault === 'none' ? 0 : 1
    addTo(by_fault, fault, { ...entries.map(rowOf).reduce(sum, EMPTY), times, longest })
    for (const entry of entries) {
      const { action } = entry
      addTo(by_request, action.kind === 'use' ? action.place : action.kind, rowOf(entry))
    }
  }
  const seeded = (line: string) => `seed ${seed}: ${line}`
  return {
    settings,
    seeds: [seed],
    by_fault,
    by_request,
    violations: violations.map(seeded),
    unintended: unintended.map(seeded),
  }
}

/** Returns the figures of two lists of runs together. */
export function together(one: Tally, other: Tally): Tally {
  const by_fault = new Map(one.by_fault)
  const by_request = new Map(one.by_request)
  for (const [fault, row] of other.by_fault) addTo(by_fault, fault, row)
  for (const [kind, row] of other.by_request) addTo(by_request, kind, row)
  return {
    settings: one.settings,
    seeds: [...one.seeds, ...other.seeds],
    by_fault,
    by_request,
    violations: [...one.violations, ...other.violations],
    unintended: [...one.unintended, ...other.unintended],
  }
}

/** The events by fault and by request, and the result. */
export function summarize({ settings, seeds, by_fault, by_request, violations, unintended }: Tally): string {
  const { storage, seconds, actors, hashed, wait_replicas, down_after } = settings
  const total = [...by_request.values()].reduce(sum, EMPTY)
  const about = [
    `Storage ${storage}`,
    seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)}`,
    `${seconds} seconds each`,
    '3 replicas',
    `${actors} clients at a time`,
    `tokens at rest ${hashed ? 'hashed' : 'plain'}`,
    `REDIS_WAIT_REPLICAS ${wait_replicas}`,
    ...(storage === 'sentinel' ? [`down-after-milliseconds ${down_after}`] : []),
    `${total.sent} requests`,
  ]
  return [
    `${about.join(', ')}.`,
    '',
    ...table(['fault', 'times', 'requests', '503', 'no answer', 'longest wait'], faultRows(by_fault)),
    '',
    ...table(['request', 'sent', 'succeeded', 'refused', '503', 'no answer'], requestRows(by_request)),
    '',
    `Unintended failovers: ${unintended.length}`,
    ...unintended.map((line) => `- ${line}`),
    `Violations: ${violations.length}`,
    ...violations.slice(0, 20).map((line) => `- ${line}`),
  ].join('\n')
}

/** The number of requests of some runs. */
export function requestsOf({ by_request }: Tally): number {
  return [...by_request.values()].reduce(sum, EMPTY).sent
}

const EMPTY: Row = {
  times: 0,
  sent: 0,
  succeeded: 0,
  refused: 0,
  unavailable: 0,
  unanswered: 0,
  longest: 0,
}

function sum(one: Row, other: Row): Row {
  return {
    times: one.times + other.times,
    sent: one.sent + other.sent,
    succeeded: one.succeeded + other.succeeded,
    refused: one.refused + other.refused,
    unavailable: one.unavailable + other.unavailable,
    unanswered: one.unanswered + other.unanswered,
    longest: Math.max(one.longest, other.longest),
  }
}

function addTo(rows: Map<string, Row>, name: string, row: Row): void {
  rows.set(name, sum(rows.get(name) ?? EMPTY, row))
}

function rowOf(entry: Entry): Row {
  const { status } = entry.outcome
  const success = succeeded(entry)
  return {
    ...EMPTY,
    sent: 1,
    succeeded: Number(success),
    refused: Number(!success && status !== 503 && status !== undefined),
    unavailable: Number(status === 503),
    unanswered: Number(status === undefined),
  }
}

function faultRows(rows: Map<string, Row>): string[][] {
  return [...rows].map(([name, { times, sent, unavailable, unanswered, longest }]) => {
    const wait = `${(longest / 1000).toFixed(1)} s`
    return [name, times === 0 ? '' : times, sent, unavailable, unanswered, wait].map(String)
  })
}

function requestRows(rows: Map<string, Row>): string[][] {
  return [...rows].map(([kind, row]) =>
    [kind, row.sent, row.succeeded, row.refused, row.unavailable, row.unanswered].map(String),
  )
}

function table(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}
