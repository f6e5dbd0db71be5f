import type { Worker } from 'node:cluster'
import type { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { mergeMetrics, totalsOf } from './merge-metrics.ts'
import { tell, type WorkerReport } from './messages.ts'

interface Member {
  readonly worker: Pick<Worker, 'send'> & Pick<EventEmitter, 'on' | 'once'>
  ready: boolean
  /** The latest metrics that it sent. */
  page: string
  /** Ends the wait for newer ones. */
  counted?: () => void
}

/** The metrics of all workers as one page, which any of them may ask for. */
export class MetricsPool {
  readonly #members = new Set<Member>()
  readonly #within: number
  /** The counters and histograms of workers that have ended, so that no total ever becomes smaller. */
  #ended = ''
  #collecting: Promise<string> | undefined

  /** @param within milliseconds after which the last known metrics of a worker that does not answer are used */
  constructor(within = 1000) {
    this.#within = within
  }

  /** Adds a worker until it ends. */
  add(worker: Member['worker']): void {
    const member: Member = { worker, ready: false, page: '' }
    this.#members.add(member)
    worker.on('message', async (report: WorkerReport) => {
      if (report.kind === 'ready') member.ready = true
      if (report.kind === 'counted') {
        member.page = report.text
        member.counted?.()
      }
      if (report.kind === 'ask') tell(worker, { kind: 'page', text: await this.#collect() })
    })
    worker.once('exit', () => {
      this.#members.delete(member)
      this.#ended = mergeMetrics([this.#ended, totalsOf(member.page)])
      member.counted?.()
    })
  }

  /** Workers that ask while the metrics are collected get the same page. */
  #collect(): Promise<string> {
    this.#collecting ??= this.#collectNow().finally(() => {
      this.#collecting = undefined
    })
    return this.#collecting
  }

  async #collectNow(): Promise<string> {
    const asked = [...this.#members].filter(({ ready }) => ready).map(askMember)
    await Promise.race([Promise.all(asked), pause(this.#within, undefined, { ref: false })])
    return mergeMetrics([this.#ended, ...[...this.#members].map(({ page }) => page)])
  }
}

function askMember(member: Member): Promise<void> {
  return new Promise((resolve) => {
    member.counted = resolve
    tell(member.worker, { kind: 'count' })
  })
}
