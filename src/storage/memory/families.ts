import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import { parseToken } from '../../core/token-string.ts'
import {
  CODE_KIND,
  type Holder,
  type NewToken,
  type Redeemed,
  type Redemption,
  type Refresh,
  type Refreshed,
  type Revoked,
  type TokenAndFamily,
  type TokenFamilies,
} from '../families.ts'
import { assertTokenString, familyOf, isFamilyId, isHeldBy } from '../family-ids.ts'
import type { Changed } from '../records.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import type { MemoryRecords } from './records.ts'
import { asStored, copyOf, wellFormed } from './text.ts'

interface Family {
  record: Hash
  /** When its last refresh token expires at the latest, in milliseconds since 1970. */
  refresh_until: number
  /** The token strings of the family, each until its token expires. */
  tokens: ExpiringMap<true>
}

/** Codes, tokens and families in memory, with the same transitions as the scripts in storage/redis/scripts/. */
export class MemoryFamilies implements TokenFamilies {
  readonly #base: Base
  readonly #codes: ExpiringMap<Hash>
  readonly #tokens: ExpiringMap<Hash>
  readonly #families: ExpiringMap<Family>

  constructor(base: Base, records: MemoryRecords) {
    this.#base = base
    this.#codes = records.of(CODE_KIND)
    this.#tokens = new ExpiringMap(base.now)
    this.#families = new ExpiringMap(base.now)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<Redeemed> {
    this.#base.gate.pass()
    const { refresh_token, access_token, bound_to } = redemption
    const written = access_token === undefined ? [refresh_token] : [refresh_token, access_token]
    const id = familyOf(code, ...written.map(({ token }) => token))
    const record = this.#codes.get(code)
    if (id === undefined || record === undefined || record.status === 'revoked') return { outcome: 'missing' }
    for (const [field, value] of Object.entries(bound_to)) {
      if (record[field] !== (value || undefined)?.toWellFormed()) return { outcome: 'mismatch', field }
    }
    if (record.status === 'active') {
      if (this.#families.get(id)?.record.status === 'revoked') return { outcome: 'missing' }
      this.#spend(code, record, id, redemption)
    } else if (record.redeemed_by !== wellFormed(redemption.operation)) {
      this.#revokeFamily(id)
      return { outcome: 'replayed' }
    }
    return { outcome: 'ok', code: { ...record } }
  }

  async refresh(presented: string, refresh: Refresh): Promise<Refreshed> {
    this.#base.gate.pass()
    const { successor, access_token } = refresh
    const written = [successor, access_token].flatMap((token) => token?.token ?? [])
    const id = familyOf(presented, ...written) ?? ''
    const token = this.#tokens.get(presented)
    const family = this.#families.get(id)
    if (token?.type !== 'refresh_token' || family?.record.status !== 'active') return { outcome: 'missing' }
    if (token.client_id !== wellFormed(refresh.client_id)) return { outcome: 'mismatch' }
    const granted = scopeNames(token.scope ?? '')
    const asked = scopeNames(refresh.scope ?? '')
    if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
    const allowed = scopeNames(refresh.allowed_scopes)
    const scope = (asked.length > 0 ? asked : granted).filter((name) => allowed.includes(name)).join(' ')
    const answer = (): Refreshed => {
      const { spent_by, successor: sealed_successor } = this.#tokens.get(presented) ?? {}
      return {
        outcome: 'ok',
        family: { ...family.record },
        scope,
        ...(spent_by && sealed_successor ? { spent_by, sealed_successor } : {}),
      }
    }
    const is_spent = token.spent_at !== undefined
    // The same operation again gets the same answer.
    if (is_spent && token.spent_by === wellFormed(refresh.operation)) return answer()
    if (access_token !== undefined && this.#tokens.get(access_token.token) !== undefined) return answer()
    const now = this.#base.now()
    if (is_spent && now - Number(token.spent_at) >= refresh.retry_window * 1000) {
      this.#revokeFamily(id)
      return { outcome: 'reused' }
    }
    if (now > family.refresh_until || (!is_spent && token.revoked !== 'false')) return { outcome: 'missing' }
    if (!is_spent) this.#use(presented, token, id, family, refresh)
    const access_expires = now + refresh.access_token_ttl * 1000
    if (access_token !== undefined) {
      this.#join(withOwner(access_token, { ...token, scope }), access_expires)
    }
    // The grant record must outlive a JWT, which has no record of its own.
    this.#families.keepUntil(id, access_expires)
    return answer()
  }

  async saveToken(token: NewToken, ttl: number): Promise<void> {
    this.#base.gate.pass()
    assertTokenString(token.token)
    this.#join(token, this.#base.now() + ttl * 1000)
  }

  async saveRevokedToken(token: NewToken, expires_at: Date): Promise<void> {
    this.#base.gate.pass()
    assertTokenString(token.token)
    this.#writeToken(token, expires_at.getTime(), true)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(this.#tokens.get(token))
  }

  async findTokenAndFamily(token: string): Promise<TokenAndFamily> {
    this.#base.gate.pass()
    const family = this.#families.get(parseToken(token)?.family ?? '')
    return { token: copyOf(this.#tokens.get(token)), family: copyOf(family?.record) }
  }

  async findFamily(family: FamilyId): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(this.#families.get(family)?.record)
  }

  async revokeToken(token: string, client_id?: ClientId): Promise<Changed | 'mismatch'> {
    this.#base.gate.pass()
    const record = this.#tokens.get(token)
    if (record === undefined) return 'missing'
    if (client_id !== undefined && record.client_id !== client_id) return 'mismatch'
    this.#revokeToken(token)
    if (record.type === 'refresh_token') this.#revokeFamily(parseToken(token)?.family ?? '')
    return 'ok'
  }

  async revokeFamily(family: FamilyId): Promise<Changed> {
    this.#base.gate.pass()
    if (this.#families.get(family) === undefined) return 'missing'
    this.#revokeFamily(family)
    return 'ok'
  }

  async endFamily(family: FamilyId, ttl: number): Promise<void> {
    this.#base.gate.pass()
    if (!isFamilyId(family)) return
    const expires = this.#base.now() + ttl * 1000
    if (this.#families.get(family) === undefined) {
      const record = { status: 'revoked' }
      this.#families.set(family, { record, refresh_until: 0, tokens: this.#noTokens() }, expires)
    }
    this.#revokeFamily(family)
    this.#families.keepUntil(family, expires)
  }

  async revokeAllOf(holder: Holder): Promise<Revoked> {
    this.#base.gate.pass()
    const revoked = { families: 0, codes: 0, tokens: 0 }
    for (const [code, record] of this.#codes.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      this.#codes.update(code, (active) => ({ ...active, status: 'revoked' }))
      revoked.codes += 1
    }
    for (const [family, { record }] of this.#families.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      this.#revokeFamily(family)
      revoked.families += 1
    }
    for (const [token, record] of this.#tokens.entries()) {
      if (!isHeldBy(record, holder) || record.revoked !== 'false') continue
      this.#revokeToken(token)
      revoked.tokens += 1
    }
    return revoked
  }

  /** The number of token strings that are stored for a family. */
  sizeOf(family: string): number {
    return this.#families.get(family)?.tokens.size ?? 0
  }

  #spend(code: string, record: Hash, id: string, redemption: Redemption): void {
    const { client_id = '', subject = '', scope = '', auth_time = '' } = record
    const { access_token, refresh_token, idle_ttl } = redemption
    const now = this.#base.now()
    const refresh_until = now + redemption.refresh_token_ttl * 1000
    // The last access token of a family is written before its last refresh token expires.
    const expires = refresh_until + redemption.access_token_ttl * 1000
    const redeemed_by = wellFormed(redemption.operation)
    this.#codes.set(code, { ...record, status: 'spent', redeemed_by }, expires)
    const user = { client_id, subject, scope }
    const kept = Object.entries(record).filter(([field]) => redemption.kept_fields.includes(field))
    const family = {
      record: {
        ...user,
        ...Object.fromEntries(kept),
        auth_time,
        status: 'active',
        refresh_until: String(refresh_until),
      },
      refresh_until,
      tokens: this.#noTokens(),
    }
    this.#families.set(id, family, expires)
    const issue = (token: NewToken, ends: number) => {
      this.#writeToken(withOwner(token, user), ends)
      family.tokens.set(token.token, true, ends)
    }
    issue(refresh_token, endOfUse(now, refresh_until, idle_ttl))
    if (access_token !== undefined) issue(access_token, now + redemption.access_token_ttl * 1000)
  }

  /** Replaces a refresh token by its successor, or extends its lifetime. */
  #use(presented: string, token: Hash, id: string, family: Family, refresh: Refresh): void {
    const { operation, successor, idle_ttl } = refresh
    const now = this.#base.now()
    const use_ends = endOfUse(now, family.refresh_until, idle_ttl)
    if (successor === undefined) {
      if (idle_ttl === undefined) return
      this.#tokens.set(presented, { ...token, expires_at: new Date(use_ends).toISOString() }, use_ends)
      family.tokens.set(presented, true, use_ends)
      return
    }
    // Kept as long as the family, so that any later reuse is detected.
    const family_expires = this.#families.expires(id) ?? now
    const spent = { revoked: 'true', spent_at: String(now), spent_by: operation, successor: successor.sealed }
    this.#tokens.set(presented, asStored({ ...token, ...spent }), family_expires)
    this.#writeToken(withOwner(successor, token), use_ends)
    family.tokens.set(successor.token, true, use_ends)
  }

  /** Writes a new token, and adds it to its family if there is a grant record. */
  #join(token: NewToken, expires: number): void {
    if (this.#tokens.get(token.token) !== undefined) return
    const id = parseToken(token.token)?.family ?? ''
    const family = this.#families.get(id)
    this.#writeToken(token, expires, family?.record.status === 'revoked')
    family?.tokens.set(token.token, true, expires)
    this.#families.keepUntil(id, expires)
  }

  #writeToken({ token, fields }: NewToken, expires: number, revoked = false): void {
    const expires_at = new Date(expires).toISOString()
    this.#tokens.set(
      token,
      asStored({ jti: token, ...fields, expires_at, revoked: String(revoked) }),
      expires,
    )
  }

  #revokeToken(token: string): void {
    this.#tokens.update(token, (record) => ({ ...record, revoked: 'true' }))
  }

  #revokeFamily(id: string): void {
    const family = this.#families.get(id)
    if (family === undefined) return
    family.record = { ...family.record, status: 'revoked' }
    for (const [token] of family.tokens.entries()) this.#revokeToken(token)
  }

  #noTokens(): ExpiringMap<true> {
    return new ExpiringMap(this.#base.now)
  }
}

/** When a refresh token that is used now expires, in milliseconds since 1970. */
function endOfUse(now: number, refresh_until: number, idle_ttl: number | undefined): number {
  return idle_ttl === undefined ? refresh_until : Math.min(refresh_until, now + idle_ttl * 1000)
}

function withOwner(
  { token, fields }: NewToken,
  { subject = '', scope = '', client_id = '' }: Hash,
): NewToken {
  return { token, fields: { ...fields, subject, scope, client_id } }
}
