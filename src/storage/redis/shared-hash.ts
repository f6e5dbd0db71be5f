import type { Hash } from '../../core/record-hash.ts'
import type { SharedHash } from '../shared-hash.ts'
import { flat, type RedisAccess } from './access.ts'

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

  async replace(expected: Hash, next: Hash): Promise<boolean> {
    const args = { expected: flat(expected), next: flat(next) }
    return (await this.#access.run('replace-hash', [this.#key], args)) === 1
  }
}
