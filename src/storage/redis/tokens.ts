import type { Hash } from '../../core/record-hash.ts'
import { parseToken } from '../../core/token-string.ts'
import { type CodeRecord, formatCode } from '../../tokens/code-record.ts'
import { grantOfTokens, isGrant, redeemed, signInOf } from '../common.ts'
import {
  type Changed,
  type Ended,
  type Holder,
  type NewToken,
  type RedeemResult,
  type Redemption,
  type Refresh,
  type RefreshResult,
  StorageUnavailable,
  type TokenAndGrant,
  type TokenStore,
} from '../storage.ts'
import { flat, found, RedisBase, unflat } from './base.ts'
import { revokeAllOf } from './endings.ts'
import { Operations } from './operations.ts'
import { scanHashesAgain } from './scan.ts'

/** Codes, tokens and grants on Redis. Every call is one command or one script over one slot. */
export abstract class RedisTokens extends RedisBase implements TokenStore {
  protected readonly operations = new Operations(
    { run: this.write, withdraw: this.run, resends: !this.waits },
    this.connection,
    this.log,
  )

  async saveCode(code: string, record: CodeRecord, ttl: number): Promise<void> {
    await this.write('save-code', [this.keys.code(code)], [ttl, ...flat(formatCode(record))])
  }

  async redeemCode(code: string, redemption: Redemption): Promise<RedeemResult> {
    const {
      operation,
      client_id,
      redirect_uri,
      code_challenge = '',
      refresh_token,
      access_token,
    } = redemption
    const grant = grantOfTokens(code, refresh_token, access_token)
    if (grant === undefined) return { outcome: 'missing' }
    const tokens = access_token === undefined ? [refresh_token] : [refresh_token, access_token]
    const { access_token_ttl, refresh_token_ttl, idle_ttl = '' } = redemption
    const bound_to = [client_id, redirect_uri, code_challenge]
    const jtis = tokens.map((token) => this.keys.stored(token))
    const answer = await this.operations.run({
      script: 'redeem-code',
      withdrawal: 'withdraw-redemption',
      keys: this.#operationKeys(this.keys.code(code), grant, operation, tokens),
      args: [operation, ...bound_to, access_token_ttl, refresh_token_ttl, idle_ttl, ...jtis],
    })
    return toRedeemResult(answer as string[])
  }

  async refresh(token: string, refresh: Refresh): Promise<RefreshResult> {
    const { successor, access_token } = refresh
    const grant = grantOfTokens(token, successor, access_token)
    if (grant === undefined) return { outcome: 'missing' }
    const written = access_token === undefined ? [] : [access_token]
    const tokens = [successor ?? token, ...written]
    const args = [
      refresh.operation,
      refresh.client_id,
      refresh.scope ?? '',
      refresh.allowed_scopes,
      refresh.retry_window,
      refresh.idle_ttl ?? '',
      refresh.access_token_ttl,
      successor === undefined ? '' : this.keys.stored(successor),
      refresh.sealed_successor ?? '',
      ...written.map((jti) => this.keys.stored(jti)),
    ]
    const answer = await this.operations.run({
      script: 'refresh-token',
      withdrawal: 'withdraw-refresh',
      keys: this.#operationKeys(this.keys.token(token), grant, refresh.operation, tokens),
      args,
    })
    return toRefreshResult(answer as string[])
  }

  async saveToken(token: string, record: NewToken, ttl: number): Promise<void> {
    const keys = [this.keys.token(token), ...this.#family(parseToken(token)?.grant ?? '')]
    const args = [this.keys.stored(token), record.type, record.subject, record.scope, record.client_id, ttl]
    await this.write('save-token', keys, args)
  }

  async saveRevokedToken(jti: string, record: NewToken, expires_at: Date): Promise<void> {
    const args = [
      this.keys.stored(jti),
      record.type,
      record.subject,
      record.scope,
      record.client_id,
      expires_at.getTime(),
    ]
    await this.write('save-revoked-token', [this.keys.token(jti)], args)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    const grant = parseToken(token)?.grant
    if (grant === undefined) return undefined
    const keys = [this.keys.token(token), this.keys.grantTokens(grant)]
    return this.#presented(token, found(unflat(await this.run('find-token', keys, []))))
  }

  async findGrant(grant: string): Promise<Hash | undefined> {
    return isGrant(grant) ? this.read(this.keys.grant(grant)) : undefined
  }

  async findTokenAndGrant(token: string): Promise<TokenAndGrant> {
    const grant = parseToken(token)?.grant
    if (grant === undefined) return { token: undefined, grant: undefined }
    const keys = [this.keys.token(token), ...this.#family(grant)]
    const [own = [], family = []] = (await this.run('find-token-and-grant', keys, [])) as string[][]
    return { token: this.#presented(token, found(unflat(own))), grant: found(unflat(family)) }
  }

  async revokeToken(token: string, client_id?: string): Promise<Changed | 'mismatch'> {
    const grant = parseToken(token)?.grant
    if (grant === undefined) return 'missing'
    const keys = [this.keys.token(token), ...this.#family(grant)]
    return (await this.write('revoke-token', keys, client_id === undefined ? [] : [client_id])) as Changed
  }

  async revokeGrant(grant: string): Promise<Changed> {
    if (!isGrant(grant)) return 'missing'
    return (await this.write('revoke-grant', this.#family(grant), [])) as Changed
  }

  async endGrant(grant: string, ttl: number): Promise<void> {
    if (isGrant(grant)) await this.write('end-grant', this.#family(grant), [ttl])
  }

  async revokeAllOf(holder: Holder): Promise<Ended> {
    const scan = (prefix: string) => this.take(scanHashesAgain(this.connection.client, prefix))
    return revokeAllOf({ scan, run: this.run, keys: this.keys }, holder)
  }

  // Whoever presented the token knows it, so its record may say its jti.
  #presented(token: string, hash: Hash | undefined): Hash | undefined {
    return hash?.jti === this.keys.stored(token) ? { ...hash, jti: token } : hash
  }

  #family(grant: string): string[] {
    return [this.keys.grant(grant), this.keys.grantTokens(grant)]
  }

  #operationKeys(spent: string, grant: string, operation: string, written: readonly string[]): string[] {
    const mark = this.keys.withdrawn(grant, operation)
    return [spent, ...this.#family(grant), mark, ...written.map((token) => this.keys.token(token))]
  }
}

function toRedeemResult([outcome, ...rest]: string[]): RedeemResult {
  if (outcome === 'withdrawn') throw new StorageUnavailable('it was taken back')
  if (outcome === 'mismatch') return { outcome, field: rest[0] as 'client_id' }
  if (outcome === 'replayed' || outcome === 'missing') return { outcome }
  return redeemed(unflat(rest))
}

function toRefreshResult([outcome, scope = '', spent_by, sealed, ...grant]: string[]): RefreshResult {
  if (outcome === 'withdrawn') throw new StorageUnavailable('it was taken back')
  if (outcome !== 'ok') return { outcome: outcome as 'missing' }
  const spent = spent_by && sealed ? { spent_by, sealed_successor: sealed } : {}
  const record = unflat(grant)
  return { outcome, sign_in: signInOf(record), scope, refresh_until: Number(record.refresh_until), ...spent }
}
