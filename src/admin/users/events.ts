import type { SecurityEvent } from '../../core/events.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from '../operation/apply-change.ts'
import { rightsOf } from './record-type.ts'

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
