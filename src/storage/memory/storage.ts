import type { Hash } from '../../core/record-hash.ts'
import { consentName } from '../common.ts'
import type { Change, Changed, ClientWatcher, Created, Failures, Storage } from '../storage.ts'
import { ExpiringMap } from './expiring-map.ts'
import { MemoryLogouts } from './logouts.ts'
import { asStored, MemoryRecords, wellFormed } from './records.ts'

/** A storage that one process has for itself, and that forgets all when the process ends. */
export class MemoryStorage extends MemoryLogouts implements Storage {
  readonly description = 'memory'
  readonly watching = true
  readonly #clients = new MemoryRecords()
  readonly #users = new MemoryRecords()
  readonly #watchers: ClientWatcher[] = []
  readonly #failures = new ExpiringMap<number>(this.now)
  readonly #browsers = new ExpiringMap<true>(this.now)
  readonly #consents = new ExpiringMap<string>(this.now)
  #signingKeys: Hash = {}

  async probe(): Promise<void> {
    this.assertOpen()
  }

  async close(): Promise<void> {
    this.closed = true
  }

  async readClient(client_id: string): Promise<Hash | undefined> {
    this.assertOpen()
    return this.#clients.read(client_id)
  }

  async *listClients(): AsyncGenerator<{ client_id: string; hash: Hash }> {
    this.assertOpen()
    for (const [client_id, hash] of this.#clients.list()) yield { client_id, hash }
  }

  async createClient(client_id: string, hash: Hash): Promise<Created> {
    this.assertOpen()
    return this.#told(client_id, this.#clients.create(client_id, hash))
  }

  async changeClient(client_id: string, change: Change): Promise<Changed> {
    this.assertOpen()
    return this.#told(client_id, this.#clients.change(client_id, change))
  }

  async removeClient(client_id: string): Promise<Changed> {
    this.assertOpen()
    return this.#told(client_id, this.#clients.remove(client_id))
  }

  watchClients(watcher: ClientWatcher): void {
    this.#watchers.push(watcher)
  }

  async readUser(username: string): Promise<Hash | undefined> {
    this.assertOpen()
    return this.#users.read(username)
  }

  async *listUsers(): AsyncGenerator<{ username: string; hash: Hash }> {
    this.assertOpen()
    for (const [username, hash] of this.#users.list()) yield { username, hash }
  }

  async createUser(username: string, hash: Hash): Promise<Created> {
    this.assertOpen()
    return this.#users.create(username, hash)
  }

  async changeUser(username: string, change: Change): Promise<Changed> {
    this.assertOpen()
    return this.#users.change(username, change)
  }

  async removeUser(username: string): Promise<Changed> {
    this.assertOpen()
    return this.#users.remove(username)
  }

  async readSigningKeys(): Promise<Hash> {
    this.assertOpen()
    return { ...this.#signingKeys }
  }

  async replaceSigningKeys(expected: Hash, next: Hash): Promise<boolean> {
    this.assertOpen()
    if (!equal(this.#signingKeys, asStored(expected))) return false
    this.#signingKeys = asStored(next)
    return true
  }

  async countFailure(name: string, window: number): Promise<Failures> {
    this.assertOpen()
    const now = this.now()
    const ends = this.#failures.expires(name) ?? now + window
    const count = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, count, ends)
    return { count, ends_in: ends - now }
  }

  async forgiveFailure(name: string): Promise<void> {
    this.assertOpen()
    this.#failures.update(name, (count) => Math.max(0, count - 1))
  }

  async rememberBrowser(name: string, ttl: number): Promise<void> {
    this.assertOpen()
    this.#browsers.set(name, true, this.now() + ttl * 1000)
  }

  async knowsBrowser(name: string): Promise<boolean> {
    this.assertOpen()
    return this.#browsers.get(name) !== undefined
  }

  async readConsent(sub: string, client_id: string): Promise<string | undefined> {
    this.assertOpen()
    return this.#consents.get(consentName(sub, client_id))
  }

  async saveConsent(sub: string, client_id: string, scope: string, ttl: number): Promise<void> {
    this.assertOpen()
    this.#consents.set(consentName(sub, client_id), wellFormed(scope), this.now() + ttl * 1000)
  }

  #told<T extends Created | Changed>(client_id: string, outcome: T): T {
    if (outcome === 'ok') for (const watcher of this.#watchers) watcher.changed(wellFormed(client_id))
    return outcome
  }
}

function equal(one: Hash, other: Hash): boolean {
  const fields = Object.keys(one)
  return (
    fields.length === Object.keys(other).length &&
    fields.every((field) => Object.hasOwn(other, field) && one[field] === other[field])
  )
}
