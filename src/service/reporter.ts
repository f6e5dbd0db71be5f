import type { EventEmitter } from 'node:events'
import type { About, AuditEntries, Origin } from '../core/audit-entries.ts'
import { logEvent, type ReportEvent, type SecurityEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import type { ServiceCounts } from './counts.ts'

/** Emits events, and asks for what a write takes along of them: `take` gets it. */
export type Reported = EventEmitter<{
  event: [event: SecurityEvent, origin: () => Origin]
  entries: [
    events: readonly SecurityEvent[],
    about: About,
    origin: Origin,
    take: (entries: AuditEntries) => void,
  ]
}>

const OF_SERVER = (): Origin => ({ channel: 'server' })

/**
 * Returns a function that logs, counts and tells of events.
 * @param more what is known of the request that they belong to, for the log
 * @param origin returns the same for the audit trail
 */
export function reporter(
  { counts, reported }: { readonly counts: ServiceCounts; readonly reported: Reported },
  log: Log,
  more: object = {},
  origin = OF_SERVER,
): ReportEvent {
  const report = (event: SecurityEvent) => {
    counts.events[event.event] += 1
    logEvent(log, event, more)
    reported.emit('event', event, origin)
  }
  const entriesOf: ReportEvent['entriesOf'] = (events, about) => {
    let entries = NOTHING
    reported.emit('entries', events, about, origin(), (taken) => {
      entries = taken
    })
    return entries
  }
  // That of the server is made before rooms are loaded.
  const is_told = origin === OF_SERVER || reported.listenerCount('entries') > 0
  return is_told ? Object.assign(report, { entriesOf }) : report
}

const NOTHING: AuditEntries = { entries: [], ttl: 0 }
