import { CONFIRMATION_FIELDS } from '../../core/confirmation.ts'
import type { FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { isGrantedTarget } from '../../core/resource-uri.ts'
import { scopeNames } from '../../core/scope.ts'
import { GRANT_FACTS, type Refresh, type Refreshed } from '../families.ts'
import { isEarlierToken } from '../family-digests.ts'
import { familyOf } from '../family-ids.ts'
import { endOfUse, type FamilyRecords, newToken, secretOf } from './family-records.ts'
import { wellFormed } from './text.ts'

const MISSING = { outcome: 'missing' } as const

/** Uses a refresh token, in the order of the script refresh-token. */
export function refreshToken(records: FamilyRecords, presented: string, refresh: Refresh): Refreshed {
  const { successor, access_token, confirmation = {} } = refresh
  const written = [successor?.token, access_token].filter((one) => one !== undefined)
  const id = familyOf(presented, ...written) ?? ''
  const family = records.families.get(id)?.record
  const live = records.tokens.get(presented)
  if (family?.status !== 'active' || family.refresh_until === undefined) return MISSING
  const reused = (): Refreshed => {
    records.end(id)
    return { outcome: 'reused' }
  }
  const client_id = wellFormed(refresh.client_id)
  const is_spent = live === undefined && family.spent_token === secretOf(presented)
  const token = is_spent ? spentToken(records, id, family) : live
  if (token === undefined) {
    if (!isEarlierToken(family, presented, secretOf(presented))) return MISSING
    return family.client_id === client_id ? reused() : { outcome: 'mismatch' }
  }
  if (token.type !== 'refresh_token' || token.subject !== family.subject) return MISSING
  if (token.client_id !== client_id) return { outcome: 'mismatch' }
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

  const ok = { outcome: 'ok', family: factsOf(family) } as const
  const useUp = () => records.useOnce(refresh.single_uses ?? [], refresh.operation, refresh.client_id)
  const now = records.now()
  if (is_spent) {
    const { spent_by: operation = '', answered = '', spent_scope: scope = token.scope ?? '' } = family
    const answer = { ...ok, scope, spent: { operation, answered } }
    // The same operation again gets the same answer.
    if (operation === wellFormed(refresh.operation)) return answer
    // The successor was not presented yet: that would have been a later refresh.
    if (now - Number(family.spent_at) >= refresh.retry_window * 1000) return reused()
    if (now > Number(family.refresh_until)) return MISSING
    // A retry for something else than the first attempt would need a second access token.
    const { spent_resource = '' } = family
    if (spent_resource !== asked_resource) return { outcome: 'target', resource: spent_resource }
    if (CONFIRMATION_FIELDS.some((field) => family[`spent_${field}`] !== confirmation[field])) {
      return { outcome: 'retry_key' }
    }
    if (!areSameNames(asked, scope)) return { outcome: 'scope' }
    return useUp() ?? answer
  }
  // The same operation ran before; one that rotates has spent the token.
  if (records.tokens.get(access_token ?? '') !== undefined) return { ...ok, scope: asked }
  const used = useUp()
  if (used !== undefined) return used
  use(records, presented, token, id, family, { ...refresh, scope: asked })
  const access_expires = now + refresh.access_token_ttl * 1000
  if (access_token !== undefined) {
    const owner = { ...token, scope: asked }
    const { audience } = refresh.target ?? {}
    records.join(newToken(access_token, 'access_token', owner, { audience, confirmation }), access_expires)
  }
  // The grant record must outlive a JWT, which has no record of its own.
  records.families.keepUntil(id, access_expires)
  if (successor === undefined) return { ...ok, scope: asked }
  return { ...ok, scope: asked, spent: { operation: refresh.operation, answered: successor.answered } }
}

/** Returns what a refresh tells of the grant record. */
function factsOf(family: Hash): Hash {
  return Object.fromEntries(
    GRANT_FACTS.flatMap((field) => (family[field] === undefined ? [] : [[field, family[field]]])),
  )
}

/** Returns the token that the latest refresh of a family spent, as it was then, as the include spent_token. */
function spentToken(records: FamilyRecords, id: FamilyId, family: Hash): Hash {
  const { client_id = '', subject = '', scope = '', refresh_token, spent_bound = '' } = family
  const owner = { type: 'refresh_token', client_id, subject, scope }
  const bound = spent_bound.split(' ')
  const record = records.tokens.get(`${id}.${refresh_token}`) ?? owner
  return Object.fromEntries(Object.entries(record).filter(([field]) => !bound.includes(field)))
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
  const { operation, successor, idle_ttl, scope = '', target, confirmation = {} } = refresh
  const use_ends = endOfUse(records.now(), Number(family.refresh_until), idle_ttl)
  if (successor === undefined) {
    if (idle_ttl !== undefined) records.extend(presented, token, use_ends)
    records.noteRefresh(id, { refresh_token: secretOf(presented) })
    const now = records.now()
    records.change(id, { last_used_at: String(now - (now % 60_000)) })
    return
  }
  const bound = refresh.binds_refresh_token ? confirmation : {}
  const { resource = '' } = target ?? {}
  records.move(presented, successor.token, { ...token, ...bound }, use_ends)
  records.noteRefresh(id, {
    refresh_token: secretOf(successor.token),
    spent_token: secretOf(presented),
    spent_at: String(records.now()),
    spent_by: operation,
    answered: successor.answered,
    // What a retry must repeat, unless it is the usual.
    ...(scope !== (token.scope ?? '') && { spent_scope: scope }),
    ...(resource !== '' && { spent_resource: resource }),
    ...Object.fromEntries(Object.entries(confirmation).map(([field, value]) => [`spent_${field}`, value])),
    ...boundSince(token, Object.keys(bound)),
  })
}

// What a retry with the spent token need not prove.
function boundSince(token: Hash, bound: readonly string[]): Hash {
  const added = bound.filter((field) => token[field] === undefined)
  return added.length === 0 ? {} : { spent_bound: added.join(' ') }
}

function areSameNames(one: string, other: string): boolean {
  const [names, others] = [scopeNames(one), scopeNames(other)]
  return names.length === others.length && names.every((name) => others.includes(name))
}
