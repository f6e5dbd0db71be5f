import type { ReportEvent } from '../../core/events.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from '../apply-change.ts'
import { rightsOf } from './noun.ts'

/** Reports what changed in the record of a user: names of fields, and never their values but rights. */
export function reportUserChange(report: ReportEvent, username: string, former: Hash, present: Hash): void {
  const changed = changedFields(former, present)
  if (changed.includes('password_hash')) report({ event: 'password_changed', username })
  const disabled = present.disabled === 'true'
  if ((former.disabled === 'true') !== disabled)
    report({ event: disabled ? 'user_disabled' : 'user_enabled', username })
  reportRights(report, username, former, present)
  const told = ['password_hash', 'disabled', 'admin']
  const fields = changed.filter((field) => !told.includes(field))
  if (fields.length > 0) report({ event: 'user_changed', username, fields })
}

/** Reports that a user has other rights at the admin API, if that is so. */
function reportRights(report: ReportEvent, username: string, former: Hash, present: Hash): void {
  if ((former.admin ?? '') !== (present.admin ?? ''))
    report({ event: 'rights_changed', username, from: rightsOf(former), to: rightsOf(present) })
}
