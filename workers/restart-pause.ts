/** Milliseconds that a worker has to live so that its end counts as the first one. */
const STEADY_MS = 60_000

const LONGEST_PAUSE_MS = 30_000

/** How long to wait before a worker is replaced: not at all at first, and longer while its successors end soon, too. */
export class RestartPause {
  #soon = 0

  /**
   * Returns the pause in milliseconds.
   * @param lived milliseconds that the worker lived
   */
  after(lived: number): number {
    this.#soon = lived < STEADY_MS ? this.#soon + 1 : 1
    return this.#soon === 1 ? 0 : Math.min(1000 * 2 ** (this.#soon - 2), LONGEST_PAUSE_MS)
  }
}
