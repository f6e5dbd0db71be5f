import type { Hash } from '../../core/record-hash.ts'
import type { SigningKeyStore } from '../signing-keys.ts'
import { flat, type RedisAccess } from './access.ts'

/** The signing keys in Redis: one hash, shared by all replicas of redmint. */
export class RedisSigningKeys implements SigningKeyStore {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async read(): Promise<Hash> {
    return (await this.#access.readHash(this.#access.keys.signingKeys)) ?? {}
  }

  async replace(expected: Hash, next: Hash): Promise<boolean> {
    const before = flat(expected)
    const keys = [this.#access.keys.signingKeys]
    return (
      (await this.#access.run('replace-signing-keys', keys, [before.length, ...before, ...flat(next)])) === 1
    )
  }
}
