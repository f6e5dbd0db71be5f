import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { parseToken } from '../../core/token-string.ts'
import type {
  AssertionGrant,
  ClientToken,
  Holder,
  NewToken,
  Redeemed,
  Redemption,
  Refresh,
  Refreshed,
  Revoked,
  SignedInBefore,
  TokenAndFamily,
  TokenFamilies,
} from '../families.ts'
import { isEarlierToken } from '../family-digests.ts'
import { assertTokenString, isFamilyId, isHeldBy } from '../family-ids.ts'
import type { Changed } from '../records.ts'
import { FamilyRecords, secretOf } from './family-records.ts'
import type { Base } from './gate.ts'
import { grantAssertion } from './grant-assertion.ts'
import type { MemoryRecords } from './records.ts'
import { redeemCode } from './redeem-code.ts'
import { refreshToken } from './refresh-token.ts'
import { copyOf } from './text.ts'

/** Codes, tokens and families in memory, with the same transitions as the scripts in storage/redis/scripts/. */
export class MemoryFamilies implements TokenFamilies {
  readonly #base: Base
  readonly #records: FamilyRecords

  constructor(base: Base, records: MemoryRecords) {
    this.#base = base
    this.#records = new FamilyRecords(base.now, records)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<Redeemed> {
    this.#base.gate.pass()
    return redeemCode(this.#records, code, redemption)
  }

  async refresh(token: string, refresh: Refresh): Promise<Refreshed> {
    this.#base.gate.pass()
    return refreshToken(this.#records, token, refresh)
  }

  async saveClientToken({ token, client_id, scope, audience }: ClientToken, ttl: number): Promise<void> {
    this.#base.gate.pass()
    assertTokenString(token)
    if (this.#records.tokens.get(token) !== undefined) return
    const fields = { type: 'access_token', subject: '', scope, client_id, ...(audience && { audience }) }
    this.#records.write({ token, fields }, this.#base.now() + ttl * 1000)
  }

  async grantAssertion(grant: AssertionGrant): Promise<'ok' | 'used'> {
    this.#base.gate.pass()
    return grantAssertion(this.#records, grant)
  }

  async saveRevokedToken(token: NewToken, expires_at: Date): Promise<void> {
    this.#base.gate.pass()
    assertTokenString(token.token)
    this.#records.write(token, expires_at.getTime(), true)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(this.#records.find(token))
  }

  async findTokenAndFamily(token: string): Promise<TokenAndFamily> {
    this.#base.gate.pass()
    const family = this.#records.families.get(parseToken(token)?.family ?? '')
    return { token: copyOf(this.#records.find(token)), family: copyOf(family?.record) }
  }

  async findFamily(family: FamilyId): Promise<Hash | undefined> {
    this.#base.gate.pass()
    return copyOf(this.#records.families.get(family)?.record)
  }

  async revokeToken(token: string, client_id?: ClientId): Promise<Changed | 'mismatch'> {
    this.#base.gate.pass()
    const id = parseToken(token)?.family ?? ''
    const family = this.#records.families.get(id)?.record ?? {}
    const record = this.#records.tokens.get(token)
    if (record === undefined && !isEarlierToken(family, token, secretOf(token))) return 'missing'
    if (client_id !== undefined && (record ?? family).client_id !== client_id) return 'mismatch'
    this.#records.revoke(token)
    if (record === undefined || record.type === 'refresh_token') this.#records.end(id)
    return 'ok'
  }

  async revokeFamily(family: FamilyId): Promise<Changed> {
    this.#base.gate.pass()
    if (this.#records.families.get(family) === undefined) return 'missing'
    this.#records.end(family)
    return 'ok'
  }

  async endFamily(family: FamilyId, ttl: number): Promise<void> {
    this.#base.gate.pass()
    if (!isFamilyId(family)) return
    const expires = this.#base.now() + ttl * 1000
    if (this.#records.families.get(family) === undefined) {
      this.#records.create(family, { status: 'revoked' }, expires)
    }
    this.#records.end(family)
    this.#records.families.keepUntil(family, expires)
  }

  async revokeAllOf(holder: Holder | SignedInBefore): Promise<Revoked> {
    this.#base.gate.pass()
    const { codes, families, tokens } = this.#records
    const revoked = { families: 0, codes: 0, tokens: 0 }
    for (const [code, record] of codes.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      codes.update(code, (active) => ({ ...active, status: 'revoked' }))
      revoked.codes += 1
    }
    for (const [family, { record }] of families.entries()) {
      if (!isHeldBy(record, holder) || record.status !== 'active') continue
      this.#records.end(family)
      revoked.families += 1
    }
    for (const [token, record] of tokens.entries()) {
      if (!isHeldBy(record, holder) || record.revoked !== 'false') continue
      this.#records.revoke(token)
      revoked.tokens += 1
    }
    return revoked
  }

  /** The number of live tokens that are stored for a family. */
  sizeOf(family: string): number {
    return this.#records.families.get(family)?.live.size ?? 0
  }
}
