import type { ReportEvent } from '../core/events.ts'
import { MinuteBudget } from '../limits/minute-budget.ts'
import type { Storage } from '../storage/storage.ts'
import type { ServiceCounts } from './counts.ts'

const REPORTED = { per_name: 1, in_all: 20 }

/** Counts and reports that a group of counters is full: an event for each group in a minute, because strangers cause it. */
export function watchCounters(
  { counters: { full } }: Pick<Storage, 'counters'>,
  { counters_full }: Pick<ServiceCounts, 'counters_full'>,
  report: ReportEvent,
  now: () => number,
): void {
  const reported = new MinuteBudget(REPORTED, now)
  full.on('full', (group) => {
    counters_full[group] += 1
    if (reported.take(group)) report({ event: 'counters_full', group })
  })
}
