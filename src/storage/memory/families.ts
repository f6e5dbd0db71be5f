import type { AuditEntries } from '../../core/audit-entries.ts'
import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { newFamilyId, newId, parseToken } from '../../core/token-string.ts'
import type { Derivation, Derived, DerivedToken, OriginsOfToken } from '../derivation.ts'
import type {
  ClientToken,
  EndOutcome,
  FamilyAndTokens,
  GrantOnce,
  NewToken,
  Presentation,
  PresentedProof,
  Redeemed,
  Redemption,
  Refresh,
  Refreshed,
  RevokedCounts,
  TokenAndFamily,
  TokenFamilies,
} from '../families.ts'
import { assertTokenString, familyOf, isFamilyId, isGrantedBefore } from '../family-ids.ts'
import { redeemedListings } from '../listed-family.ts'
import { presentedState } from '../presented-state.ts'
import type { Write } from '../records.ts'
import type { SingleUse, UsedBefore } from '../single-use.ts'
import { deriveToken, endDerived, readDerived, readOrigins, withActor } from './derived-tokens.ts'
import { FamilyRecords, newToken, secretOf } from './family-records.ts'
import type { Base } from './gate.ts'
import { grantOnce } from './grant-once.ts'
import type { MemoryLists } from './lists.ts'
import type { MemoryNotedJwts } from './noted-jwts.ts'
import { presentToken } from './present-token.ts'
import { assertWritable, type MemoryRecords } from './records.ts'
import { redeemCode } from './redeem-code.ts'
import { refreshToken } from './refresh-token.ts'
import { copyOf, wellFormed } from './text.ts'
import type { MemoryTrail } from './trail.ts'

// The fields that the script read-family returns.
const SHOWN: readonly string[] = ['type', 'scope', 'audience', 'expires_at', 'revoked']

/** The other parts that a step about a family writes to. */
interface Others {
  readonly records: MemoryRecords
  readonly lists: MemoryLists
  readonly trail: MemoryTrail
  readonly noted_jwts: MemoryNotedJwts
}

/** Codes, tokens and families in memory, with the same transitions as the scripts in storage/redis/scripts/. */
export class MemoryFamilies implements TokenFamilies {
  readonly #base: Base
  readonly #records: FamilyRecords
  readonly #others: MemoryRecords
  readonly #lists: MemoryLists
  readonly #trail: MemoryTrail
  readonly #noted: MemoryNotedJwts

  constructor(base: Base, { records, lists, trail, noted_jwts }: Others) {
    this.#base = base
    this.#records = new FamilyRecords(base.now, records)
    this.#others = records
    this.#lists = lists
    this.#trail = trail
    this.#noted = noted_jwts
  }

  async redeemCode(code: string, redemption: Redemption): Promise<Redeemed> {
    this.#base.gate.pass()
    const redeemed = redeemCode(this.#records, code, redemption)
    if (redeemed.outcome === 'ok') {
      const family = parseToken(code)?.family ?? ''
      this.#noted.note(redemption.noted, redemption.access_token_ttl)
      this.#lists.move(redeemedListings(family, redeemed.code, redemption, this.#base.now()))
    }
    return redeemed
  }

  async refresh(token: string, refresh: Refresh): Promise<Refreshed> {
    this.#base.gate.pass()
    const refreshed = refreshToken(this.#records, token, refresh)
    if (refreshed.outcome === 'ok' && (refreshed.spent?.operation ?? refresh.operation) === refresh.operation)
      this.#noted.note(refresh.noted, refresh.access_token_ttl)
    return refreshed
  }

  newClientFamily(): FamilyId {
    return newFamilyId()
  }

  async saveClientToken({ token, client_id, scope, ...more }: ClientToken, ttl: number): Promise<void> {
    this.#base.gate.pass()
    assertTokenString(token)
    if (this.#records.tokens.get(token) !== undefined) return
    const written = newToken(token, 'access_token', { scope, client_id }, more)
    this.#records.write(written, this.#base.now() + ttl * 1000)
  }

  async grantOnce(grant: GrantOnce, told?: AuditEntries): Promise<'ok' | UsedBefore> {
    this.#base.gate.pass()
    const is_new = this.#records.families.get(familyOf(grant.token) ?? '') === undefined
    const outcome = grantOnce(this.#records, grant)
    if (outcome === 'ok') this.#noted.note(grant.noted, grant.access_token_ttl)
    if (outcome === 'ok') this.#lists.join(grant.user?.lists ?? [])
    if (outcome === 'ok' && is_new) this.#trail.write(told)
    return outcome
  }

  async deriveToken(derivation: Derivation, told?: AuditEntries): Promise<Derived> {
    this.#base.gate.pass()
    const is_new = this.#records.tokens.get(derivation.token) === undefined
    const derived = deriveToken(this.#records, derivation)
    if (derived === 'ok') this.#noted.note(derivation.noted, derivation.access_token_ttl)
    if (derived === 'ok' && is_new) this.#trail.write(told)
    return derived
  }

  async presentToken(presentation: Presentation, told?: AuditEntries): Promise<'ok' | 'ended' | UsedBefore> {
    this.#base.gate.pass()
    const outcome = presentToken(this.#records, presentation)
    if (outcome === 'ok') this.#trail.write(told)
    return outcome
  }

  async readDerived(family: FamilyId): Promise<readonly DerivedToken[]> {
    this.#base.gate.pass()
    return readDerived(this.#records, family)
  }

  async readOrigins(token: string, record: Hash): Promise<OriginsOfToken> {
    this.#base.gate.pass()
    return readOrigins(this.#records, token, record)
  }

  async endDerived(family: FamilyId, client_id: ClientId, told?: AuditEntries): Promise<number> {
    this.#base.gate.pass()
    const { ended, has_changed } = endDerived(this.#records, family, client_id)
    if (has_changed) this.#trail.write(told)
    return ended
  }

  async useOnce(
    single_uses: readonly SingleUse[],
    client_id: ClientId,
    write?: Write,
  ): Promise<'ok' | UsedBefore> {
    this.#base.gate.pass()
    assertTokenString(single_uses[0]?.id ?? write?.id ?? '')
    if (write !== undefined) assertWritable([write])
    const used = this.#records.useOnce(single_uses, newId(), client_id)
    if (used !== undefined) return used
    if (write !== undefined) this.#others.write([write])
    return 'ok'
  }

  async saveRevokedToken(token: NewToken, expires_at: Date, told?: AuditEntries): Promise<'ok' | 'again'> {
    this.#base.gate.pass()
    assertTokenString(token.token)
    const found = this.#records.tokens.get(token.token)
    if (found === undefined) this.#records.write(token, expires_at.getTime(), true)
    else this.#records.revoke(token.token)
    return this.#ended(found?.revoked !== 'true', told)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(withActor(this.#records, this.#records.find(token)))
  }

  async findTokenAndFamily(token: string): Promise<TokenAndFamily> {
    this.#base.gate.pass()
    const family = this.#records.families.get(parseToken(token)?.family ?? '')
    const found = withActor(this.#records, this.#records.find(token))
    return { token: copyOf(found), family: copyOf(family?.record) }
  }

  async findTokensAndFamilies(tokens: readonly string[]): Promise<TokenAndFamily[]> {
    return Promise.all(tokens.map((token) => this.findTokenAndFamily(token)))
  }

  async findTokenByProof(
    token: string,
    { single_use, jkt }: PresentedProof,
    is_jwt: boolean,
  ): Promise<TokenAndFamily | UsedBefore> {
    const found = await this.findTokenAndFamily(token)
    if (familyOf(token, single_use.id) === undefined || !(is_jwt || found.token?.jkt === jkt)) return found
    return this.#records.useOnce([single_use], newId(), found.token?.client_id ?? '') ?? found
  }

  async findFamily(family: FamilyId): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(this.#records.families.get(family)?.record)
  }

  async readFamily(id: FamilyId, max: number): Promise<FamilyAndTokens> {
    this.#base.gate.pass()
    const family = this.#records.families.get(id)
    const live = [...(family?.live.entries() ?? [])].map(([token]) => this.#records.tokens.get(token))
    const tokens = live
      .filter((token) => token !== undefined)
      .sort((a, b) => Date.parse(a.expires_at ?? '') - Date.parse(b.expires_at ?? ''))
      .slice(0, max)
      .map((token) => Object.fromEntries(Object.entries(token).filter(([name]) => SHOWN.includes(name))))
    return { family: copyOf(family?.record), tokens }
  }

  async revokeToken(
    token: string,
    client_id?: ClientId,
    told?: AuditEntries,
  ): Promise<EndOutcome | 'mismatch'> {
    this.#base.gate.pass()
    const id = parseToken(token)?.family ?? ''
    const found = this.#records.families.get(id)?.record
    const family = found ?? {}
    const record = this.#records.tokens.get(token)
    if (presentedState(record, family, token, secretOf(token)) === 'unknown') return 'missing'
    if (client_id !== undefined && (record ?? family).client_id !== wellFormed(client_id)) return 'mismatch'
    const is_refresh_token = record === undefined || record.type === 'refresh_token'
    const is_live = record !== undefined && record.revoked !== 'true'
    const is_change =
      (is_live && (found === undefined || isActive(found))) || (is_refresh_token && isActive(family))
    this.#records.revoke(token)
    if (is_refresh_token) this.#records.end(id)
    return this.#ended(is_change, told)
  }

  async revokeFamily(family: FamilyId, told?: AuditEntries): Promise<EndOutcome> {
    this.#base.gate.pass()
    const found = this.#records.families.get(family)?.record
    if (found === undefined) return 'missing'
    this.#records.end(family)
    return this.#ended(isActive(found), told)
  }

  async endFamily(family: FamilyId, ttl: number, told?: AuditEntries): Promise<EndOutcome> {
    this.#base.gate.pass()
    if (!isFamilyId(family)) return 'missing'
    const expires = this.#base.now() + ttl * 1000
    const found = this.#records.families.get(family)?.record
    if (found === undefined) this.#records.create(family, { status: 'revoked' }, expires)
    this.#records.end(family)
    this.#records.families.keepUntil(family, expires)
    return this.#ended(found === undefined || isActive(found), told)
  }

  async revokeGrantedBefore(time: number): Promise<RevokedCounts> {
    this.#base.gate.pass()
    const { codes, families, tokens } = this.#records
    const revoked = { families: 0, codes: 0, tokens: 0 }
    for (const [code, record] of codes.entries()) {
      if (!isGrantedBefore(record, time) || record.status !== 'active') continue
      codes.update(code, (active) => ({ ...active, status: 'revoked' }))
      revoked.codes += 1
    }
    for (const [family, { record }] of families.entries()) {
      if (!isGrantedBefore(record, time) || record.status !== 'active') continue
      this.#records.end(family)
      revoked.families += 1
    }
    for (const [token, record] of tokens.entries()) {
      if (!isGrantedBefore(record, time) || record.revoked !== 'false') continue
      this.#records.revoke(token)
      revoked.tokens += 1
    }
    return revoked
  }

  /** The number of live tokens that are stored for a family. */
  sizeOf(family: string): number {
    return this.#records.families.get(family)?.live.size ?? 0
  }

  #ended(is_change: boolean, told: AuditEntries | undefined): 'ok' | 'again' {
    if (is_change) this.#trail.write(told)
    return is_change ? 'ok' : 'again'
  }
}

const isActive = ({ status }: Hash) => status === 'active'
