import { type LastSignIn, lastSignIn, neverSignedIn, type SignIns } from '../sign-ins.ts'
import type { Base } from './gate.ts'

/** The last sign-ins in memory. */
export class MemorySignIns implements SignIns {
  readonly #base: Base
  readonly #scores = new Map<string, number>()

  constructor(base: Base) {
    this.#base = base
  }

  async add(usernames: readonly string[]): Promise<void> {
    this.#base.gate.pass()
    for (const name of usernames) {
      if (!this.#scores.has(name)) this.#scores.set(name, neverSignedIn(this.#base.now()))
    }
  }

  async forget(usernames: readonly string[]): Promise<void> {
    this.#base.gate.pass()
    for (const name of usernames) this.#scores.delete(name)
  }

  async of(usernames: readonly string[]): Promise<LastSignIn[]> {
    this.#base.gate.pass()
    return usernames.map((name) => lastSignIn(name, this.#scores.get(name)))
  }

  async *inactiveSince(time: number): AsyncGenerator<LastSignIn> {
    this.#base.gate.pass()
    for (const [name, score] of [...this.#scores]) {
      if (Math.abs(score) <= time) yield lastSignIn(name, score)
    }
  }

  /** Notes a sign-in. @param at milliseconds since 1970 */
  note(username: string, at: number): void {
    this.#scores.set(username, at)
  }
}
