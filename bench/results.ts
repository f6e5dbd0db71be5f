// What one run measured, where, and every sample: a file in bench/results/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CandidateName } from './row.ts'
import type { Table } from './table.ts'

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
  candidates: CandidateResult[]
}

/** A row with one of several numbers of connections, in short rounds after idle times or in long ones. */
export interface ShapeResult extends RowResult {
  connections: number
  rounds: 'short' | 'long'
}

/** Starts of the process: on an empty Redis, in which it creates its keys, or with existing ones. */
export interface StartResult {
  keys: 'created' | 'existing'
  /** Milliseconds until discovery answers, its CPU until then, and its resident memory in MB two seconds later. */
  samples: { ms: number; cpu_ms?: number; rss?: number }[]
}

/** The process as a whole. */
export interface ProcessResults {
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

/** The token endpoint during a storm of sign-ins. */
export interface StormResults {
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
  rows: RowResult[]
}

/** A whole run: every figure of the pages. Its date and its commit are those of all of its parts. */
export interface Figures extends Results {
  /** Load averages when the run went on after an interruption. */
  resumed: number[]
  /** The earlier build that was measured as well: the label of its candidates. */
  beside?: string
  process: ProcessResults
  storm: StormResults
  shapes: ShapeResult[]
  /** Rows on several versions of Node. */
  nodes: RowResult[]
  growth: Table[]
  console: Table[]
  strangers: Table[]
}

/** Reads what a whole run wrote; undefined before the first one. */
export function readFigures(path: URL): Figures | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** Writes results, a line for each row and for each other part. */
export function writeResults(path: string, results: object): void {
  const lines = Object.entries(results).map(([name, value]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((one) => JSON.stringify(one, figures)).join(',\n')}\n]`
      : JSON.stringify(value, figures)
    return `${JSON.stringify(name)}:${text}`
  })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`)
}

/** Four figures of each number are more than a run is good for. */
const figures = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
