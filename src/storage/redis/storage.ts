import { randomUUID } from 'node:crypto'
import type { RedisLocation } from '../../config/redis-location.ts'
import type { Log } from '../../core/log.ts'
import type { Hash } from '../../core/record-hash.ts'
import { assertFields } from '../common.ts'
import type { Change, Changed, ClientWatcher, Created, Failures, Storage } from '../storage.ts'
import { flat } from './base.ts'
import { ClientTracking } from './client-tracking.ts'
import type { RedisKeys } from './keys.ts'
import { RedisLogouts } from './logouts.ts'
import { type Found, scanHashes } from './scan.ts'

// Milliseconds that the key which probe() writes lives.
const PROBE_TTL = 10_000

/**
 * Opens the storage on Redis. It connects in the background and for ever: Redis need not be there yet.
 * @param wait_replicas how many replicas must have what a client is told (REDIS_WAIT_REPLICAS)
 * @throws TypeError where the URL is malformed
 */
export function openRedis(location: RedisLocation, keys: RedisKeys, log: Log, wait_replicas = 0): Storage {
  return new RedisStorage(location, keys, log, wait_replicas)
}

/** The storage that replicas share. Every call is one command or one script, and so one round trip. */
class RedisStorage extends RedisLogouts implements Storage {
  readonly #probeKey = this.keys.probe(randomUUID())
  #tracking: ClientTracking | undefined

  get description(): string {
    return this.connection.description
  }

  async probe(): Promise<void> {
    await this.ask(() => this.connection.client.set(this.#probeKey, '1', 'PX', PROBE_TTL))
  }

  async close(): Promise<void> {
    await this.operations.close()
    this.closed = true
    await Promise.all([this.#tracking?.close(), this.disconnect()])
  }

  async readClient(client_id: string): Promise<Hash | undefined> {
    return this.read(this.keys.client(client_id))
  }

  async *listClients(): AsyncGenerator<{ client_id: string; hash: Hash }> {
    for await (const { name, hash } of this.#list(this.keys.clients)) yield { client_id: name, hash }
  }

  async createClient(client_id: string, hash: Hash): Promise<Created> {
    return this.#create(this.keys.client(client_id), hash)
  }

  async changeClient(client_id: string, change: Change): Promise<Changed> {
    return this.#change(this.keys.client(client_id), change)
  }

  async removeClient(client_id: string): Promise<Changed> {
    return this.#remove(this.keys.client(client_id))
  }

  watchClients(watcher: ClientWatcher): void {
    this.#tracking ??= new ClientTracking(this.connection, this.keys.clients, this.log)
    this.#tracking.add(watcher)
  }

  get watching(): boolean {
    return this.#tracking?.live ?? false
  }

  async readUser(username: string): Promise<Hash | undefined> {
    return this.read(this.keys.user(username))
  }

  async *listUsers(): AsyncGenerator<{ username: string; hash: Hash }> {
    for await (const { name, hash } of this.#list(this.keys.users)) yield { username: name, hash }
  }

  async createUser(username: string, hash: Hash): Promise<Created> {
    return this.#create(this.keys.user(username), hash)
  }

  async changeUser(username: string, change: Change): Promise<Changed> {
    return this.#change(this.keys.user(username), change)
  }

  async removeUser(username: string): Promise<Changed> {
    return this.#remove(this.keys.user(username))
  }

  async readSigningKeys(): Promise<Hash> {
    return (await this.read(this.keys.signingKeys)) ?? {}
  }

  async replaceSigningKeys(expected: Hash, next: Hash): Promise<boolean> {
    const before = flat(expected)
    const args = [before.length, ...before, ...flat(next)]
    return (await this.run('replace-signing-keys', [this.keys.signingKeys], args)) === 1
  }

  async countFailure(name: string, window: number): Promise<Failures> {
    const [count, ends_in] = (await this.run('count-failure', [this.keys.failures(name)], [window])) as [
      number,
      number,
    ]
    return { count, ends_in }
  }

  async forgiveFailure(name: string): Promise<void> {
    await this.run('forgive-failure', [this.keys.failures(name)], [])
  }

  async rememberBrowser(name: string, ttl: number): Promise<void> {
    const key = this.keys.browser(name)
    await this.ask(() => this.connection.client.set(key, '1', 'PX', Math.round(ttl * 1000)), [key])
  }

  async knowsBrowser(name: string): Promise<boolean> {
    const key = this.keys.browser(name)
    return (await this.ask(() => this.connection.client.exists(key), [key])) === 1
  }

  async readConsent(sub: string, client_id: string): Promise<string | undefined> {
    const key = this.keys.consent(sub, client_id)
    return (await this.ask(() => this.connection.client.hget(key, 'scope'), [key])) ?? undefined
  }

  async saveConsent(sub: string, client_id: string, scope: string, ttl: number): Promise<void> {
    await this.run('save-consent', [this.keys.consent(sub, client_id)], [ttl, scope])
  }

  #list(prefix: string): AsyncGenerator<Found> {
    return this.take(scanHashes(this.connection.client, prefix))
  }

  async #create(key: string, hash: Hash): Promise<Created> {
    assertFields(hash)
    return (await this.run('create-record', [key], flat(hash))) as Created
  }

  async #change(key: string, { set, unset, expected = {} }: Change): Promise<Changed> {
    const [before, after] = [flat(expected), flat(set)]
    const args = [before.length, ...before, after.length, ...after, ...unset]
    return (await this.run('change-record', [key], args)) as Changed
  }

  async #remove(key: string): Promise<Changed> {
    return (await this.ask(() => this.connection.client.del(key))) === 1 ? 'ok' : 'missing'
  }
}
