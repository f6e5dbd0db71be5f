import { isObject } from '../../core/json.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { FieldDifference } from '../operation/difference.ts'
import { describeUser } from './record-type.ts'

/** Returns what differs between two states of a user, with the values in JSON. */
export function differenceOfUser(username: string, former: Hash, present: Hash): FieldDifference[] {
  const [from, to] = [former, present].map((hash) => membersOf(username, hash))
  const names = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])].sort()
  return names.flatMap((field) => {
    const [before, after] = [from?.[field], to?.[field]]
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    return [
      { field, ...(before !== undefined && { from: before }), ...(after !== undefined && { to: after }) },
    ]
  })
}

function membersOf(username: string, hash: Hash): Record<string, unknown> {
  if (Object.keys(hash).length === 0) return {}
  const {
    claims,
    state: _,
    username: __,
    problems: ___,
    fields: unread,
    ...fields
  } = describeUser(username, hash)
  const of_claims = Object.entries(isObject(claims) ? claims : {})
  return {
    ...unread,
    ...fields,
    ...Object.fromEntries(of_claims.map(([name, value]) => [`claims.${name}`, value])),
  }
}
