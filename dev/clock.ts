/** The clock of a server for development: that of the system, and ahead of it by what a test asked for. */
export class DevClock {
  #ahead = 0

  /** Milliseconds since 1970. */
  readonly now = (): number => Date.now() + this.#ahead

  /** Moves the clock ahead. @param seconds how far; a clock does not go back but by `reset` */
  advance(seconds: number): void {
    if (!(seconds >= 0) || !Number.isFinite(seconds))
      throw new RangeError('A clock goes ahead only: give seconds of 0 or more.')
    this.#ahead += seconds * 1000
  }

  /** Goes back to the clock of the system. */
  reset(): void {
    this.#ahead = 0
  }
}
