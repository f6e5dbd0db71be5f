import { parseToken } from '../ids.ts'
import { type CodeRecord, formatCode } from '../records/code.ts'
import type { Hash } from '../records/hash.ts'
import { grantOfRedemption, redeemed } from './common.ts'
import { ExpiringMap } from './memory/expiring-map.ts'
import { asStored, copyOf, MemoryRecords, wellFormed } from './memory/records.ts'
import {
  type Change,
  type Changed,
  type ClientWatcher,
  type Created,
  type NewToken,
  type RedeemResult,
  type Redemption,
  type Storage,
  StorageUnavailable,
} from './storage.ts'

interface Family {
  record: Hash
  tokens: Set<string>
}

const BOUND_TO = ['client_id', 'redirect_uri', 'code_challenge'] as const

/** A storage that one process has for itself, and that forgets all when the process ends. */
export class MemoryStorage implements Storage {
  readonly description = 'memory'
  readonly watching = true
  readonly #now: () => number
  readonly #clients = new MemoryRecords()
  readonly #users = new MemoryRecords()
  readonly #codes: ExpiringMap<Hash>
  readonly #tokens: ExpiringMap<Hash>
  readonly #families: ExpiringMap<Family>
  readonly #watchers: ClientWatcher[] = []
  #signingKeys: Hash = {}
  #closed = false

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    this.#now = now
    this.#codes = new ExpiringMap(now)
    this.#tokens = new ExpiringMap(now)
    this.#families = new ExpiringMap(now)
  }

  async probe(): Promise<void> {
    this.#assertOpen()
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  async readClient(client_id: string): Promise<Hash | undefined> {
    this.#assertOpen()
    return this.#clients.read(client_id)
  }

  async *listClients(): AsyncGenerator<{ client_id: string; hash: Hash }> {
    this.#assertOpen()
    for (const [client_id, hash] of this.#clients.list()) yield { client_id, hash }
  }

  async createClient(client_id: string, hash: Hash): Promise<Created> {
    this.#assertOpen()
    return this.#told(client_id, this.#clients.create(client_id, hash))
  }

  async changeClient(client_id: string, change: Change): Promise<Changed> {
    this.#assertOpen()
    return this.#told(client_id, this.#clients.change(client_id, change))
  }

  async removeClient(client_id: string): Promise<Changed> {
    this.#assertOpen()
    return this.#told(client_id, this.#clients.remove(client_id))
  }

  watchClients(watcher: ClientWatcher): void {
    this.#watchers.push(watcher)
  }

  async readUser(username: string): Promise<Hash | undefined> {
    this.#assertOpen()
    return this.#users.read(username)
  }

  async *listUsers(): AsyncGenerator<{ username: string; hash: Hash }> {
    this.#assertOpen()
    for (const [username, hash] of this.#users.list()) yield { username, hash }
  }

  async createUser(username: string, hash: Hash): Promise<Created> {
    this.#assertOpen()
    return this.#users.create(username, hash)
  }

  async removeUser(username: string): Promise<Changed> {
    this.#assertOpen()
    return this.#users.remove(username)
  }

  async saveCode(code: string, record: CodeRecord, ttl: number): Promise<void> {
    this.#assertOpen()
    if (parseToken(code) === undefined) throw new TypeError('not a code or token string')
    this.#codes.set(code, asStored(formatCode(record)), this.#now() + ttl * 1000)
  }

  async redeemCode(code: string, redemption: Redemption): Promise<RedeemResult> {
    this.#assertOpen()
    const grant = grantOfRedemption(code, redemption)
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
    this.#assertOpen()
    const grant = parseToken(token)?.grant
    if (grant === undefined) throw new TypeError('not a code or token string')
    const family = this.#families.get(grant)
    this.#writeToken(token, record, ttl, family?.record.status === 'revoked')
    family?.tokens.add(token)
    this.#families.keepUntil(grant, this.#now() + ttl * 1000)
  }

  async findToken(token: string): Promise<Hash | undefined> {
    this.#assertOpen()
    return copyOf(this.#tokens.get(token))
  }

  async revokeToken(token: string): Promise<Changed> {
    this.#assertOpen()
    if (this.#tokens.get(token) === undefined) return 'missing'
    this.#revokeToken(token)
    return 'ok'
  }

  async revokeGrant(grant: string): Promise<Changed> {
    this.#assertOpen()
    if (this.#families.get(grant) === undefined) return 'missing'
    this.#revokeFamily(grant)
    return 'ok'
  }

  async findGrant(grant: string): Promise<Hash | undefined> {
    this.#assertOpen()
    return copyOf(this.#families.get(grant)?.record)
  }

  async readSigningKeys(): Promise<Hash> {
    this.#assertOpen()
    return { ...this.#signingKeys }
  }

  async replaceSigningKeys(expected: Hash, next: Hash): Promise<boolean> {
    this.#assertOpen()
    if (!equal(this.#signingKeys, asStored(expected))) return false
    this.#signingKeys = asStored(next)
    return true
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

  #told<T extends Created | Changed>(client_id: string, outcome: T): T {
    if (outcome === 'ok') for (const watcher of this.#watchers) watcher.changed(wellFormed(client_id))
    return outcome
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
  }
}

function equal(one: Hash, other: Hash): boolean {
  const fields = Object.keys(one)
  return (
    fields.length === Object.keys(other).length &&
    fields.every((field) => Object.hasOwn(other, field) && one[field] === other[field])
  )
}
