import type { Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import { parseToken } from '../../core/token-string.ts'
import { type CodeRecord, formatCode, SIGN_IN_FIELDS } from '../../tokens/code-record.ts'
import { assertToken, grantOfTokens, isGrant, isHeldBy, redeemed, signInOf } from '../common.ts'
import type {
  Changed,
  Ended,
  Holder,
  NewToken,
  RedeemResult,
  Redemption,
  Refresh,
  RefreshResult,
  TokenAndGrant,
  TokenStore,
} from '../storage.ts'
import { ExpiringMap } from './expiring-map.ts'
import { asStored, copyOf, wellFormed } from './records.ts'
import { MemorySessions } from './sessions.ts'

interface Family {
  record: Hash
  /** When its last refresh token ends at the latest, in milliseconds since 1970. */
  refresh_until: number
  tokens: Set<string>
}

const BOUND_TO = ['client_id', 'redirect_uri', 'code_challenge'] as const

/** Codes, tokens and grants in memory; the same transitions as the scripts in storage/scripts/. */
export abstract class MemoryTokens extends MemorySessions implements TokenStore {
  readonly #codes = new ExpiringMap<Hash>(this.now)
  readonly #tokens = new ExpiringMap<Hash>(this.now)
  readonly #families = new ExpiringMap<Family>(this.now)

  async saveCode(code: string, record: CodeRecord, ttl: number): Promise<void> {
    this.assertOpen()
    assertToken(code)
    this.#codes.set(code, asStored(formatCode(record)), this.now() + ttl * 1000)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<RedeemResult> {
    this.assertOpen()
    const grant = grantOfTokens(code, redemption.refresh_token, redemption.access_token)
    const record = this.#codes.get(code)
    if (grant === undefined || record === undefined || record.status === 'revoked')
      return { outcome: 'missing' }
    // No challenge fits no challenge, and nothing else.
    const field = BOUND_TO.find((name) => record[name] !== (redemption[name] || undefined)?.toWellFormed())
    if (field !== undefined) return { outcome: 'mismatch', field }
    if (record.status === 'active') {
      if (this.#families.get(grant)?.record.status === 'revoked') return { outcome: 'missing' }
      this.#spend(code, record, grant, redemption)
    } else if (record.redeemed_by !== wellFormed(redemption.operation)) {
      this.#revokeFamily(grant)
      return { outcome: 'replayed' }
    }
    return redeemed(record)
  }

  async saveToken(token: string, record: NewToken, ttl: number): Promise<void> {
    this.assertOpen()
    assertToken(token)
    this.#join(token, record, this.now() + ttl * 1000)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    this.assertOpen()
    return copyOf(this.#tokens.get(token))
  }

  async findTokenAndGrant(token: string): Promise<TokenAndGrant> {
    this.assertOpen()
    const family = this.#families.get(parseToken(token)?.grant ?? '')
    return { token: copyOf(this.#tokens.get(token)), grant: copyOf(family?.record) }
  }

  async refresh(presented: string, refresh: Refresh): Promise<RefreshResult> {
    this.assertOpen()
    const grant = grantOfTokens(presented, refresh.successor, refresh.access_token) ?? ''
    const token = this.#tokens.get(presented)
    const family = this.#families.get(grant)
    if (token?.type !== 'refresh_token' || family?.record.status !== 'active') return { outcome: 'missing' }
    if (token.client_id !== wellFormed(refresh.client_id)) return { outcome: 'mismatch' }
    const granted = scopeNames(token.scope ?? '')
    const asked = scopeNames(refresh.scope ?? '')
    if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
    const allowed = scopeNames(refresh.allowed_scopes)
    const scope = (asked.length > 0 ? asked : granted).filter((name) => allowed.includes(name)).join(' ')
    const answer = (): RefreshResult => {
      const { spent_by, successor: sealed_successor } = this.#tokens.get(presented) ?? {}
      return {
        outcome: 'ok',
        sign_in: signInOf(family.record),
        scope,
        refresh_until: family.refresh_until,
        ...(spent_by && sealed_successor ? { spent_by, sealed_successor } : {}),
      }
    }
    const is_spent = token.spent_at !== undefined
    // The same operation again: what it wrote stands, whatever became of it since.
    if (is_spent && token.spent_by === wellFormed(refresh.operation)) return answer()
    if (this.#tokens.get(refresh.access_token ?? '') !== undefined) return answer()
    const now = this.now()
    if (is_spent && now - Number(token.spent_at) >= refresh.retry_window * 1000) {
      this.#revokeFamily(grant)
      return { outcome: 'reused' }
    }
    if (now > family.refresh_until || (!is_spent && token.revoked !== 'false')) return { outcome: 'missing' }
    if (!is_spent) this.#use(presented, token, family, refresh)
    const access_expires = now + refresh.access_token_ttl * 1000
    if (refresh.access_token !== undefined) {
      this.#join(refresh.access_token, { ...owner(token), type: 'access_token', scope }, access_expires)
    }
    // The grant speaks for a JWT too, which has no record.
    this.#families.keepUntil(grant, access_expires)
    return answer()
  }

  async revokeToken(token: string, client_id?: string): Promise<Changed | 'mismatch'> {
    this.assertOpen()
    const record = this.#tokens.get(token)
    if (record === undefined) return 'missing'
    if (client_id !== undefined && record.client_id !== client_id) return 'mismatch'
    this.#revokeToken(token)
    if (record.type === 'refresh_token') this.#revokeFamily(parseToken(token)?.grant ?? '')
    return 'ok'
  }

  async saveRevokedToken(jti: string, record: NewToken, expires_at: Date): Promise<void> {
    this.assertOpen()
    assertToken(jti)
    this.#writeToken(jti, record, expires_at.getTime(), true)
  }

  async revokeGrant(grant: string): Promise<Changed> {
    this.assertOpen()
    if (this.#families.get(grant) === undefined) return 'missing'
    this.#revokeFamily(grant)
    return 'ok'
  }

  async endGrant(grant: string, ttl: number): Promise<void> {
    this.assertOpen()
    if (!isGrant(grant)) return
    const expires = this.now() + ttl * 1000
    if (this.#families.get(grant) === undefined) {
      this.#families.set(
        grant,
        { record: { status: 'revoked' }, refresh_until: 0, tokens: new Set() },
        expires,
      )
    }
    this.#revokeFamily(grant)
    this.#families.keepUntil(grant, expires)
  }

  async revokeAllOf(holder: Holder): Promise<Ended> {
    this.assertOpen()
    const ended = { sessions: this.endSessionsOf(holder), grants: 0, codes: 0, tokens: 0 }
    for (const [code, record] of this.#codes.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      this.#codes.update(code, (active) => ({ ...active, status: 'revoked' }))
      ended.codes += 1
    }
    for (const [grant, { record }] of this.#families.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      this.#revokeFamily(grant)
      ended.grants += 1
    }
    for (const [token, record] of this.#tokens.entries()) {
      if (!isHeldBy(record, holder) || record.revoked !== 'false') continue
      this.#revokeToken(token)
      ended.tokens += 1
    }
    return ended
  }

  async findGrant(grant: string): Promise<Hash | undefined> {
    this.assertOpen()
    return copyOf(this.#families.get(grant)?.record)
  }

  #spend(code: string, record: Hash, grant: string, redemption: Redemption): void {
    const { client_id = '', subject = '', scope = '', auth_time = '' } = record
    const known = Object.entries(record).filter(([field]) => SIGN_IN_FIELDS.some((name) => name === field))
    const { access_token, refresh_token, idle_ttl } = redemption
    const now = this.now()
    const access_expires = now + redemption.access_token_ttl * 1000
    const refresh_until = now + redemption.refresh_token_ttl * 1000
    // The last access token of a family is written when its last refresh token ends, at the latest.
    const expires = refresh_until + redemption.access_token_ttl * 1000
    const redeemed_by = wellFormed(redemption.operation)
    this.#codes.set(code, { ...record, status: 'spent', redeemed_by }, expires)
    const tokens = new Set([refresh_token])
    const user = { client_id, subject, scope }
    this.#writeToken(
      refresh_token,
      { ...user, type: 'refresh_token' },
      endOfUse(now, refresh_until, idle_ttl),
    )
    if (access_token !== undefined) {
      tokens.add(access_token)
      this.#writeToken(access_token, { ...user, type: 'access_token' }, access_expires)
    }
    const facts = { ...user, ...Object.fromEntries(known), auth_time }
    const family = { ...facts, status: 'active', refresh_until: String(refresh_until) }
    this.#families.set(grant, { record: family, tokens, refresh_until }, expires)
  }

  /** Spends a refresh token for its successor, or lets it live on. */
  #use(presented: string, token: Hash, family: Family, refresh: Refresh): void {
    const { operation, successor, sealed_successor = '', idle_ttl } = refresh
    const now = this.now()
    const use_ends = endOfUse(now, family.refresh_until, idle_ttl)
    if (successor === undefined) {
      if (idle_ttl === undefined) return
      this.#tokens.set(presented, { ...token, expires_at: new Date(use_ends).toISOString() }, use_ends)
      return
    }
    // Remembered as long as the family lives, so that a copy is noticed whenever it turns up.
    const family_expires = this.#families.expires(parseToken(presented)?.grant ?? '') ?? now
    const spent = { revoked: 'true', spent_at: String(now), spent_by: operation, successor: sealed_successor }
    this.#tokens.set(presented, asStored({ ...token, ...spent }), family_expires)
    this.#writeToken(successor, { ...owner(token), type: 'refresh_token' }, use_ends)
    family.tokens.add(successor)
  }

  /** Writes a token that is new; where its grant has a record, the token shares the fate of the family. */
  #join(token: string, record: NewToken, expires: number): void {
    if (this.#tokens.get(token) !== undefined) return
    const grant = parseToken(token)?.grant ?? ''
    const family = this.#families.get(grant)
    this.#writeToken(token, record, expires, family?.record.status === 'revoked')
    family?.tokens.add(token)
    this.#families.keepUntil(grant, expires)
  }

  // Both here and in a record an instant is in milliseconds since 1970.
  #writeToken(token: string, record: NewToken, expires: number, revoked = false): void {
    const { type, subject, scope, client_id } = record
    const expires_at = new Date(expires).toISOString()
    const hash = { jti: token, type, subject, scope, expires_at, revoked: String(revoked), client_id }
    this.#tokens.set(token, asStored(hash), expires)
  }

  #revokeToken(token: string): void {
    this.#tokens.update(token, (record) => ({ ...record, revoked: 'true' }))
  }

  #revokeFamily(grant: string): void {
    const family = this.#families.get(grant)
    if (family === undefined) return
    family.record = { ...family.record, status: 'revoked' }
    for (const token of family.tokens) this.#revokeToken(token)
  }
}

/** When a refresh token ends that is used now: with its family, or sooner where nobody uses it. */
function endOfUse(now: number, refresh_until: number, idle_ttl: number | undefined): number {
  return idle_ttl === undefined ? refresh_until : Math.min(refresh_until, now + idle_ttl * 1000)
}

function owner({ client_id = '', subject = '', scope = '' }: Hash): Omit<NewToken, 'type'> {
  return { client_id, subject, scope }
}
