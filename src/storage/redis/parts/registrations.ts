import { randomText } from '../../../core/token-string.ts'
import type { NewClient, Registered, RegistrationLimits, Registrations } from '../../registrations.ts'
import { slotOf, suffixFor } from '../slot.ts'
import { counted, flat, type RedisAccess } from './access.ts'
import { RedisNames } from './names.ts'
import { withTrail } from './trail.ts'
import { RedisWords, wordsOf } from './words.ts'

const RANDOM_BYTES = 12

/** Registrations in Redis. All counters and clients that register themselves are in one slot. */
export class RedisRegistrations implements Registrations {
  readonly #access: RedisAccess
  readonly #names: RedisNames
  readonly #words: RedisWords

  constructor(access: RedisAccess) {
    this.#access = access
    this.#names = new RedisNames(access)
    this.#words = new RedisWords(access)
  }

  // The key of a client has no hash tag, so the end of its id decides about the slot.
  newClientId(prefix: string): string {
    const id = prefix + randomText(RANDOM_BYTES)
    return id + suffixFor(this.#access.keys.client(id), slotOf('clients'))
  }

  async registerOpenly(client: NewClient, address: string, limits: RegistrationLimits): Promise<Registered> {
    const { keys, write } = this.#access
    const args = { address, ...limits, record: argumentsOf(client) }
    const all = [keys.registrations, keys.record(client.kind, client.id)]
    const [outcome, ends_in] = await this.#words.with(
      wordsOf([client]),
      (words) =>
        withTrail(this.#access, keys.registrations, client.told, (trail) =>
          write('register-openly', [...all, ...words.keys, ...trail.keys], {
            ...args,
            entries: trail.args,
            words: words.args,
          }),
        ),
      ([written]) => written === 'ok',
    )
    if (outcome === 'ok') await this.#names.add(client.kind, [client.id])
    return { outcome, ends_in }
  }

  async mayRegisterOpenly(address: string, limits: RegistrationLimits): Promise<Registered> {
    const { keys, run } = this.#access
    const args = { address, ...limits, entries: [], words: [], record: [] }
    const [outcome, ends_in] = await run('register-openly', [keys.registrations], args)
    return { outcome, ends_in }
  }

  async clearRegistrations(address: string): Promise<void> {
    await this.#access.command('clear-registrations', 'hdel', this.#access.keys.registrations, address)
  }
}

function argumentsOf({ hash, ttl }: NewClient): (string | number)[] {
  return [ttl, '', ...counted(flat(hash))]
}
