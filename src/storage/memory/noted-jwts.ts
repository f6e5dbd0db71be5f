import { formatNoted, NOTED_PER_STEP, type NotedJwt, type NotedJwts, parseNoted } from '../noted-jwts.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'

/** The JWTs whose status is in lists, in memory. */
export class MemoryNotedJwts implements NotedJwts {
  readonly #base: Base
  readonly #texts: ExpiringMap<true>

  constructor(base: Base) {
    this.#base = base
    this.#texts = new ExpiringMap(base.now)
  }

  async add(noted: NotedJwt, ttl: number): Promise<void> {
    this.#base.gate.pass()
    this.note(noted, ttl)
  }

  /** Notes a JWT in the step that writes its family; absent: there is none whose status is in a list. */
  note(noted: NotedJwt | undefined, ttl: number): void {
    if (noted !== undefined) this.#texts.set(formatNoted(noted), true, this.#base.now() + ttl * 1000)
  }

  async *walk(): AsyncGenerator<readonly NotedJwt[]> {
    this.#base.gate.pass()
    const all = [...this.#texts.entries()]
      .map(([text]) => parseNoted(text))
      .filter((one) => one !== undefined)
    for (let at = 0; at < all.length; at += NOTED_PER_STEP) yield all.slice(at, at + NOTED_PER_STEP)
  }
}
