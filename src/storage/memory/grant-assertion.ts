import type { AssertionGrant } from '../families.ts'
import { familyOf } from '../family-ids.ts'
import { type FamilyRecords, newToken } from './family-records.ts'
import { asStored } from './text.ts'

/** Spends the id of an assertion and writes what it is granted, in the order of the script grant-assertion. */
export function grantAssertion(records: FamilyRecords, grant: AssertionGrant): 'ok' | 'used' {
  const { token, once, client_id, scope, user } = grant
  const family = familyOf(token, ...(once === undefined ? [] : [once.id]))
  if (family === undefined) throw new TypeError('not a token string')
  if (once !== undefined) {
    const used = records.assertions.get(once.id)
    if (used !== undefined) return used.used_by === token ? 'ok' : 'used'
    records.assertions.set(once.id, { used_by: token, client_id }, records.now() + once.ttl * 1000)
  }
  const expires = records.now() + grant.access_token_ttl * 1000
  const owner = asStored({ client_id, subject: user?.subject ?? '', scope })
  if (user !== undefined) {
    records.create(family, { ...owner, status: 'active', ...asStored(user.fields) }, expires)
  }
  if (grant.is_jwt) return 'ok'
  const written = newToken(token, 'access_token', owner, grant.audience)
  if (user === undefined) records.write(written, expires)
  else records.join(written, expires)
  return 'ok'
}
