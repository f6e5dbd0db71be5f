import type { Hash } from '../core/record-hash.ts'
import { type GroupSettings, groupsOf } from './client-access.ts'
import { customClaimField } from './custom-claims.ts'
import { parseUser } from './user-record.ts'

/** Returns the groups of a stored user, as applications see them: those of a malformed record count for nothing. */
export function groupsIn(
  username: string,
  hash: Hash | undefined,
  settings: GroupSettings,
): ReadonlySet<string> {
  // Most have none, and are not worth parsing.
  if (hash?.[customClaimField(settings.groups_claim)] === undefined) return new Set()
  const parsed = parseUser(username, hash)
  return new Set(parsed.ok ? groupsOf(parsed.record, settings) : [])
}
