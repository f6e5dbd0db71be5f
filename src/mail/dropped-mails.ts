import type { ReportEvent } from '../core/events.ts'
import type { Tally } from '../core/tally.ts'
import { MinuteBudget } from '../limits/minute-budget.ts'
import { counterOf } from '../limits/networks.ts'
import type { MailKind } from './mail-kinds.ts'

/** Why what somebody asked for is dropped: its sender asked for too much, or too much waits. */
type DropReason = 'sender' | 'full'

/** A mail that is not made. */
interface Drop {
  readonly reason: DropReason
  readonly kind: MailKind
  /** The network of who asked. */
  readonly network: string
}

/** How many networks are remembered, and reported in a minute. */
const MAX_NETWORKS = 1000
const REPORTS = { per_name: 1, in_all: 10 }

/** Counts what strangers asked for in vain, and tells of it once a minute for each network: anybody can repeat it. */
export class DroppedMails {
  readonly #counts: Tally<DropReason>
  readonly #budget: MinuteBudget
  /** How many were dropped since the last report, by reason, kind and network. */
  readonly #untold = new Map<string, number>()

  /** @param now milliseconds since 1970 */
  constructor(counts: Tally<DropReason>, now: () => number) {
    this.#counts = counts
    this.#budget = new MinuteBudget(REPORTS, now)
  }

  /** Counts one, and reports it with those before that were not told. */
  note(report: ReportEvent, { reason, kind, network }: Drop): void {
    this.#counts[reason] += 1
    const key = JSON.stringify([reason, kind, counterOf(network)])
    const count = (this.#untold.get(key) ?? 0) + 1
    if (this.#budget.take(key)) {
      this.#untold.delete(key)
      report({ event: 'mail_dropped', reason, kind, network, count })
    } else if (this.#untold.has(key) || this.#untold.size < MAX_NETWORKS) this.#untold.set(key, count)
  }
}
