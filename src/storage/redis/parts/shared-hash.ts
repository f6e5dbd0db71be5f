import type { AuditEntries } from '../../../core/audit-entries.ts'
import type { Hash } from '../../../core/record-hash.ts'
import type { SharedHash } from '../../shared-hash.ts'
import { flat, type RedisAccess } from './access.ts'
import { withTrail } from './trail.ts'

/** A shared hash in Redis, under a key of its own. */
export class RedisSharedHash implements SharedHash {
  readonly #access: RedisAccess
  readonly #key: string

  constructor(access: RedisAccess, key: string) {
    this.#access = access
    this.#key = key
  }

  async read(): Promise<Hash> {
    return (await this.#access.readHash(this.#key)) ?? {}
  }

  async now(): Promise<number> {
    return this.#access.run('read-clock', [this.#key], {})
  }

  async replace(expected: Hash, next: Hash, told?: AuditEntries): Promise<boolean> {
    const hashes = { expected: flat(expected), next: flat(next) }
    const replaced = await withTrail(this.#access, this.#key, told, ({ keys, args }) =>
      this.#access.run('replace-hash', [this.#key, ...keys], { ...hashes, entries: args }),
    )
    return replaced === 1
  }
}
