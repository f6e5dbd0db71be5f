import type { Changes, Watcher } from '../../changes.ts'
import type { KindName } from '../../records.ts'
import { ChangeTracking } from '../connection/change-tracking.ts'
import type { RedisAccess } from './access.ts'

/** Reports changed records by the key tracking of Redis. All kinds share one connection to each node. */
export class RedisChanges implements Changes {
  readonly #access: RedisAccess
  /** The prefixes of the keys of the watched kinds, by their names. */
  readonly #prefixes = new Map<string, string>()
  #tracking: ChangeTracking | undefined

  constructor(access: RedisAccess) {
    this.#access = access
  }

  watch(kind: KindName, watcher: Watcher): void {
    const { connection, keys, log } = this.#access
    this.#tracking ??= new ChangeTracking(connection, log)
    const prefix = keys.prefixOf(kind)
    this.#prefixes.set(kind.name, prefix)
    this.#tracking.watch(prefix, watcher)
  }

  // Every request calls this, so the prefix is looked up and not made.
  isLive({ name }: KindName): boolean {
    const prefix = this.#prefixes.get(name)
    return prefix !== undefined && this.#tracking?.isLive(prefix) === true
  }

  async close(): Promise<void> {
    await this.#tracking?.close()
  }
}
