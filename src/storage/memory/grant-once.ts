import type { GrantOnce } from '../families.ts'
import { familyOf } from '../family-ids.ts'
import type { UsedBefore } from '../single-use.ts'
import { type FamilyRecords, newToken } from './family-records.ts'
import { asStored } from './text.ts'

/** Uses up ids that may be used once and writes what is granted for them, in the order of the script grant-once. */
export function grantOnce(records: FamilyRecords, grant: GrantOnce): 'ok' | UsedBefore {
  const { token, single_uses, client_id, scope, user } = grant
  const family = familyOf(token)
  if (family === undefined) throw new TypeError('not a token string')
  const [first] = single_uses
  // An expired assertion with this jti has a family that still exists: it must not get tokens of this one.
  const exists = user !== undefined && records.families.get(family) !== undefined
  if (exists && first !== undefined && !records.isUsedBy(first, token)) {
    return { outcome: 'used', kind: first.kind }
  }
  const used = records.useOnce(single_uses, token, client_id)
  if (used !== undefined) return used
  const expires = records.now() + grant.access_token_ttl * 1000
  const owner = asStored({ client_id, subject: user?.subject ?? '', scope })
  if (user !== undefined) {
    records.create(
      family,
      Object.assign({}, owner, { status: 'active' }, asStored(user.fields), grant.confirmation),
      expires,
    )
  }
  if (grant.is_jwt) return 'ok'
  const written = newToken(token, 'access_token', owner, grant)
  if (user === undefined) records.write(written, expires)
  else records.join(written, expires)
  return 'ok'
}
