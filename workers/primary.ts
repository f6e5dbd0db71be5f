import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Config } from '../src/config/config.ts'
import { CLOSE_WITHIN_MS, drainMs } from '../timeouts.ts'
import { tell, type WorkerReport } from './messages.ts'
import { MetricsPool } from './metrics-pool.ts'

/** Milliseconds that a worker has to live so that its end counts as the first one. */
const STEADY_MS = 60_000

const LONGEST_PAUSE_MS = 30_000

/** How long to wait before a worker is replaced: not at all at first, and longer while its successors end soon, too. */
export class RestartPause {
  #soon = 0

  /**
   * Returns the pause in milliseconds.
   * @param lived milliseconds that the worker lived
   */
  after(lived: number): number {
    this.#soon = lived < STEADY_MS ? this.#soon + 1 : 1
    return this.#soon === 1 ? 0 : Math.min(1000 * 2 ** (this.#soon - 2), LONGEST_PAUSE_MS)
  }
}

/** Milliseconds that a worker has longer than it needs to close, before it is killed. */
const PATIENCE_MS = 1000

type End = [code: number | null, signal: NodeJS.Signals | null]

/**
 * Runs the workers, in this process that serves no request: starts them, replaces those that end, and stops all at a
 * signal. Resolves when the first one listens; the others follow.
 * @throws Error if the first worker is killed before that. If it ends by itself, it has said why: this process ends.
 */
export async function runWorkers(
  { workers, shutdown_delay }: Pick<Config, 'workers' | 'shutdown_delay'>,
  log: Logger,
): Promise<void> {
  // The workers accept connections themselves, each up to its limit (docs/decisions/0031-workers.md).
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const stop = new AbortController()
  const metrics = new MetricsPool()
  const serving = new Set<Worker>()
  const start = () => {
    const worker = cluster.fork()
    metrics.add(worker)
    untilReady(worker).then(() => serving.add(worker))
    worker.once('exit', () => serving.delete(worker))
    return worker
  }
  stopTogether({ shutdown_delay, log, stop, serving })

  const first = start()
  const end = await Promise.race([untilReady(first), endOf(first)])
  if (stop.signal.aborted) return
  if (end !== undefined) refuseToStart(end)
  keep(first, start, stop.signal, log)
  for (let count = 1; count < workers; count++) keep(start(), start, stop.signal, log)
}

interface Together {
  shutdown_delay: number
  log: Logger
  /** Aborted at the first signal. */
  stop: AbortController
  /** The workers that have listened. */
  serving: ReadonlySet<Worker>
}

/** At the first signal all workers drain; at the second, and whenever this process ends, none is left. */
function stopTogether({ shutdown_delay, log, stop, serving }: Together): void {
  const delay = drainMs(shutdown_delay) + CLOSE_WITHIN_MS + PATIENCE_MS
  closeWithGrace({ delay, logger: log }, async ({ err, signal }) => {
    if (err)
      log.fatal({ err }, 'redmint stops because of an uncaught error in the process that runs the workers.')
    else log.info(`${signal}: no longer ready, closing in ${drainMs(shutdown_delay, signal) / 1000} s.`)
    stop.abort()
    for (const worker of running()) {
      if (serving.has(worker)) tell(worker, { kind: 'stop', signal })
      // A worker that is still starting has no requests.
      else kill(worker)
    }
    const ends = await Promise.all([...serving].map(endOf))
    const failed = ends.filter(([code]) => code !== 0).length
    if (failed > 0) throw new Error(`${failed} of ${ends.length} workers ended before they had closed.`)
  })
  process.on('exit', () => running().forEach(kill))
}

/** Starts another worker whenever this one or its successor ends. */
async function keep(first: Worker, start: () => Worker, stop: AbortSignal, log: Logger): Promise<void> {
  const pauses = new RestartPause()
  for (let worker = first; !stop.aborted; worker = start()) {
    const born = performance.now()
    const end = await endOf(worker)
    if (stop.aborted) return
    const wait = pauses.after(performance.now() - born)
    logEnd(worker, end, wait, log)
    await pause(wait, undefined, { signal: stop }).catch(() => undefined)
    if (stop.aborted) return
  }
}

function logEnd({ process }: Worker, end: End, wait: number, log: Logger): void {
  const [code, signal] = end
  const when = wait === 0 ? 'at once' : `in ${wait / 1000} s`
  const line = `Worker ${process.pid} ${describeEnd(end)} It is replaced ${when}.`
  log[code === 0 ? 'info' : 'error']({ worker: process.pid, code, signal }, line)
}

function describeEnd([code, signal]: End): string {
  if (code === 0) return 'was told to stop.'
  if (code !== null) return `ended with exit code ${code}: the log or standard error says why.`
  return `was ended by ${signal}: if nobody did that, see whether the system ran out of memory.`
}

function refuseToStart(end: End): void {
  const [code] = end
  if (code === null) throw new Error(`its first worker ${describeEnd(end)}`)
  process.exit(1)
}

function kill({ process }: Worker): void {
  process.kill('SIGKILL')
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) =>
    worker?.isDead() === false ? [worker] : [],
  )
}

/** Resolves when the worker listens. */
function untilReady(worker: Worker): Promise<undefined> {
  return new Promise((resolve) => {
    worker.on('message', ({ kind }: WorkerReport) => {
      if (kind === 'ready') resolve(undefined)
    })
  })
}

async function endOf(worker: Worker): Promise<End> {
  return (await once(worker, 'exit')) as End
}
