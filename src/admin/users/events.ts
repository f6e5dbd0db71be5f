import type { AuditEntries } from '../../core/audit-entries.ts'
import { type ReportEvent, type SecurityEvent, toldOf } from '../../core/events.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from '../operation/apply-change.ts'
import { rightsOf } from './noun.ts'

/** What a change of a user tells. */
interface UserChange {
  readonly events: readonly SecurityEvent[]
  /** What the write takes along. */
  readonly told: AuditEntries | undefined
}

/** As eventsOfUser, with what the write takes along. */
export function tellUserChange(
  report: ReportEvent,
  username: string,
  former: Hash,
  present: Hash,
): UserChange {
  const events = eventsOfUser(username, former, present)
  return { events, told: toldOf(report, events, { sub: present.sub }) }
}

/** Returns the events of a change of a user, with the names of fields, and never their values but rights. */
export function eventsOfUser(username: string, former: Hash, present: Hash): SecurityEvent[] {
  const events: SecurityEvent[] = []
  const changed = changedFields(former, present)
  if (changed.includes('password_hash')) events.push({ event: 'password_changed', username })
  const disabled = present.disabled === 'true'
  if ((former.disabled === 'true') !== disabled)
    events.push({ event: disabled ? 'user_disabled' : 'user_enabled', username })
  if ((former.admin ?? '') !== (present.admin ?? ''))
    events.push({ event: 'rights_changed', username, from: rightsOf(former), to: rightsOf(present) })
  const named = ['password_hash', 'disabled', 'admin']
  const fields = changed.filter((field) => !named.includes(field))
  if (fields.length > 0) events.push({ event: 'user_changed', username, fields })
  return events
}
