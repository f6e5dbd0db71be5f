import { parseToken } from '../../ids.ts'
import { type CodeRecord, formatCode } from '../../records/code.ts'
import type { Hash } from '../../records/hash.ts'
import { scopeNames } from '../../scope.ts'
import { grantOfTokens, redeemed } from '../common.ts'
import {
  type Changed,
  type NewToken,
  type RedeemResult,
  type Redemption,
  type Refresh,
  type RefreshResult,
  StorageUnavailable,
  type TokenAndGrant,
  type TokenStore,
} from '../storage.ts'
import { ExpiringMap } from './expiring-map.ts'
import { asStored, copyOf, wellFormed } from './records.ts'

interface Family {
  record: Hash
  tokens: Set<string>
}

const BOUND_TO = ['client_id', 'redirect_uri', 'code_challenge'] as const

/** Codes, tokens and grants in memory; the same transitions as the scripts in storage/scripts/. */
export abstract class MemoryTokens implements TokenStore {
  protected closed = false
  readonly #now: () => number
  readonly #codes: ExpiringMap<Hash>
  readonly #tokens: ExpiringMap<Hash>
  readonly #families: ExpiringMap<Family>

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    this.#now = now
    this.#codes = new ExpiringMap(now)
    this.#tokens = new ExpiringMap(now)
    this.#families = new ExpiringMap(now)
  }

  async saveCode(code: string, record: CodeRecord, ttl: number): Promise<void> {
    this.assertOpen()
    if (parseToken(code) === undefined) throw new TypeError('not a code or token string')
    this.#codes.set(code, asStored(formatCode(record)), this.#now() + ttl * 1000)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<RedeemResult> {
    this.assertOpen()
    const grant = grantOfTokens(code, redemption.refresh_token, redemption.access_token)
    const record = this.#codes.get(code)
    if (grant === undefined || record === undefined) return { outcome: 'missing' }
    const field = BOUND_TO.find((name) => record[name] !== wellFormed(redemption[name]))
    if (field !== undefined) return { outcome: 'mismatch', field }
    if (record.status === 'active') this.#spend(code, record, grant, redemption)
    else if (record.redeemed_by !== wellFormed(redemption.operation)) {
      this.#revokeFamily(grant)
      return { outcome: 'replayed' }
    }
    return redeemed(record)
  }

  async saveToken(token: string, record: NewToken, ttl: number): Promise<void> {
    this.assertOpen()
    const grant = parseToken(token)?.grant
    if (grant === undefined) throw new TypeError('not a code or token string')
    const family = this.#families.get(grant)
    this.#writeToken(token, record, ttl, family?.record.status === 'revoked')
    family?.tokens.add(token)
    this.#families.keepUntil(grant, this.#now() + ttl * 1000)
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
    if (token.spent_at !== undefined) {
      const late = this.#now() - Number(token.spent_at) >= refresh.retry_window * 1000
      if (late && token.spent_by !== wellFormed(refresh.operation)) {
        this.#revokeFamily(grant)
        return { outcome: 'reused' }
      }
    } else if (token.revoked !== 'false' || !(Date.parse(token.expires_at ?? '') >= this.#now())) {
      return { outcome: 'missing' }
    } else if (refresh.successor !== undefined) {
      this.#spendRefreshToken(presented, token, family, { ...refresh, successor: refresh.successor })
    }
    const allowed = scopeNames(refresh.allowed_scopes)
    const scope = (asked.length > 0 ? asked : granted).filter((name) => allowed.includes(name)).join(' ')
    if (refresh.access_token !== undefined) {
      const record = { ...owner(token), type: 'access_token', scope } as const
      await this.saveToken(refresh.access_token, record, refresh.access_token_ttl)
    }
    const { spent_by, successor: sealed_successor } = this.#tokens.get(presented) ?? {}
    return {
      outcome: 'ok',
      subject: token.subject ?? '',
      scope,
      auth_time: Number(family.record.auth_time),
      ...(spent_by && sealed_successor ? { spent_by, sealed_successor } : {}),
    }
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
    this.#writeToken(jti, record, (expires_at.getTime() - this.#now()) / 1000, true)
  }

  async revokeGrant(grant: string): Promise<Changed> {
    this.assertOpen()
    if (this.#families.get(grant) === undefined) return 'missing'
    this.#revokeFamily(grant)
    return 'ok'
  }

  async findGrant(grant: string): Promise<Hash | undefined> {
    this.assertOpen()
    return copyOf(this.#families.get(grant)?.record)
  }

  #spend(code: string, record: Hash, grant: string, redemption: Redemption): void {
    const { client_id = '', subject = '', scope = '', auth_time = '' } = record
    const { access_token, refresh_token, access_token_ttl, refresh_token_ttl } = redemption
    const expires = this.#now() + Math.max(access_token_ttl, refresh_token_ttl) * 1000
    const redeemed_by = wellFormed(redemption.operation)
    this.#codes.set(code, { ...record, status: 'spent', redeemed_by }, expires)
    const tokens = new Set([refresh_token])
    this.#writeToken(refresh_token, { type: 'refresh_token', client_id, subject, scope }, refresh_token_ttl)
    if (access_token !== undefined) {
      tokens.add(access_token)
      this.#writeToken(access_token, { type: 'access_token', client_id, subject, scope }, access_token_ttl)
    }
    const family = { client_id, subject, scope, auth_time, status: 'active' }
    this.#families.set(grant, { record: family, tokens }, expires)
  }

  // A spent token is remembered as long as the family lives, so that a copy is noticed whenever it turns up.
  #spendRefreshToken(
    presented: string,
    token: Hash,
    family: Family,
    { operation, successor, sealed_successor = '', idle_ttl }: Refresh & { successor: string },
  ): void {
    const now = this.#now()
    const family_expires = this.#families.expires(parseToken(presented)?.grant ?? '') ?? now
    const spent = { revoked: 'true', spent_at: String(now), spent_by: operation, successor: sealed_successor }
    this.#tokens.set(presented, asStored({ ...token, ...spent }), family_expires)
    const expires = idle_ttl === undefined ? family_expires : Math.min(family_expires, now + idle_ttl * 1000)
    this.#writeToken(successor, { ...owner(token), type: 'refresh_token' }, (expires - now) / 1000)
    family.tokens.add(successor)
  }

  #writeToken(token: string, record: NewToken, ttl: number, revoked = false): void {
    const expires = this.#now() + ttl * 1000
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

  protected assertOpen(): void {
    if (this.closed) throw new StorageUnavailable('the storage is closed')
  }
}

function owner({ client_id = '', subject = '', scope = '' }: Hash): Omit<NewToken, 'type'> {
  return { client_id, subject, scope }
}
