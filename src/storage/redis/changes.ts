import type { Changes, Watcher } from '../changes.ts'
import type { KindName } from '../records.ts'
import type { RedisAccess } from './access.ts'
import { ChangeTracking } from './change-tracking.ts'

/** Reports changed records by the key tracking of Redis, with separate connections for each watched kind. */
export class RedisChanges implements Changes {
  readonly #access: RedisAccess
  readonly #trackings = new Map<string, ChangeTracking>()

  constructor(access: RedisAccess) {
    this.#access = access
  }

  watch(kind: KindName, watcher: Watcher): void {
    const { connection, keys, log } = this.#access
    const { name } = kind
    const known = this.#trackings.get(name)
    const tracking = known ?? new ChangeTracking(connection, { name, prefix: keys.prefixOf(kind) }, log)
    this.#trackings.set(name, tracking)
    tracking.add(watcher)
  }

  isLive({ name }: KindName): boolean {
    return this.#trackings.get(name)?.live ?? false
  }

  async close(): Promise<void> {
    await Promise.all([...this.#trackings.values()].map((tracking) => tracking.close()))
  }
}
