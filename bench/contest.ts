// Measures the servers of one row beside each other.
import { fileURLToPath } from 'node:url'
import { pinLoad } from './machine.ts'
import { type Contestant, measureRow } from './measure.ts'
import type { Options } from './options.ts'
import type { Course } from './plan.ts'
import type { RowResult } from './results.ts'
import { type Row, workersOf } from './row.ts'
import { attach, type Candidate, Stage, start } from './servers.ts'

/** The build that is measured. */
export const DIST = fileURLToPath(new URL('../dist', import.meta.url))

type RowOptions = Course & Partial<Pick<Options, 'peer' | 'peer_pid'>>

/**
 * Starts the candidates of a row, lets them be measured, and ends them.
 * @throws Error if a server does not start, or what `measure` throws
 */
export async function contestOf<T>(
  row: Row,
  candidates: readonly Candidate[],
  measure: (contestants: Contestant[]) => Promise<T>,
): Promise<T> {
  pinLoad(Math.max(...candidates.map(({ server }) => workersOf(server))))
  const stage = new Stage()
  try {
    const starts = await Promise.allSettled(
      candidates.map(async (candidate) => ({
        result: { label: candidate.label, server: candidate.server, node: candidate.node.version },
        running: await start(stage, candidate, row),
      })),
    )
    const contestants = starts.map((start): Contestant => {
      if (start.status === 'rejected') throw start.reason
      return start.value
    })
    return await measure(contestants)
  } finally {
    await stage.end()
  }
}

/**
 * Measures the candidates of a row in turn.
 * @returns their samples, and the version of Redis if one was used
 * @throws Error if a server does not start, or answers wrongly
 */
export async function contest(
  row: Row,
  candidates: readonly Candidate[],
  options: RowOptions,
): Promise<{ result: RowResult; redis?: string }> {
  return await contestOf(row, candidates, async (contestants) => {
    const redis = await contestants[0]?.running.redis.version()
    if (options.peer && row.candidates.includes('peer')) {
      const running = await attach(options.peer, options.peer_pid)
      contestants.push({ result: { label: options.peer.host, server: 'foreign' }, running })
    }
    const result = { name: row.name, candidates: await measureRow(row, contestants, options) }
    return { result, ...(redis !== undefined && { redis }) }
  })
}
