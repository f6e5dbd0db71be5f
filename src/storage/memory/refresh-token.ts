import { CONFIRMATION_FIELDS } from '../../core/confirmation.ts'
import type { FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { isGrantedTarget } from '../../core/resource-uri.ts'
import { scopeNames } from '../../core/scope.ts'
import type { Refresh, Refreshed } from '../families.ts'
import { isEarlierToken } from '../family-digests.ts'
import { familyOf } from '../family-ids.ts'
import {
  confirmationOf,
  endOfUse,
  type FamilyRecords,
  newToken,
  SPENT_FOR,
  secretOf,
} from './family-records.ts'
import { asStored, wellFormed } from './text.ts'

const MISSING = { outcome: 'missing' } as const

/** Uses a refresh token, in the order of the script refresh-token. */
export function refreshToken(records: FamilyRecords, presented: string, refresh: Refresh): Refreshed {
  const { successor, access_token } = refresh
  const written = [successor?.token, access_token].filter((one) => one !== undefined)
  const id = familyOf(presented, ...written) ?? ''
  const family = records.families.get(id)?.record
  const token = records.tokens.get(presented)
  if (family?.status !== 'active' || family.refresh_until === undefined) return MISSING
  const reused = (): Refreshed => {
    records.end(id)
    return { outcome: 'reused' }
  }
  const client_id = wellFormed(refresh.client_id)
  if (token === undefined) {
    if (!isEarlierToken(family, presented, secretOf(presented))) return MISSING
    return family.client_id === client_id ? reused() : { outcome: 'mismatch' }
  }
  if (token.type !== 'refresh_token' || token.subject !== family.subject) return MISSING
  if (token.client_id !== client_id) return { outcome: 'mismatch' }
  const { confirmation = {} } = refresh
  // RFC 9449 §5, RFC 8705 §4.
  if (CONFIRMATION_FIELDS.some((field) => token[field] && token[field] !== confirmation[field])) {
    return { outcome: 'key' }
  }
  const { refresh_scope } = refresh
  if (refresh_scope !== undefined && !scopeNames(token.scope ?? '').includes(refresh_scope)) return MISSING
  const { resource = '' } = family
  const asked_resource = refresh.target?.resource ?? ''
  if (!isGrantedTarget(resource, asked_resource)) return { outcome: 'target', resource }
  const asked = askedScope(token, refresh)
  if (typeof asked !== 'string') return asked

  const answer = (scope: string): Refreshed => {
    const {
      spent_by: operation,
      successor: sealed,
      access_token,
      issued,
    } = records.tokens.get(presented) ?? {}
    const ok = { outcome: 'ok', family: { ...family }, scope } as const
    if (!operation || !sealed) return ok
    const repeatable = access_token && issued ? { access_token, issued } : {}
    return { ...ok, spent: { operation, sealed: { successor: sealed, ...repeatable } } }
  }
  const useUp = () => records.useOnce(refresh.single_uses ?? [], refresh.operation, refresh.client_id)
  const exists = access_token !== undefined && records.tokens.get(access_token) !== undefined
  const now = records.now()
  if (token.spent_at !== undefined) {
    const scope = token.issued_scope ?? token.scope ?? ''
    // The same operation again gets the same answer.
    if (token.spent_by === wellFormed(refresh.operation) || exists) return answer(scope)
    // When the successor is presented, this record is removed.
    if (now - Number(token.spent_at) >= refresh.retry_window * 1000) return reused()
    if (now > Number(family.refresh_until)) return MISSING
    // A retry for something else than the first attempt would need a second access token.
    const { issued_resource = '' } = token
    if (issued_resource !== asked_resource) return { outcome: 'target', resource: issued_resource }
    if (CONFIRMATION_FIELDS.some((field) => token[`issued_${field}`] !== confirmation[field])) {
      return { outcome: 'retry_key' }
    }
    if (!areSameNames(asked, scope)) return { outcome: 'scope' }
    return useUp() ?? answer(scope)
  }
  if (token.revoked !== 'false') return MISSING
  if (exists) return answer(asked)
  const used = useUp()
  if (used !== undefined) return used
  use(records, presented, token, id, family, { ...refresh, scope: asked })
  const access_expires = now + refresh.access_token_ttl * 1000
  if (access_token !== undefined)
    records.join(
      newToken(
        access_token,
        'access_token',
        { ...token, scope: asked },
        { audience: refresh.target?.audience, confirmation },
      ),
      access_expires,
    )
  // The grant record must outlive a JWT, which has no record of its own.
  records.families.keepUntil(id, access_expires)
  return answer(asked)
}

/** Returns the scope of the access token, or why the request is refused. */
function askedScope(token: Hash, { scope, allowed_scopes }: Refresh): string | Refreshed {
  const granted = scopeNames(token.scope ?? '')
  const asked = scopeNames(scope ?? '')
  // RFC 6749 §6: the scope must not exceed the one that the user granted.
  if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
  const allowed = scopeNames(allowed_scopes)
  return (asked.length > 0 ? asked : granted).filter((name) => allowed.includes(name)).join(' ')
}

/** Replaces a refresh token by its successor, or extends its lifetime. `scope`: that of the access token. */
function use(
  records: FamilyRecords,
  presented: string,
  token: Hash,
  id: FamilyId,
  family: Hash,
  refresh: Refresh,
): void {
  const { operation, successor, idle_ttl, retry_window, scope = '', target, confirmation = {} } = refresh
  const now = records.now()
  const use_ends = endOfUse(now, Number(family.refresh_until), idle_ttl)
  // The predecessor cannot be retried any more, and is recognised without a record.
  if (family.spent_token !== undefined) records.tokens.take(`${id}.${family.spent_token}`)
  if (successor === undefined) {
    if (idle_ttl !== undefined) records.extend(presented, token, use_ends)
    records.change(id, {}, ['spent_token'])
    return
  }
  const spent = { revoked: 'true', spent_at: String(now), spent_by: operation, ...successor.sealed }
  const narrowed = scope === (token.scope ?? '') ? {} : { issued_scope: scope }
  const { resource = '' } = target ?? {}
  const aimed = resource === '' ? {} : { issued_resource: resource }
  const issued_to = Object.entries(confirmation).map(([field, value]) => [`issued_${field}`, value])
  const family_ends = records.families.expires(id) ?? now
  const kept_until = Math.min(family_ends, now + Math.max(retry_window * 1000, SPENT_FOR))
  records.tokens.set(
    presented,
    asStored(Object.assign({}, token, spent, narrowed, aimed, Object.fromEntries(issued_to))),
    kept_until,
  )
  records.families.get(id)?.live.take(presented)
  const bound = refresh.binds_refresh_token ? confirmation : confirmationOf(token)
  records.join(newToken(successor.token, 'refresh_token', token, { confirmation: bound }), use_ends)
  records.change(id, { refresh_token: secretOf(successor.token), spent_token: secretOf(presented) })
}

function areSameNames(one: string, other: string): boolean {
  const [names, others] = [scopeNames(one), scopeNames(other)]
  return names.length === others.length && names.every((name) => others.includes(name))
}
