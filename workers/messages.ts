// What the primary and its workers tell each other; `server.ts` says which process is what.
import type { Worker } from 'node:cluster'

/** From the primary to a worker: stop serving because of a signal, send your metrics, here are the metrics of all. */
export type Order =
  | { kind: 'stop'; signal: NodeJS.Signals | undefined }
  | { kind: 'count' }
  | { kind: 'page'; text: string }

/** From a worker to the primary: it listens, here are its metrics, it needs the metrics of all. */
export type WorkerReport = { kind: 'ready' } | { kind: 'counted'; text: string } | { kind: 'ask' }

/** Sends an order. A worker that has just ended gets none, and the primary hears of its end anyway. */
export function tell(worker: Pick<Worker, 'send'>, order: Order): void {
  worker.send(order, () => undefined)
}
