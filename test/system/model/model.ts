// A model of the storage contract for codes, tokens and grants, independent of any implementation.
// Instants are in milliseconds since the start of the run.

import type { Changed } from '../../../src/storage/records.ts'
import { type CodeRecord, SIGN_IN_FIELDS, type SignIn } from '../../../src/tokens/code-record.ts'
import type { CodeRedemption, RedeemResult, TokenRefresh } from '../../../src/tokens/token-families.ts'
import type { TokenFields } from '../../support/records.ts'
import type { Refreshed } from '../contract/use-refresh-token.ts'

/** The configuration of the family's client. */
export interface Settings {
  refresh_token_ttl: number
  access_token_ttl: number
  idle_ttl?: number
}

export interface Code {
  code: string
  grant: string
  record: CodeRecord
  settings: Settings
  expires: number
  spent_by?: string
}

export interface Token extends TokenFields {
  token: string
  grant: string
  expires: number
  revoked: boolean
  /** Whether it belongs to a family, and is revoked with it. */
  member: boolean
  spent?: { at: number; by: string; successor: string; remembered_until: number }
  /** The results of the operations that used it. */
  told: Map<string, Refreshed>
}

export interface Grant {
  grant: string
  client_id: string
  scope: string
  /** Absent if the family was ended before its grant record existed. */
  sign_in?: SignIn
  revoked: boolean
  refresh_until: number
  expires: number
  settings: Settings
}

const MISSING = { outcome: 'missing' } as const

export class Model {
  now = 0
  readonly codes: Code[] = []
  readonly tokens: Token[] = []
  readonly grants: Grant[] = []

  code(code: string): Code | undefined {
    return this.codes.find((one) => one.code === code && this.now <= one.expires)
  }

  token(token: string): Token | undefined {
    return this.tokens.find((one) => one.token === token && this.now <= this.endOf(one))
  }

  grant(grant: string): Grant | undefined {
    return this.grants.find((one) => one.grant === grant && this.now <= one.expires)
  }

  /** A spent token is kept as long as the family had left when it was spent. */
  endOf({ expires, spent }: Pick<Token, 'expires' | 'spent'>): number {
    return spent?.remembered_until ?? expires
  }

  saveCode(code: string, grant: string, record: CodeRecord, ttl: number, settings: Settings): void {
    this.codes.push({ code, grant, record, settings, expires: this.now + ttl * 1000 })
  }

  redeemCode(presented: string, redemption: CodeRedemption): RedeemResult {
    const code = this.code(presented)
    if (code === undefined) return MISSING
    for (const field of ['client_id', 'redirect_uri', 'code_challenge'] as const) {
      if (code.record[field] !== redemption[field]) return { outcome: 'mismatch', field }
    }
    if (code.spent_by === undefined) {
      if (this.grant(code.grant)?.revoked) return MISSING
      this.#spendCode(code, redemption)
    } else if (code.spent_by !== redemption.operation) {
      this.revokeGrant(code.grant)
      return { outcome: 'replayed' }
    }
    return { outcome: 'ok', code: code.record }
  }

  refresh(presented: string, refresh: TokenRefresh): Refreshed {
    const token = this.token(presented)
    const grant = token && this.grant(token.grant)
    if (token?.type !== 'refresh_token' || grant?.sign_in === undefined || grant.revoked) return MISSING
    if (token.client_id !== refresh.client_id) return { outcome: 'mismatch' }
    const granted = token.scope.split(' ')
    const asked = refresh.scope?.split(' ') ?? granted
    if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
    const told = token.told.get(refresh.operation)
    if (told !== undefined) return told
    if (token.spent !== undefined) {
      if (this.now - token.spent.at >= refresh.retry_window * 1000) {
        this.revokeGrant(grant.grant)
        return { outcome: 'reused' }
      }
      if (this.now > grant.refresh_until) return MISSING
    } else if (token.revoked) return MISSING

    if (token.spent === undefined) this.#use(token, grant, refresh)
    const allowed = refresh.allowed_scopes.split(' ')
    const scope = asked.filter((name) => allowed.includes(name)).join(' ')
    this.#keep(grant, this.now + refresh.access_token_ttl * 1000)
    if (refresh.access_token !== undefined) {
      const { client_id, subject } = token
      const record = { type: 'access_token', client_id, subject, scope } as const
      this.saveToken(refresh.access_token, grant.grant, record, refresh.access_token_ttl)
    }
    const { sign_in } = grant
    const { by: spent_by, successor: sealed_successor } = token.spent ?? {}
    const spent = spent_by && sealed_successor ? { spent_by, sealed_successor } : {}
    const answer = { outcome: 'ok', sign_in, scope, ...spent } as const
    token.told.set(refresh.operation, answer)
    return answer
  }

  saveToken(token: string, grant: string, record: TokenFields, ttl: number): void {
    if (this.token(token) !== undefined) return
    const family = this.grant(grant)
    const expires = this.now + ttl * 1000
    const revoked = family?.revoked ?? false
    this.#write(token, grant, record, { expires, revoked, member: family !== undefined })
    if (family !== undefined) this.#keep(family, expires)
  }

  saveRevokedToken(token: string, grant: string, record: TokenFields, expires: number): void {
    this.#write(token, grant, record, { expires, revoked: true, member: false })
  }

  revokeToken(presented: string, client_id?: string): Changed | 'mismatch' {
    const token = this.token(presented)
    if (token === undefined) return 'missing'
    if (client_id !== undefined && client_id !== token.client_id) return 'mismatch'
    token.revoked = true
    if (token.type === 'refresh_token') this.revokeGrant(token.grant)
    return 'ok'
  }

  revokeGrant(presented: string): Changed {
    const grant = this.grant(presented)
    if (grant === undefined) return 'missing'
    grant.revoked = true
    for (const token of this.tokens) if (token.member && token.grant === presented) token.revoked = true
    return 'ok'
  }

  endGrant(grant: string, ttl: number): void {
    const expires = this.now + ttl * 1000
    const known = this.grant(grant)
    if (known !== undefined) {
      this.revokeGrant(grant)
      this.#keep(known, expires)
      return
    }
    const settings = { refresh_token_ttl: 0, access_token_ttl: 0 }
    const nothing = { client_id: '', scope: '', refresh_until: Number.NaN, settings }
    this.grants.push({ grant, ...nothing, revoked: true, expires })
  }

  #spendCode(code: Code, redemption: CodeRedemption): void {
    const { grant, record, settings } = code
    const { client_id, subject, scope, auth_time } = record
    const { access_token, refresh_token, access_token_ttl, refresh_token_ttl } = redemption
    const refresh_until = this.now + refresh_token_ttl * 1000
    const expires = refresh_until + access_token_ttl * 1000
    const known = Object.fromEntries(
      SIGN_IN_FIELDS.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])),
    )
    code.spent_by = redemption.operation
    code.expires = expires
    this.grants.push({
      grant,
      client_id,
      scope,
      sign_in: { subject, auth_time, ...known },
      revoked: false,
      refresh_until,
      expires,
      settings,
    })
    const user = { client_id, subject, scope }
    const alive = { revoked: false, member: true }
    const ends = this.#endOfUse(refresh_until, redemption.idle_ttl)
    this.#write(refresh_token, grant, { ...user, type: 'refresh_token' }, { ...alive, expires: ends })
    if (access_token === undefined) return
    this.saveToken(access_token, grant, { ...user, type: 'access_token' }, access_token_ttl)
  }

  #use(token: Token, grant: Grant, refresh: TokenRefresh): void {
    const { client_id, subject, scope } = token
    const expires = this.#endOfUse(grant.refresh_until, refresh.idle_ttl)
    if (refresh.successor === undefined) {
      token.expires = expires
      return
    }
    token.revoked = true
    const { operation: by, sealed_successor: successor = '' } = refresh
    token.spent = { at: this.now, by, successor, remembered_until: grant.expires }
    const record = { type: 'refresh_token', client_id, subject, scope } as const
    this.#write(refresh.successor, grant.grant, record, { expires, revoked: false, member: true })
  }

  #endOfUse(refresh_until: number, idle_ttl: number | undefined): number {
    return idle_ttl === undefined ? refresh_until : Math.min(refresh_until, this.now + idle_ttl * 1000)
  }

  #write(
    token: string,
    grant: string,
    record: TokenFields,
    state: Pick<Token, 'expires' | 'revoked' | 'member'>,
  ): void {
    this.tokens.push({ token, grant, ...record, ...state, told: new Map() })
  }

  #keep(grant: Grant, expires: number): void {
    grant.expires = Math.max(grant.expires, expires)
  }
}
