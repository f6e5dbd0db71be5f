import { changedFields } from '../../src/admin/apply-change.ts'
import type { ReportEvent } from '../../src/core/events.ts'
import type { Hash } from '../../src/core/record-hash.ts'

/** Reports what a command changed in the record of a user: names of fields, and never their values. */
export function reportUserChange(report: ReportEvent, username: string, former: Hash, present: Hash): void {
  const changed = changedFields(former, present)
  if (changed.includes('password_hash')) report({ event: 'password_changed', username })
  const disabled = present.disabled === 'true'
  if ((former.disabled === 'true') !== disabled)
    report({ event: disabled ? 'user_disabled' : 'user_enabled', username })
  const fields = changed.filter((field) => field !== 'password_hash' && field !== 'disabled')
  if (fields.length > 0) report({ event: 'user_changed', username, fields })
}
