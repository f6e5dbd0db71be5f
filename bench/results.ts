// The file of one run in bench/results/: what was measured, where, and every sample.
import { readFileSync, writeFileSync } from 'node:fs'
import type { CandidateName } from './row.ts'
import { ROWS } from './rows.ts'

/** One round of one candidate; costs are per operation. Without /proc or Redis, their figures are missing. */
export interface Sample {
  /** CPU of the server in microseconds: all threads, the main one, and those of low priority, which hash passwords. */
  cpu?: number
  cpu_main?: number
  cpu_low?: number
  redis_cpu?: number
  /** Calls by command name; those within scripts count too. */
  redis_calls?: Record<string, number>
  /** Bytes to and from Redis, and to and from clients. */
  redis_bytes?: number
  http_bytes: number
  /** Operations a second. */
  rate: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Resident memory of the server in MB. */
  rss?: number
}

export interface CandidateResult {
  label: string
  server: CandidateName | 'foreign'
  /** The version of Node that ran it. */
  node?: string
  samples: Sample[]
  /** Bytes of Redis memory that one operation left behind. */
  stored_bytes?: number
}

export interface RowResult {
  name: string
  /** The later run that measured it, if it is not of the run of the file. */
  renewed?: Pick<Results, 'date' | 'commit' | 'load'>
  candidates: CandidateResult[]
}

/** Starts of the process: on an empty Redis, in which it creates its keys, or with existing ones. */
export interface StartResult {
  keys: 'created' | 'existing'
  /** Milliseconds until discovery answers, its CPU until then, and its resident memory in MB two seconds later. */
  samples: { ms: number; cpu_ms?: number; rss?: number }[]
}

/** What `npm --prefix bench run process` measured. */
export interface ProcessResults {
  date: string
  commit: string
  load: number[]
  node: string
  starts: StartResult[]
  workers: (RowResult & { title: string })[]
}

/** Milliseconds of a token, by percentile. */
interface Latencies {
  p50: number
  p99: number
}

/** A round of tokens before, during and after a storm, and the sign-ins a second of the storm. */
export interface StormRound {
  alone: Latencies
  stormy: Latencies
  again: Latencies
  sign_ins: number
}

/** What `npm --prefix bench run login` measured. */
export interface StormResults {
  date: string
  commit: string
  load: number[]
  node: string
  /** Tokens. */
  per_second: number
  rounds: StormRound[]
}

export interface Results {
  date: string
  commit: string
  cpu_model: string
  cpus: number
  memory_gb: number
  kernel: string
  pinned: boolean
  /** Load averages of the machine at the start; a busy machine gives worse figures. */
  load: number[]
  redis?: string
  packages: Record<string, string>
  rounds: number
  seconds: number
  /** CPU of one verification of a password by itself, in microseconds; only with the row of sign-ins. */
  hash_cpu?: number
  /** Missing until `npm --prefix bench run process` has run. */
  process?: ProcessResults
  /** Missing until `npm --prefix bench run login` has run. */
  storm?: StormResults
  rows: RowResult[]
}

export function readResults(path: string | URL): Results {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** The results of a file with the rows of a later run in place of its own, or where the table has them. */
export function renewed(file: Results, { date, commit, load, rows, hash_cpu }: Results): Results {
  const later = new Map(rows.map((row) => [row.name, { ...row, renewed: { date, commit, load } }]))
  return {
    ...file,
    ...(hash_cpu !== undefined && { hash_cpu }),
    rows: ROWS.flatMap(({ name }) => later.get(name) ?? file.rows.find((row) => row.name === name) ?? []),
  }
}

export function writeResults(path: string | URL, results: Results): void {
  const { rows, ...run } = results
  const lines = rows.map((row) => JSON.stringify(row, figures))
  writeFileSync(path, `${JSON.stringify(run, figures).slice(0, -1)},"rows":[\n${lines.join(',\n')}\n]}\n`)
}

/** Four figures of each number are more than a run is good for. */
const figures = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
