import { CONFIRMATION_FIELDS } from '../../core/confirmation.ts'
import type { FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { isGrantedTarget } from '../../core/resource-uri.ts'
import { scopeNames } from '../../core/scope.ts'
import { GRANT_FACTS, type Refresh, type Refreshed } from '../families.ts'
import { familyOf } from '../family-ids.ts'
import { type PresentedState, presentedState } from '../presented-state.ts'
import { detailsOf, endOfUse, type FamilyRecords, newToken, secretOf } from './family-records.ts'
import { wellFormed } from './text.ts'

const MISSING = { outcome: 'missing' } as const

/** A refresh with a token of an active family. */
interface Attempt {
  readonly records: FamilyRecords
  readonly presented: string
  readonly refresh: Refresh
  readonly id: FamilyId
  readonly family: Hash
  readonly now: number
}

/** Uses a refresh token, as the script refresh-token. */
export function refreshToken(records: FamilyRecords, presented: string, refresh: Refresh): Refreshed {
  const written = [refresh.successor?.token, refresh.access_token].filter((one) => one !== undefined)
  const id = familyOf(presented, ...written) ?? ''
  const family = records.families.get(id)?.record
  if (family?.status !== 'active' || family.refresh_until === undefined) return MISSING
  const token = records.tokens.get(presented)
  const attempt = { records, presented, refresh, id, family, now: records.now() }
  return ROWS[presentedState(token, family, presented, secretOf(presented))](attempt, token ?? {})
}

const ROWS: Readonly<Record<PresentedState, (attempt: Attempt, token: Hash) => Refreshed>> = {
  live(attempt, token) {
    const { records, refresh, family, now } = attempt
    const { successor, access_token } = refresh
    const scope = check(attempt, token)
    if (typeof scope !== 'string') return scope
    const ok = { outcome: 'ok', family: factsOf(family), scope } as const
    // The same operation ran before; one that rotates has spent the token.
    if (records.tokens.get(access_token ?? '') !== undefined) return ok
    const used = useUp(attempt)
    if (used !== undefined) return used
    if (successor === undefined) keep(attempt, token)
    else spend(attempt, token, successor, scope)
    const access_expires = now + refresh.access_token_ttl * 1000
    if (access_token !== undefined) {
      const { target, confirmation } = refresh
      const details = detailsOf(refresh.details, family)
      const of = { audience: target?.audience, confirmation, details }
      records.join(newToken(access_token, 'access_token', { ...token, scope }, of), access_expires)
    }
    // The grant record must outlive a JWT, which has no record of its own.
    records.families.keepUntil(attempt.id, access_expires)
    if (successor === undefined) return ok
    return { ...ok, spent: { operation: refresh.operation, answered: successor.answered } }
  },

  // Its successor was not presented yet: that would have been a later refresh.
  just_spent(attempt) {
    const { refresh, family, now } = attempt
    const token = spentToken(attempt)
    const asked = check(attempt, token)
    if (typeof asked !== 'string') return asked
    const { spent_by: operation = '', answered = '', spent_scope: scope = token.scope ?? '' } = family
    const answer = { outcome: 'ok', family: factsOf(family), scope, spent: { operation, answered } } as const
    // The same operation again gets the same answer.
    if (operation === wellFormed(refresh.operation)) return answer
    if (now - Number(family.spent_at) >= refresh.retry_window * 1000) return reused(attempt)
    if (now > Number(family.refresh_until)) return MISSING
    // A retry for something else than the first attempt would need a second access token.
    const { spent_resource = '' } = family
    if (spent_resource !== (refresh.target?.resource ?? ''))
      return { outcome: 'target', resource: spent_resource }
    if (CONFIRMATION_FIELDS.some((field) => family[`spent_${field}`] !== refresh.confirmation?.[field])) {
      return { outcome: 'retry_key' }
    }
    if (!areSameNames(asked, scope)) return { outcome: 'scope' }
    if ((family.spent_details ?? '') !== narrowedText(refresh)) return { outcome: 'retry_details' }
    return useUp(attempt) ?? answer
  },

  earlier(attempt) {
    const { family, refresh } = attempt
    return family.client_id === wellFormed(refresh.client_id) ? reused(attempt) : { outcome: 'mismatch' }
  },

  unknown: () => MISSING,
}

/** Checks owner, key, resource and scope. Returns the scope of the access token, or why the request is refused. */
function check({ family, refresh }: Attempt, token: Hash): string | Refreshed {
  const { confirmation = {}, refresh_scope, target } = refresh
  if (token.type !== 'refresh_token' || token.subject !== family.subject) return MISSING
  if (token.client_id !== wellFormed(refresh.client_id)) return { outcome: 'mismatch' }
  // RFC 9449 §5, RFC 8705 §4.
  if (CONFIRMATION_FIELDS.some((field) => token[field] && token[field] !== confirmation[field])) {
    return { outcome: 'key' }
  }
  const granted = scopeNames(token.scope ?? '')
  if (refresh_scope !== undefined && !granted.includes(refresh_scope)) return MISSING
  const { resource = '' } = family
  if (!isGrantedTarget(resource, target?.resource ?? '')) return { outcome: 'target', resource }
  if (refresh.details === 'asked') return { outcome: 'details', details: family.authorization_details ?? '' }
  const asked = scopeNames(refresh.scope ?? '')
  // RFC 6749 §6: the scope must not exceed the one that the user granted.
  if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
  const allowed = scopeNames(refresh.allowed_scopes)
  return (asked.length > 0 ? asked : granted).filter((name) => allowed.includes(name)).join(' ')
}

/** The transition *spend*: the record moves to the successor, and the grant notes the spending. */
function spend(
  { records, presented, refresh, id, family, now }: Attempt,
  token: Hash,
  successor: NonNullable<Refresh['successor']>,
  scope: string,
): void {
  const { operation, idle_ttl, target, confirmation = {} } = refresh
  const bound = refresh.binds_refresh_token ? confirmation : {}
  const { resource = '' } = target ?? {}
  const narrowed = narrowedText(refresh)
  const use_ends = endOfUse(now, Number(family.refresh_until), idle_ttl)
  records.move(presented, successor.token, { ...token, ...bound }, use_ends)
  records.noteRefresh(id, {
    refresh_token: secretOf(successor.token),
    spent_token: secretOf(presented),
    spent_at: String(now),
    spent_by: operation,
    answered: successor.answered,
    // What a retry must repeat, unless it is the usual.
    ...(scope !== (token.scope ?? '') && { spent_scope: scope }),
    ...(resource !== '' && { spent_resource: resource }),
    ...(narrowed !== '' && { spent_details: narrowed }),
    ...Object.fromEntries(Object.entries(confirmation).map(([field, value]) => [`spent_${field}`, value])),
    ...boundSince(token, Object.keys(bound)),
  })
}

/** The transition *keep*: the token stays in use, and one that was spent before is an earlier one now. */
function keep({ records, presented, refresh: { idle_ttl }, id, family, now }: Attempt, token: Hash): void {
  if (idle_ttl !== undefined)
    records.extend(presented, token, endOfUse(now, Number(family.refresh_until), idle_ttl))
  records.noteRefresh(id, { refresh_token: secretOf(presented) })
  records.change(id, { last_used_at: String(now - (now % 60_000)) })
}

/** The transition *end*. */
function reused({ records, id }: Attempt): Refreshed {
  records.end(id)
  return { outcome: 'reused' }
}

const useUp = ({ records, refresh }: Attempt) =>
  records.useOnce(refresh.single_uses ?? [], refresh.operation, refresh.client_id)

/** Returns what a refresh tells of the grant record. */
function factsOf(family: Hash): Hash {
  return Object.fromEntries(
    GRANT_FACTS.flatMap((field) => (family[field] === undefined ? [] : [[field, family[field]]])),
  )
}

/** Returns the token that the latest refresh of a family spent, as it was then, as the include spent_token. */
function spentToken({ records, id, family }: Attempt): Hash {
  const { client_id = '', subject = '', scope = '', refresh_token, spent_bound = '' } = family
  const owner = { type: 'refresh_token', client_id, subject, scope }
  const bound = spent_bound.split(' ')
  const record = records.tokens.get(`${id}.${refresh_token}`) ?? owner
  return Object.fromEntries(Object.entries(record).filter(([field]) => !bound.includes(field)))
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

/** The details that a request asks for; empty: it asks for none. */
const narrowedText = ({ details }: Refresh) => (typeof details === 'object' ? details.text : '')
