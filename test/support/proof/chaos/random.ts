/** Random choices that a seed repeats (the generator is mulberry32). */
export class Random {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed
  }

  /** At least 0 and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** @throws TypeError if the list is empty */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)]
    if (choice === undefined) throw new TypeError('nothing to choose from')
    return choice
  }

  /** One of the names, chosen by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return this.pick(entries.map(([name]) => name))
  }

  /** A second generator, so that concurrent choices do not depend on their order. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32))
  }
}
