import type { ClientId, FamilyId } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import { parseToken } from '../../core/token-string.ts'
import { StorageUnavailable } from '../errors.ts'
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
import { familyOf, isFamilyId } from '../family-ids.ts'
import type { Changed } from '../records.ts'
import { counted, flat, nonEmpty, type RedisAccess, unflat } from './access.ts'
import { Operations } from './operations.ts'
import { revokeAllOf } from './revoke-all.ts'

/** Codes, tokens and families in Redis. Every call except `revokeAllOf` is one command or script on one slot. */
export class RedisFamilies implements TokenFamilies {
  readonly #access: RedisAccess
  readonly #operations: Operations

  constructor(access: RedisAccess) {
    this.#access = access
    const { write, run, waits, connection, log } = access
    this.#operations = new Operations({ run: write, withdraw: run, resends: !waits }, connection, log)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<Redeemed> {
    const { operation, bound_to, kept_fields, refresh_token, access_token, idle_ttl = '' } = redemption
    const written = access_token === undefined ? [refresh_token] : [refresh_token, access_token]
    const tokens = written.map(({ token }) => token)
    const family = familyOf(code, ...tokens)
    if (family === undefined) return { outcome: 'missing' }
    const bound = Object.entries(bound_to).flatMap(([field, value = '']) => [field, value])
    const [outcome = '', ...rest] = await this.#operations.run({
      script: 'redeem-code',
      withdrawal: 'withdraw-redemption',
      keys: this.#operationKeys(this.#access.keys.record(CODE_KIND, code), family, operation, tokens),
      args: [
        operation,
        redemption.access_token_ttl,
        redemption.refresh_token_ttl,
        idle_ttl,
        ...counted(bound),
        ...counted(kept_fields),
        ...written.flatMap((token) => counted(this.#fieldsOf(token))),
      ],
    })
    switch (outcome) {
      case 'ok':
        return { outcome, code: unflat(rest) }
      case 'mismatch':
        return { outcome, field: rest[0] ?? '' }
      case 'replayed':
      case 'missing':
        return { outcome }
      default:
        throw new StorageUnavailable('the operation was withdrawn')
    }
  }

  async refresh(token: string, refresh: Refresh): Promise<Refreshed> {
    const { successor, access_token, operation } = refresh
    const written = access_token === undefined ? [] : [access_token]
    const tokens = [...(successor === undefined ? [] : [successor]), ...written].map((issued) => issued.token)
    const family = familyOf(token, ...tokens)
    if (family === undefined) return { outcome: 'missing' }
    const keyed = successor === undefined ? [token, ...tokens] : tokens
    const [outcome = '', scope = '', spent_by, sealed_successor, ...rest] = await this.#operations.run({
      script: 'refresh-token',
      withdrawal: 'withdraw-refresh',
      keys: this.#operationKeys(this.#access.keys.token(token), family, operation, keyed),
      args: [
        operation,
        refresh.client_id,
        refresh.scope ?? '',
        refresh.allowed_scopes,
        refresh.retry_window,
        refresh.idle_ttl ?? '',
        refresh.access_token_ttl,
        successor?.sealed ?? '',
        ...counted(successor === undefined ? [] : this.#fieldsOf(successor)),
        ...written.flatMap((issued) => counted(this.#fieldsOf(issued))),
      ],
    })
    switch (outcome) {
      case 'ok': {
        const spent = spent_by && sealed_successor ? { spent_by, sealed_successor } : {}
        return { outcome, family: unflat(rest), scope, ...spent }
      }
      case 'mismatch':
      case 'scope':
      case 'reused':
      case 'missing':
        return { outcome }
      default:
        throw new StorageUnavailable('the operation was withdrawn')
    }
  }

  async saveToken(token: NewToken, ttl: number): Promise<void> {
    await this.#access.write('save-token', this.#tokenKeys(token.token), [ttl, ...this.#fieldsOf(token)])
  }

  async saveRevokedToken(token: NewToken, expires_at: Date): Promise<void> {
    const args = [expires_at.getTime(), ...this.#fieldsOf(token)] as const
    await this.#access.write('save-revoked-token', [this.#access.keys.token(token.token)], [...args])
  }

  async findToken(token: string): Promise<Hash | undefined> {
    const family = familyOf(token)
    if (family === undefined) return undefined
    const keys = [this.#access.keys.token(token), this.#access.keys.familyIndex(family)]
    return this.#presented(token, nonEmpty(unflat(await this.#access.run('find-token', keys, []))))
  }

  async findTokenAndFamily(token: string): Promise<TokenAndFamily> {
    if (familyOf(token) === undefined) return { token: undefined, family: undefined }
    const [own, family] = await this.#access.run('find-token-and-family', this.#tokenKeys(token), [])
    return { token: this.#presented(token, nonEmpty(unflat(own))), family: nonEmpty(unflat(family)) }
  }

  async findFamily(family: FamilyId): Promise<Hash | undefined> {
    return isFamilyId(family) ? this.#access.readHash(this.#access.keys.family(family)) : undefined
  }

  async revokeToken(token: string, client_id?: ClientId): Promise<Changed | 'mismatch'> {
    if (familyOf(token) === undefined) return 'missing'
    const args = client_id === undefined ? [] : [client_id]
    return this.#access.write('revoke-token', this.#tokenKeys(token), args)
  }

  async revokeFamily(family: FamilyId): Promise<Changed> {
    if (!isFamilyId(family)) return 'missing'
    return this.#access.write('revoke-family', this.#familyKeys(family), [])
  }

  async endFamily(family: FamilyId, ttl: number): Promise<void> {
    if (isFamilyId(family)) await this.#access.write('end-family', this.#familyKeys(family), [ttl])
  }

  async revokeAllOf(holder: Holder): Promise<Revoked> {
    return revokeAllOf(this.#access, holder)
  }

  /** Waits a short time for withdrawals that are under way, and then gives up. */
  async close(): Promise<void> {
    await this.#operations.close()
  }

  #fieldsOf({ token, fields }: NewToken): string[] {
    return ['jti', this.#access.keys.stored(token), ...flat(fields)]
  }

  // With hashed tokens the record has a hashed jti: returns the jti that the caller presented.
  #presented(token: string, hash: Hash | undefined): Hash | undefined {
    return hash?.jti === this.#access.keys.stored(token) ? { ...hash, jti: token } : hash
  }

  #tokenKeys(token: string): string[] {
    return [this.#access.keys.token(token), ...this.#familyKeys(parseToken(token)?.family ?? '')]
  }

  #familyKeys(family: string): string[] {
    return [this.#access.keys.family(family), this.#access.keys.familyIndex(family)]
  }

  #operationKeys(spent: string, family: string, operation: string, written: readonly string[]): string[] {
    const mark = this.#access.keys.withdrawn(family, operation)
    return [
      spent,
      ...this.#familyKeys(family),
      mark,
      ...written.map((token) => this.#access.keys.token(token)),
    ]
  }
}
