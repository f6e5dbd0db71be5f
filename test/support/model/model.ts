// A model of the storage contract for codes, tokens and grants, independent of any implementation.
// Instants are in milliseconds since the start of the run.

import { type Derivation, MAX_DERIVATIONS } from '../../../src/storage/derivation.ts'
import { type EndOutcome, SIGN_IN_FIELDS } from '../../../src/storage/families.ts'
import type { CodeRecord, SignIn } from '../../../src/tokens/code-record.ts'
import type { CodeRedemption, PlannedTokens, RedeemResult } from '../../../src/tokens/token-families.ts'
import { answeredBy, type RefreshAttempt, type Refreshed } from '../contract/use-refresh-token.ts'
import type { TokenFields } from '../records.ts'
import { Questions } from './questions.ts'

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

/** What can be redeemed once. */
type Spendable = Pick<Code, 'grant' | 'record' | 'settings' | 'expires' | 'spent_by'>

export interface Token extends Omit<TokenFields, 'type'> {
  type: TokenFields['type'] | 'access_jwt'
  token: string
  grant: string
  expires: number
  revoked: boolean
  /** Whether it is in the index of its family. */
  member: boolean
  /** What it was derived from, the nearest one first; a JWT has no record until it is revoked. */
  origins: readonly { token: string; is_jwt: boolean }[]
  /** How it was replaced by its successor, which took its record. */
  spent?: { at: number; by: string; scope: string }
  /** The results of the operations that used it while it was not spent. */
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
  /** The latest refresh token, and the one that it replaced if the latest was not presented yet. */
  latest?: string
  predecessor?: string
  /** The clients that get no derived token any more. */
  ended_actors: Set<string>
}

/** Milliseconds. */
const SPENT_FOR = 600_000
const MISSING = { outcome: 'missing' } as const

export class Model {
  now = 0
  readonly codes: Code[] = []
  readonly tokens: Token[] = []
  readonly grants: Grant[] = []
  readonly questions = new Questions(this)

  code(code: string): Code | undefined {
    return this.codes.find((one) => one.code === code && this.now <= one.expires)
  }

  token(token: string): Token | undefined {
    return this.tokens.find((one) => one.token === token && !one.spent && this.now <= one.expires)
  }

  grant(grant: string): Grant | undefined {
    return this.grants.find((one) => one.grant === grant && this.now <= one.expires)
  }

  /** The token that the latest refresh of a grant spent, if its successor was not presented yet. */
  spent({ predecessor }: Grant): Token | undefined {
    return this.tokens.find(({ token, spent }) => token === predecessor && spent !== undefined)
  }

  saveCode(code: string, grant: string, record: CodeRecord, ttl: number, settings: Settings): void {
    this.codes.push({ code, grant, record, settings, expires: this.now + ttl * 1000 })
  }

  redeemCode(presented: string, redemption: CodeRedemption): RedeemResult {
    const code = this.code(presented)
    if (code === undefined) return this.#redeemForgotten(presented, redemption)
    for (const field of ['client_id', 'redirect_uri', 'code_challenge'] as const) {
      if (code.record[field] !== redemption[field]) return { outcome: 'mismatch', field }
    }
    if (code.spent_by === undefined) {
      if (this.grant(code.grant)?.revoked) return MISSING
      this.spendCode(code, redemption)
    } else if (code.spent_by !== redemption.operation) {
      this.revokeGrant(code.grant)
      return { outcome: 'replayed' }
    }
    return { outcome: 'ok', code: code.record }
  }

  refresh(presented: string, refresh: RefreshAttempt): Refreshed {
    const grant = this.grant(presented.slice(0, 16))
    if (grant?.sign_in === undefined || grant.revoked || grant.latest === undefined) return MISSING
    const spent = this.spent(grant)
    const token = this.token(presented) ?? (spent?.token === presented ? spent : undefined)
    if (token === undefined) {
      if (!this.#isEarlier(presented, grant)) return MISSING
      return grant.client_id === refresh.client_id ? this.#reused(grant) : { outcome: 'mismatch' }
    }
    if (token.type !== 'refresh_token') return MISSING
    if (token.client_id !== refresh.client_id) return { outcome: 'mismatch' }
    const granted = token.scope.split(' ')
    const asked = refresh.scope?.split(' ') ?? granted
    if (asked.some((name) => !granted.includes(name))) return { outcome: 'scope' }
    const allowed = refresh.allowed_scopes.split(' ')
    const scope = asked.filter((name) => allowed.includes(name)).join(' ')
    const { sign_in } = grant
    if (token.spent !== undefined) {
      const { at, by, scope: first } = token.spent
      const answer = {
        outcome: 'ok',
        sign_in,
        scope: first,
        spent: { operation: by, answered: answeredBy(by) },
      } as const
      if (by === refresh.operation) return answer
      if (this.now - at >= refresh.retry_window * 1000) return this.#reused(grant)
      if (this.now > grant.refresh_until) return MISSING
      return sameNames(scope, first) ? answer : { outcome: 'scope' }
    }
    const told = token.told.get(refresh.operation)
    if (told !== undefined) return told
    if (token.revoked) return MISSING

    this.#use(token, grant, refresh, scope)
    this.#keep(grant, this.now + refresh.access_token_ttl * 1000)
    if (refresh.access_token !== undefined) {
      const { client_id, subject } = token
      const record = { type: 'access_token', client_id, subject, scope } as const
      this.saveToken(refresh.access_token, grant.grant, record, refresh.access_token_ttl)
    }
    const { operation } = refresh
    const spending = token.spent ? { spent: { operation, answered: answeredBy(operation) } } : {}
    const answer = { outcome: 'ok', sign_in, scope, ...spending } as const
    token.told.set(operation, answer)
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

  saveRevokedToken(token: string, grant: string, record: TokenFields, expires: number): EndOutcome {
    const known = this.token(token)
    if (known === undefined) this.#write(token, grant, record, { expires, revoked: true, member: false })
    const ended_before = known?.revoked ?? false
    if (known !== undefined) known.revoked = true
    return ended_before ? 'again' : 'ok'
  }

  deriveToken({
    subject,
    token,
    is_jwt,
    client_id,
    scope,
    access_token_ttl,
  }: Derivation): 'ok' | 'ended' | 'depth' {
    const grant = this.grant(subject.token.slice(0, 16))
    if (grant?.sign_in === undefined || grant.revoked) return 'ended'
    if (this.token(token) !== undefined) return 'ok'
    const origin = this.token(subject.token)
    if (!this.#isLive(origin, subject.is_jwt) || grant.ended_actors.has(client_id)) return 'ended'
    const nearest = { token: subject.token, is_jwt: origin === undefined }
    const origins = [nearest, ...(origin?.origins ?? [])]
    if (origins.length > MAX_DERIVATIONS) return 'depth'
    const ends = this.now + access_token_ttl * 1000
    const expires = origin?.type === 'access_token' ? Math.min(ends, origin.expires) : ends
    const type = is_jwt ? 'access_jwt' : 'access_token'
    const record = { type, client_id, scope, subject: grant.sign_in.subject } as const
    this.#write(token, grant.grant, record, { expires, revoked: false, member: true, origins })
    return 'ok'
  }

  endDerived(grant: string, client_id: string): number {
    const family = this.grant(grant)
    const derived = this.tokens.filter((one) => one.grant === grant && one.origins.length > 0)
    const ended = derived.filter(
      (one) => this.token(one.token) === one && one.client_id === client_id && !one.revoked,
    )
    for (const token of ended) token.revoked = true
    if (family !== undefined && !family.revoked) family.ended_actors.add(client_id)
    return ended.length
  }

  /** Marks what was derived from a token that ended, as looking for it does. */
  mark(): void {
    for (const token of this.tokens) if (this.#hasEndedOrigin(token)) token.revoked = true
  }

  revokeToken(presented: string, client_id?: string): EndOutcome | 'mismatch' {
    const token = this.token(presented)
    const grant = this.grant(presented.slice(0, 16))
    const earlier = token === undefined && grant && this.#isEarlier(presented, grant) ? grant : undefined
    const owner = token ?? earlier
    if (owner === undefined) return 'missing'
    if (client_id !== undefined && client_id !== owner.client_id) return 'mismatch'
    const is_refresh_token = token === undefined || token.type === 'refresh_token'
    const is_live = token !== undefined && !token.revoked && !grant?.revoked
    const is_change = is_live || (is_refresh_token && grant !== undefined && !grant.revoked)
    if (token !== undefined) token.revoked = true
    if (is_refresh_token) this.revokeGrant(presented.slice(0, 16))
    return is_change ? 'ok' : 'again'
  }

  revokeGrant(presented: string): EndOutcome {
    const grant = this.grant(presented)
    if (grant === undefined) return 'missing'
    const ended_before = grant.revoked
    grant.revoked = true
    this.#revokeTokensOf(presented)
    return ended_before ? 'again' : 'ok'
  }

  endGrant(grant: string, ttl: number): EndOutcome {
    const expires = this.now + ttl * 1000
    const known = this.grant(grant)
    if (known !== undefined) {
      const ended = this.revokeGrant(grant)
      this.#keep(known, expires)
      return ended
    }
    const settings = { refresh_token_ttl: 0, access_token_ttl: 0 }
    const nothing = { client_id: '', scope: '', refresh_until: Number.NaN, settings }
    this.grants.push({ grant, ...nothing, revoked: true, expires, ended_actors: new Set() })
    this.#revokeTokensOf(grant)
    return 'ok'
  }

  #isLive(token: Token | undefined, is_jwt: boolean): boolean {
    if (token === undefined) return is_jwt
    if (token.type !== (is_jwt ? 'access_jwt' : 'access_token') || token.revoked) return false
    return !this.#hasEndedOrigin(token)
  }

  #hasEndedOrigin({ origins }: Token): boolean {
    return origins.some(({ token, is_jwt }) => this.token(token)?.revoked ?? !is_jwt)
  }

  /** Writes the family and the tokens of what is redeemed: a code, or a question that was answered. */
  spendCode(code: Spendable, redemption: PlannedTokens): void {
    const { grant, record, settings } = code
    const { client_id, subject, scope, auth_time } = record
    const { access_token, refresh_token, access_token_ttl, refresh_token_ttl } = redemption
    const refresh_until = this.now + refresh_token_ttl * 1000
    const expires = (refresh_token === undefined ? this.now : refresh_until) + access_token_ttl * 1000
    const known = Object.fromEntries(
      SIGN_IN_FIELDS.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])),
    )
    code.spent_by = redemption.operation
    code.expires = Math.min(expires, this.now + SPENT_FOR)
    this.grants.push({
      grant,
      client_id,
      scope,
      sign_in: { subject, auth_time, ...known },
      revoked: false,
      refresh_until: refresh_token === undefined ? Number.NaN : refresh_until,
      expires,
      settings,
      ended_actors: new Set(),
      ...(refresh_token === undefined ? {} : { latest: refresh_token }),
    })
    const user = { client_id, subject, scope }
    const alive = { revoked: false, member: true }
    if (refresh_token !== undefined) {
      const ends = this.#endOfUse(refresh_until, redemption.idle_ttl)
      this.#write(refresh_token, grant, { ...user, type: 'refresh_token' }, { ...alive, expires: ends })
    }
    if (access_token === undefined) return
    this.saveToken(access_token, grant, { ...user, type: 'access_token' }, access_token_ttl)
  }

  // The record of a code can expire before its family, whose access tokens may live longer than planned.
  #redeemForgotten(presented: string, redemption: CodeRedemption): RedeemResult {
    const code = this.codes.find((one) => one.code === presented)
    const grant = code && this.grant(code.grant)
    if (code?.spent_by === undefined || grant?.sign_in === undefined) return MISSING
    const { client_id, redirect_uri, code_challenge } = code.record
    const is_bound =
      client_id === redemption.client_id &&
      redirect_uri === redemption.redirect_uri &&
      code_challenge === redemption.code_challenge
    if (!is_bound) return MISSING
    this.revokeGrant(code.grant)
    return { outcome: 'replayed' }
  }

  /** Whether a string has the form of a refresh token of this family, but not the latest one. */
  #isEarlier(token: string, { latest }: Grant): boolean {
    return latest !== undefined && latest !== token && token.slice(17).startsWith('refresh')
  }

  // The status of the family decides, also for a token that was saved before the family existed.
  #revokeTokensOf(grant: string): void {
    for (const token of this.tokens) if (token.grant === grant) token.revoked = true
  }

  #reused(grant: Grant): Refreshed {
    this.revokeGrant(grant.grant)
    return { outcome: 'reused' }
  }

  #use(token: Token, grant: Grant, refresh: RefreshAttempt, scope: string): void {
    const { client_id, subject } = token
    const expires = this.#endOfUse(grant.refresh_until, refresh.idle_ttl)
    delete grant.predecessor
    if (refresh.successor === undefined) {
      token.expires = expires
      return
    }
    token.spent = { at: this.now, by: refresh.operation, scope }
    grant.latest = refresh.successor
    grant.predecessor = token.token
    const record = { type: 'refresh_token', client_id, subject, scope: token.scope } as const
    this.#write(refresh.successor, grant.grant, record, { expires, revoked: false, member: true })
  }

  #endOfUse(refresh_until: number, idle_ttl: number | undefined): number {
    return idle_ttl === undefined ? refresh_until : Math.min(refresh_until, this.now + idle_ttl * 1000)
  }

  #write(
    token: string,
    grant: string,
    record: Pick<Token, 'type' | 'client_id' | 'subject' | 'scope'>,
    state: Pick<Token, 'expires' | 'revoked' | 'member'> & Partial<Pick<Token, 'origins'>>,
  ): void {
    this.tokens.push({ token, grant, origins: [], ...record, ...state, told: new Map() })
  }

  #keep(grant: Grant, expires: number): void {
    grant.expires = Math.max(grant.expires, expires)
  }
}

function sameNames(one: string, other: string): boolean {
  return one.split(' ').toSorted().join(' ') === other.split(' ').toSorted().join(' ')
}
