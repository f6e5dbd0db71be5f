import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import type { About } from '../../core/audit-entries.ts'
import type { SecurityEvent } from '../../core/events.ts'
import type { FieldTable } from '../../core/field-table.ts'
import type { Hash } from '../../core/record-hash.ts'
import { changedFields } from '../operation/apply-change.ts'
import { differenceOf } from '../operation/difference.ts'
import { shownFields } from '../operation/record-type.ts'
import { OLD_SECRET_FIELDS } from './secret.ts'

/** The fields that a new secret changes. */
const SECRET = ['client_secret_hash', 'client_secret_created_at', ...OLD_SECRET_FIELDS]

/** What a change of a client tells. */
interface ClientChange {
  /** With the names of fields, and never their values. */
  readonly events: readonly SecurityEvent[]
  readonly about: About
}

/** Returns what a change of a client tells. */
export function clientChange(client_id: string, former: Hash, present: Hash): ClientChange {
  const events: SecurityEvent[] = []
  const changed = changedFields(former, present, CLIENT_FIELDS)
  const has_new_secret = changed.includes('client_secret_hash') && present.client_secret_hash !== undefined
  if (has_new_secret) events.push({ event: 'client_secret_changed', client_id })
  const disabled = present.disabled === 'true'
  if ((former.disabled === 'true') !== disabled)
    events.push({ event: disabled ? 'client_disabled' : 'client_enabled', client_id })
  const named = ['disabled', ...(has_new_secret ? SECRET : [])]
  const fields = changed.filter((field) => !named.includes(field))
  if (fields.length > 0) events.push({ event: 'client_changed', client_id, fields })
  const table: FieldTable = CLIENT_FIELDS
  return { events, about: { changes: differenceOf(table, shownFields({ table }), former, present) } }
}
