import { parseToken } from '../../../core/token-string.ts'
import { formatNoted, NOTED_PER_STEP, type NotedJwt, type NotedJwts, parseNoted } from '../../noted-jwts.ts'
import { SLOTS, slotOf } from '../slot.ts'
import type { RedisAccess } from './access.ts'

/** How many slots are read at once. */
const SLOTS_AT_ONCE = 512

/**
 * The JWTs whose status is in lists: a sorted set, scored by when they expire. In a Cluster there is one in each slot, so
 * that the script that writes a family notes its JWT.
 */
export class RedisNotedJwts implements NotedJwts {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async add(noted: NotedJwt, ttl: number): Promise<void> {
    const { keys, noted: text } = noteOf(this.#access, noted)
    await this.#access.write('note-jwt', keys, { ttl, noted: text })
  }

  async *walk(): AsyncGenerator<readonly NotedJwt[]> {
    const { connection, keys } = this.#access
    if (connection.spansSlots) return yield* this.#walk(keys.noted())
    for (let from = 0; from < SLOTS; from += SLOTS_AT_ONCE) {
      const places = Array.from({ length: SLOTS_AT_ONCE }, (_, i) => keys.noted(from + i))
      const sizes = await Promise.all(
        places.map((place) => this.#access.command<number>('count-list', 'zcard', place)),
      )
      for (const [i, place] of places.entries()) if (sizes[i] !== 0) yield* this.#walk(place)
    }
  }

  async *#walk(place: string): AsyncGenerator<readonly NotedJwt[]> {
    for (let after = 0; ; after += NOTED_PER_STEP) {
      const texts = await this.#access.run('read-noted', [place], { after, max: NOTED_PER_STEP })
      if (texts.length > 0) yield texts.map(parseNoted).filter((noted) => noted !== undefined)
      if (texts.length < NOTED_PER_STEP) return
    }
  }
}

/** The key and the argument with which a script notes a JWT. */
interface Note {
  readonly keys: readonly string[]
  readonly noted: string
}

const NONE: Note = { keys: [], noted: '' }

/** Returns what the script that writes a family needs to note its JWT; absent: there is none whose status is in a list. */
export function noteOf({ keys, connection }: RedisAccess, noted: NotedJwt | undefined): Note {
  if (noted === undefined) return NONE
  const slot = connection.spansSlots ? undefined : slotOf(parseToken(noted.jti)?.family ?? '')
  return { keys: [keys.noted(slot)], noted: formatNoted(noted) }
}
