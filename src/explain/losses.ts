import type { Log } from '../core/log.ts'
import { StorageUnavailable } from '../storage/errors.ts'

/** What could not be kept of what explains: it is counted, and said once until something is kept again. */
export class Losses {
  readonly #counts: { explanations_lost: number }
  readonly #log: Log
  #has_lost = false

  constructor({ counts, log }: { counts: { explanations_lost: number }; log: Log }) {
    this.#counts = counts
    this.#log = log
  }

  /** For so many there was no room. */
  count(number: number): void {
    this.#counts.explanations_lost += number
  }

  /** Storage did not take so many. */
  fail(number: number, error: unknown): void {
    this.count(number)
    // Storage warns itself that it is away.
    if (!this.#has_lost && error instanceof StorageUnavailable) this.#log.info({}, LOST)
    else if (!this.#has_lost) this.#log.warn({ err: error }, LOST)
    this.#has_lost = true
  }

  /** Storage takes some again. */
  end(): void {
    this.#has_lost = false
  }
}

const LOST =
  'Explanations of refusals cannot be kept: redmint explain does not find them. redmint_explanations_lost_total counts them.'
