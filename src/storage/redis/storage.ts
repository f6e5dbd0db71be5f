import { randomUUID } from 'node:crypto'
import type { RedisLocation } from '../../config.ts'
import { parseToken } from '../../ids.ts'
import type { Log } from '../../log.ts'
import { type CodeRecord, formatCode } from '../../records/code.ts'
import type { Hash } from '../../records/hash.ts'
import { assertFields, grantOfRedemption, isGrant, redeemed } from '../common.ts'
import { RedisKeys } from '../redis-keys.ts'
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
} from '../storage.ts'
import { ClientTracking } from './client-tracking.ts'
import { Connection } from './connect.ts'
import { cleanError } from './errors.ts'
import { scanHashes } from './scan.ts'
import { defineScripts, type RunScript } from './scripts.ts'

// Milliseconds that the key which probe() writes lives.
const PROBE_TTL = 10_000

/**
 * Opens the storage on Redis. It connects in the background and for ever: Redis need not be there yet.
 * @throws TypeError where the URL is malformed
 */
export function openRedis(location: RedisLocation, prefix: string, log: Log): Storage {
  return new RedisStorage(location, prefix, log)
}

/** The storage that replicas share. Every call is one command or one script, and so one round trip. */
class RedisStorage implements Storage {
  readonly #connection: Connection
  readonly #run: RunScript
  readonly #keys: RedisKeys
  readonly #log: Log
  readonly #probeKey: string
  #tracking: ClientTracking | undefined
  #closed = false

  constructor(location: RedisLocation, prefix: string, log: Log) {
    this.#connection = new Connection(location, log)
    this.#run = defineScripts(this.#connection.client)
    this.#keys = new RedisKeys(prefix)
    this.#probeKey = this.#keys.probe(randomUUID())
    this.#log = log
  }

  get description(): string {
    return this.#connection.description
  }

  async probe(): Promise<void> {
    await this.#ask(() => this.#connection.client.set(this.#probeKey, '1', 'PX', PROBE_TTL))
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#tracking?.close(), this.#connection.close()])
  }

  async readClient(client_id: string): Promise<Hash | undefined> {
    return this.#read(this.#keys.client(client_id))
  }

  async *listClients(): AsyncGenerator<{ client_id: string; hash: Hash }> {
    for await (const { name, hash } of this.#scan(this.#keys.clients)) yield { client_id: name, hash }
  }

  async createClient(client_id: string, hash: Hash): Promise<Created> {
    return this.#create(this.#keys.client(client_id), hash)
  }

  async changeClient(client_id: string, { set, unset }: Change): Promise<Changed> {
    const fields = flat(set)
    const args = [fields.length, ...fields, ...unset]
    return (await this.#ask(() =>
      this.#run('change-record', [this.#keys.client(client_id)], args),
    )) as Changed
  }

  async removeClient(client_id: string): Promise<Changed> {
    return this.#remove(this.#keys.client(client_id))
  }

  watchClients(watcher: ClientWatcher): void {
    this.#tracking ??= new ClientTracking(this.#connection, this.#keys.clients, this.#log)
    this.#tracking.add(watcher)
  }

  get watching(): boolean {
    return this.#tracking?.live ?? false
  }

  async readUser(username: string): Promise<Hash | undefined> {
    return this.#read(this.#keys.user(username))
  }

  async *listUsers(): AsyncGenerator<{ username: string; hash: Hash }> {
    for await (const { name, hash } of this.#scan(this.#keys.users)) yield { username: name, hash }
  }

  async createUser(username: string, hash: Hash): Promise<Created> {
    return this.#create(this.#keys.user(username), hash)
  }

  async removeUser(username: string): Promise<Changed> {
    return this.#remove(this.#keys.user(username))
  }

  async saveCode(code: string, record: CodeRecord, ttl: number): Promise<void> {
    const args = [ttl, ...flat(formatCode(record))]
    const key = this.#keys.code(code)
    await this.#ask(() => this.#run('save-code', [key], args))
  }

  async redeemCode(code: string, redemption: Redemption): Promise<RedeemResult> {
    const grant = grantOfRedemption(code, redemption)
    if (grant === undefined) return { outcome: 'missing' }
    const { operation, client_id, redirect_uri, code_challenge, refresh_token, access_token } = redemption
    const tokens = access_token === undefined ? [refresh_token] : [refresh_token, access_token]
    const keys = [
      this.#keys.code(code),
      this.#keys.grant(grant),
      this.#keys.grantTokens(grant),
      ...tokens.map((token) => this.#keys.token(token)),
    ]
    const lifetimes = [redemption.access_token_ttl, redemption.refresh_token_ttl]
    const args = [operation, client_id, redirect_uri, code_challenge, ...lifetimes, ...tokens]
    return toRedeemResult((await this.#ask(() => this.#run('redeem-code', keys, args))) as string[])
  }

  async saveToken(token: string, record: NewToken, ttl: number): Promise<void> {
    const grant = parseToken(token)?.grant ?? ''
    const keys = [this.#keys.token(token), this.#keys.grant(grant), this.#keys.grantTokens(grant)]
    const args = [token, record.type, record.subject, record.scope, record.client_id, ttl]
    await this.#ask(() => this.#run('save-token', keys, args))
  }

  async findToken(token: string): Promise<Hash | undefined> {
    return parseToken(token) && this.#read(this.#keys.token(token))
  }

  async revokeToken(token: string): Promise<Changed> {
    if (parseToken(token) === undefined) return 'missing'
    const keys = [this.#keys.token(token)]
    return (await this.#ask(() => this.#run('revoke-token', keys, []))) as Changed
  }

  async revokeGrant(grant: string): Promise<Changed> {
    if (!isGrant(grant)) return 'missing'
    const keys = [this.#keys.grant(grant), this.#keys.grantTokens(grant)]
    return (await this.#ask(() => this.#run('revoke-grant', keys, []))) as Changed
  }

  async findGrant(grant: string): Promise<Hash | undefined> {
    return isGrant(grant) ? this.#read(this.#keys.grant(grant)) : undefined
  }

  async readSigningKeys(): Promise<Hash> {
    return (await this.#read(this.#keys.signingKeys)) ?? {}
  }

  async replaceSigningKeys(expected: Hash, next: Hash): Promise<boolean> {
    const before = flat(expected)
    const args = [before.length, ...before, ...flat(next)]
    return (await this.#ask(() => this.#run('replace-signing-keys', [this.#keys.signingKeys], args))) === 1
  }

  async #create(key: string, hash: Hash): Promise<Created> {
    assertFields(hash)
    return (await this.#ask(() => this.#run('create-record', [key], flat(hash)))) as Created
  }

  async #read(key: string): Promise<Hash | undefined> {
    const hash = await this.#ask(() => this.#connection.client.hgetall(key))
    return Object.keys(hash).length === 0 ? undefined : hash
  }

  async #remove(key: string): Promise<Changed> {
    return (await this.#ask(() => this.#connection.client.del(key))) === 1 ? 'ok' : 'missing'
  }

  async *#scan(prefix: string): AsyncGenerator<{ name: string; hash: Hash }> {
    const records = scanHashes(this.#connection.client, prefix)
    for (;;) {
      const { done, value } = await this.#ask(() => records.next())
      if (done) return
      yield value
    }
  }

  // Every word with Redis goes through here, so that no error of the driver gets out.
  async #ask<T>(command: () => Promise<T>): Promise<T> {
    await this.#connection.opened
    if (this.#closed) throw new StorageUnavailable('the storage is closed')
    try {
      return await command()
    } catch (error) {
      throw cleanError(error, this.#connection.trouble)
    }
  }
}

function flat(hash: Hash): string[] {
  return Object.entries(hash).flat()
}

function toRedeemResult([outcome, ...rest]: string[]): RedeemResult {
  if (outcome === 'mismatch') return { outcome, field: rest[0] as 'client_id' }
  if (outcome === 'replayed' || outcome === 'missing') return { outcome }
  const pairs = rest.flatMap((value, index) => (index % 2 === 0 ? [[value, rest[index + 1] ?? '']] : []))
  return redeemed(Object.fromEntries(pairs))
}
