import type { Hash } from '../records/hash.ts'
import { ExpiringMap } from './memory/expiring-map.ts'
import { asStored, MemoryRecords, wellFormed } from './memory/records.ts'
import { MemoryTokens } from './memory/tokens.ts'
import type { Change, Changed, ClientWatcher, Created, Failures, Storage } from './storage.ts'

/** A storage that one process has for itself, and that forgets all when the process ends. */
export class MemoryStorage extends MemoryTokens implements Storage {
  readonly description = 'memory'
  readonly watching = true
  readonly #clients = new MemoryRecords()
  readonly #users = new MemoryRecords()
  readonly #watchers: ClientWatcher[] = []
  readonly #failures: ExpiringMap<number>
  readonly #clock: () => number
  #signingKeys: Hash = {}

  /** @param now the clock, in milliseconds since 1970 */
  constructor({ now = Date.now }: { now?: () => number } = {}) {
    super({ now })
    this.#clock = now
    this.#failures = new ExpiringMap(now)
  }

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
    const now = this.#clock()
    const ends = this.#failures.expires(name) ?? now + window
    const count = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, count, ends)
    return { count, ends_in: ends - now }
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
