import { AuditRecorder } from '../../src/audit/recorder.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Origin } from '../../src/core/audit-entries.ts'
import type { ReportEvent } from '../../src/core/events.ts'
import { SILENT } from '../../src/core/log.ts'
import type { Storage } from '../../src/storage/storage.ts'

const OF_COMMAND: Origin = { actor: { kind: 'operator', via: 'command' } }

/** Events of a command that go to the audit trail, too. */
export interface Recording {
  readonly report: ReportEvent
  /** Writes what no change took along. Returns how many entries are lost. */
  end(): Promise<number>
}

/** Returns what reports the events of a command, and keeps them in the audit trail. @param now milliseconds since 1970 */
export function recordingOf(
  log: ReportEvent,
  storage: Storage,
  settings: Pick<Settings, 'audit_days' | 'audit_key'>,
  now: () => number,
): Recording {
  const audit_lost = { trail: 0 }
  const recorder = new AuditRecorder({ storage, settings, log: SILENT, audit_lost, now })
  const report: ReportEvent = (event) => {
    log(event)
    recorder.note(event, OF_COMMAND)
  }
  return {
    report: Object.assign(report, {
      entriesOf: (...[events, about]: Parameters<NonNullable<ReportEvent['entriesOf']>>) =>
        recorder.entriesOf(events, about, OF_COMMAND),
    }),
    async end() {
      await recorder.close()
      // There may be no server that moves what is beside its record; if there is one, it does.
      await storage.trail.collect().catch(() => {})
      return audit_lost.trail
    },
  }
}
