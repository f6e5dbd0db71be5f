import { newId } from '../../core/token-string.ts'
import type { Presentation } from '../families.ts'
import { familyOf } from '../family-ids.ts'
import type { UsedBefore } from '../single-use.ts'
import type { FamilyRecords } from './family-records.ts'

/** Uses up ids together with a token that stays as it is, as the script present-token. */
export function presentToken(
  records: FamilyRecords,
  { token, type, client_id, single_uses }: Presentation,
): 'ok' | 'ended' | UsedBefore {
  const family = familyOf(token)
  const record = family === undefined ? undefined : records.families.get(family)?.record
  if (record?.status !== 'active' || !record.subject) return 'ended'
  const found = records.find(token)
  if (type === 'id_token' && found !== undefined) return 'ended'
  if (type === 'refresh_token') {
    if (found?.type !== 'refresh_token' || found.client_id !== client_id) return 'ended'
    if (found.revoked !== 'false' || !(Date.parse(found.expires_at ?? '') >= records.now())) return 'ended'
  }
  return records.useOnce(single_uses, newId(), client_id) ?? 'ok'
}
