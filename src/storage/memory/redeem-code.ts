import type { FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { isGrantedTarget } from '../../core/resource-uri.ts'
import { partOfScope, scopeNames } from '../../core/scope.ts'
import { type PollOutcome, type Redeemed, type Redemption, SIGN_IN_FIELDS } from '../families.ts'
import { codeDigest, refreshDigest } from '../family-digests.ts'
import { familyOf } from '../family-ids.ts'
import { detailsOf, endOfUse, type FamilyRecords, newToken, SPENT_FOR, secretOf } from './family-records.ts'
import { wellFormed } from './text.ts'

const KEPT: ReadonlySet<string> = new Set(SIGN_IN_FIELDS)
const ANSWERABLE: ReadonlySet<string> = new Set(['active', 'spent', 'pending', 'denied'])

/** Redeems a code, in the order of the script redeem-code. */
export function redeemCode(records: FamilyRecords, code: string, redemption: Redemption): Redeemed {
  const { refresh_token, access_token, bound_to } = redemption
  const written = [refresh_token, access_token].filter((token) => token !== undefined)
  const id = familyOf(code, ...written)
  if (id === undefined) return { outcome: 'missing' }
  const record = records.codes.get(code)
  if (record === undefined && records.families.get(id)?.record.code_digest === codeDigest(code, bound_to)) {
    records.end(id)
    return { outcome: 'replayed' }
  }
  if (record === undefined || !ANSWERABLE.has(record.status ?? '')) return { outcome: 'missing' }
  for (const [field, value] of Object.entries(bound_to)) {
    if (record[field] !== (value || undefined)?.toWellFormed()) return { outcome: 'mismatch', field }
  }
  // RFC 9449 §10.
  if (record.dpop_jkt !== undefined && record.dpop_jkt !== redemption.confirmation?.jkt) {
    return { outcome: 'mismatch', field: 'dpop_jkt' }
  }
  if (record.status === 'pending') return { outcome: poll(records, code, record, redemption.operation) }
  if (record.status === 'denied') return { outcome: 'denied' }
  if (record.status === 'active') {
    const { resource = '' } = record
    if (!isGrantedTarget(resource, redemption.target?.resource ?? '')) return { outcome: 'target', resource }
    if (redemption.details === 'asked')
      return { outcome: 'details', details: record.authorization_details ?? '' }
    if (records.families.get(id) !== undefined) return { outcome: 'missing' }
    const { client_id = '' } = record
    const used = records.useOnce(redemption.single_uses ?? [], redemption.operation, client_id)
    if (used !== undefined) return used
    spend(records, code, record, id, redemption)
  } else if (record.redeemed_by !== wellFormed(redemption.operation)) {
    records.end(id)
    return { outcome: 'replayed' }
  }
  return { outcome: 'ok', code: { ...record } }
}

/** Notes a poll of a code that waits for the answer of its user, as the include poll_code. */
function poll(
  { codes, now }: FamilyRecords,
  code: string,
  { interval: asked = '', polled_at = '0', polled_by, poll_answer }: Hash,
  operation: string,
): PollOutcome {
  const by = wellFormed(operation)
  if (polled_by === by) return poll_answer === 'slow_down' ? 'slow_down' : 'pending'
  const at = now()
  // The default is that of RFC 8628 §3.2.
  const interval = /^\d{1,15}$/.test(asked) ? Number(asked) : 5
  const is_early = at < Number(polled_at) + (interval - 1) * 1000
  const answer = is_early ? 'slow_down' : 'pending'
  const polled = {
    interval: String(interval + (is_early ? 5 : 0)),
    polled_at: String(at),
    polled_by: by,
    poll_answer: answer,
  }
  codes.update(code, (waiting) => Object.assign({}, waiting, polled))
  return answer
}

function spend(
  records: FamilyRecords,
  code: string,
  record: Hash,
  id: FamilyId,
  redemption: Redemption,
): void {
  const { client_id = '', subject = '', scope = '', auth_time = '', refresh_for = 'Infinity' } = record
  const {
    access_token,
    refresh_token: planned,
    refresh_scope = '',
    idle_ttl,
    target,
    confirmation,
  } = redemption
  const is_refreshable = refresh_scope === '' || scopeNames(scope).includes(refresh_scope)
  const refresh_token = is_refreshable ? planned : undefined
  const now = records.now()
  const refresh_ttl = Math.min(redemption.refresh_token_ttl, Number(refresh_for))
  const refresh_until = now + (refresh_token === undefined ? 0 : refresh_ttl * 1000)
  // The last access token of a family is written before its last refresh token expires.
  const expires = refresh_until + redemption.access_token_ttl * 1000
  const redeemed_by = wellFormed(redemption.operation)
  const kept_until = Math.min(expires, now + SPENT_FOR)
  records.codes.set(code, Object.assign({}, record, { status: 'spent', redeemed_by }), kept_until)
  const user = { client_id, subject, scope }
  const kept = Object.entries(record).filter(([field]) => KEPT.has(field))
  const code_digest = codeDigest(code, redemption.bound_to)
  const refreshable = refresh_token && {
    refresh_until: String(refresh_until),
    refresh_digest: refreshDigest(refresh_token),
    refresh_token: secretOf(refresh_token),
  }
  const facts = { auth_time, status: 'active', code_digest, ...confirmation }
  records.create(id, Object.assign({}, user, Object.fromEntries(kept), facts, refreshable), expires)
  if (refresh_token !== undefined) {
    const bound = redemption.binds_refresh_token ? { confirmation } : {}
    const token = newToken(refresh_token, 'refresh_token', user, bound)
    records.join(token, endOfUse(now, refresh_until, idle_ttl))
  }
  if (access_token !== undefined) {
    const names = target?.scopes
    const kept = names === undefined ? scope : partOfScope(scope, names)
    const { audience } = target ?? {}
    const owner = { ...user, scope: kept }
    const details = detailsOf(redemption.details, record)
    const token = newToken(access_token, 'access_token', owner, { audience, confirmation, details })
    records.join(token, now + redemption.access_token_ttl * 1000)
  }
}
