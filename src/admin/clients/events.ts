import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from '../apply-change.ts'
import { OLD_SECRET_FIELDS } from './secret.ts'

/** The fields that a new secret changes. */
const SECRET = ['client_secret_hash', 'client_secret_created_at', ...OLD_SECRET_FIELDS]

/** Reports what a command changed in the record of a client: names of fields, and never their values. */
export function reportClientChange(
  report: ReportEvent,
  client_id: string,
  former: Hash,
  present: Hash,
): void {
  const changed = changedFields(former, present, CLIENT_FIELDS)
  const has_new_secret = changed.includes('client_secret_hash') && present.client_secret_hash !== undefined
  if (has_new_secret) report({ event: 'client_secret_changed', client_id })
  const disabled = present.disabled === 'true'
  if ((former.disabled === 'true') !== disabled)
    report({ event: disabled ? 'client_disabled' : 'client_enabled', client_id })
  const told = ['disabled', ...(has_new_secret ? SECRET : [])]
  const fields = changed.filter((field) => !told.includes(field))
  if (fields.length > 0) report({ event: 'client_changed', client_id, fields })
}
