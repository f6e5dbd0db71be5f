import type { Changes, Watcher } from '../changes.ts'
import type { KindName } from '../records.ts'
import type { RedisAccess } from './access.ts'
import { ChangeTracking } from './change-tracking.ts'

/** Reports changed records by the key tracking of Redis. All kinds share one connection to each node. */
export class RedisChanges implements Changes {
  readonly #access: RedisAccess
  #tracking: ChangeTracking | undefined

  constructor(access: RedisAccess) {
    this.#access = access
  }

  watch(kind: KindName, watcher: Watcher): void {
    const { connection, keys, log } = this.#access
    this.#tracking ??= new ChangeTracking(connection, log)
    this.#tracking.watch(keys.prefixOf(kind), watcher)
  }

  isLive(kind: KindName): boolean {
    return this.#tracking?.isLive(this.#access.keys.prefixOf(kind)) ?? false
  }

  async close(): Promise<void> {
    await this.#tracking?.close()
  }
}
