import { randomText } from '../../core/token-string.ts'
import type { NewClient, Registered, RegistrationLimits, Registrations } from '../registrations.ts'
import type { Base } from './gate.ts'
import type { MemoryRecords } from './records.ts'

const RANDOM_BYTES = 15

/** Registrations in memory. */
export class MemoryRegistrations implements Registrations {
  readonly #base: Base
  readonly #records: MemoryRecords
  /** How many registered in the present window, by address. */
  #counts = new Map<string, number>()
  #in_all = 0
  /** Milliseconds since 1970. */
  #ends = 0

  constructor(base: Base, records: MemoryRecords) {
    this.#base = base
    this.#records = records
  }

  newClientId(prefix: string): string {
    return prefix + randomText(RANDOM_BYTES)
  }

  async registerOpenly(client: NewClient, address: string, limits: RegistrationLimits): Promise<Registered> {
    this.#base.gate.pass()
    const found = this.#judge(address, limits)
    if (found.outcome !== 'ok') return found
    const now = this.#base.now()
    if (now >= this.#ends) {
      this.#counts = new Map()
      this.#in_all = 0
      this.#ends = now + limits.window
    }
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1)
    this.#in_all += 1
    await this.#records.put(client)
    return found
  }

  async mayRegisterOpenly(address: string, limits: RegistrationLimits): Promise<Registered> {
    this.#base.gate.pass()
    return this.#judge(address, limits)
  }

  async clearRegistrations(address: string): Promise<void> {
    this.#base.gate.pass()
    this.#counts.delete(address)
  }

  #judge(address: string, { of_address, in_all, window }: RegistrationLimits): Registered {
    const left = this.#ends - this.#base.now()
    if (left <= 0) return { outcome: 'ok', ends_in: window }
    if ((this.#counts.get(address) ?? 0) >= of_address) return { outcome: 'address', ends_in: left }
    return { outcome: this.#in_all >= in_all ? 'all' : 'ok', ends_in: left }
  }
}
