import cluster from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import type { Order, WorkerReport } from './messages.ts'

/** This process as one of several workers. Node ends it at once if the primary is gone, and so frees the port. */
export class ThisWorker {
  /** Signals that a terminal or a supervisor may send to every process of the group. */
  readonly signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] satisfies NodeJS.Signals[]
  /** Whether this is the first one, which alone says what is true of all. */
  readonly first = cluster.worker?.id === 1
  /** Resolves with the signal when the primary or a signal tells it to stop. Only the primary acts on further ones. */
  readonly told_to_stop: Promise<NodeJS.Signals | undefined>
  readonly #orders = new EventEmitter<{ [K in Order['kind']]: [Order & { kind: K }] }>()

  constructor() {
    process.on('message', (order: Order) => this.#orders.emit(order.kind, order as never))
    this.told_to_stop = once(this.#orders, 'stop').then(([{ signal }]) => signal)
    for (const signal of this.signals)
      process.on(signal, () => this.#orders.emit('stop', { kind: 'stop', signal }))
  }

  /** Tells the primary that this worker listens. */
  ready(): void {
    report({ kind: 'ready' })
  }

  /** Returns a function that gathers the metrics of all workers; `own` returns those of this one. */
  readonly gather = (own: () => Promise<string>): (() => Promise<string>) => {
    this.#orders.on('count', async () => report({ kind: 'counted', text: await own() }))
    return async () => {
      report({ kind: 'ask' })
      const [{ text }] = await once(this.#orders, 'page')
      return text
    }
  }
}

function report(report: WorkerReport): void {
  process.send?.(report)
}
