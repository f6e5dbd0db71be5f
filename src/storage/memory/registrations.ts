import { randomText } from '../../core/token-string.ts'
import {
  INVITATION_TAG,
  INVITATIONS,
  type NewClient,
  type Registered,
  type RegistrationLimits,
  type Registrations,
  USES_LEFT,
} from '../registrations.ts'
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
    const now = this.#base.now()
    if (now >= this.#ends) {
      this.#counts = new Map()
      this.#in_all = 0
      this.#ends = now + limits.window
    }
    const ends_in = this.#ends - now
    const count = this.#counts.get(address) ?? 0
    if (count >= limits.of_address) return { outcome: 'address', ends_in }
    if (this.#in_all >= limits.in_all) return { outcome: 'all', ends_in }
    this.#counts.set(address, count + 1)
    this.#in_all += 1
    await this.#records.put(client)
    return { outcome: 'ok', ends_in }
  }

  async registerByInvitation(client: NewClient, invitation: string): Promise<'ok' | 'missing'> {
    this.#base.gate.pass()
    const id = INVITATION_TAG + invitation
    const invitations = this.#records.of(INVITATIONS)
    const left = Number(invitations.get(id)?.[USES_LEFT] ?? 0)
    if (!(left > 0)) return 'missing'
    if (left === 1) invitations.take(id)
    else invitations.update(id, (hash) => ({ ...hash, [USES_LEFT]: String(left - 1) }))
    await this.#records.put(client)
    return 'ok'
  }
}
