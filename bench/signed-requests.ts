// Requests with signatures that can be used once, made before a round: during it, the load does not sign.

/** More than the longest round needed. */
const MARGIN = 1.25

/** The requests of one user. */
export class SignedRequests {
  #ready: string[] = []
  #used = 0
  #most = 0

  /**
   * Makes as many as the rounds before needed, and some more. The first round, which does not count and is the longest,
   * makes its own.
   * @returns what gives one at a time
   */
  prepare(make: () => string): () => string {
    this.#most = Math.max(this.#most, this.#used)
    this.#used = 0
    this.#ready = Array.from({ length: Math.ceil(this.#most * MARGIN) }, make)
    return () => {
      this.#used += 1
      return this.#ready.pop() ?? make()
    }
  }
}
