import type { ProviderFailure } from './upstream.ts'

/** What last came of asking a provider. */
export interface LastOutcome {
  /** When somebody came back with an answer that counts, in milliseconds since 1970; absent: not yet. */
  readonly success_at?: number
  readonly error?: LastError
}

/** What last went wrong. */
export interface LastError {
  /** Milliseconds since 1970. */
  readonly at: number
  /** As in the log: no text of the provider. */
  readonly code: string
}

/** RFC 6749 §4.1.2.1: what a provider refuses because of the record or of itself. All else is the choice of a person. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope'],
  ...['server_error', 'temporarily_unavailable'],
])

/** The last outcomes at each provider in this process: as many as there are records. */
export class LastOutcomes {
  readonly #last = new Map<string, LastOutcome>()
  readonly #changed = new Set<string>()

  succeeded(provider: string, at: number): void {
    this.#note(provider, { success_at: at })
  }

  /** Notes what an operator can do something about. The code of a refusal is what a browser brought: it is one of a few. */
  failed(provider: string, { problem, code }: ProviderFailure, at: number): void {
    if (problem === 'broken' || REFUSALS.has(code)) this.#note(provider, { error: { at, code } })
  }

  /** Returns what changed since this was asked last, by the names of providers. */
  takeChanged(): Map<string, LastOutcome> {
    const taken = new Map([...this.#changed].map((name) => [name, this.#last.get(name) ?? {}]))
    this.#changed.clear()
    return taken
  }

  /** Gives back what could not be written. */
  giveBack(names: Iterable<string>): void {
    for (const name of names) this.#changed.add(name)
  }

  #note(provider: string, outcome: LastOutcome): void {
    this.#last.set(provider, { ...this.#last.get(provider), ...outcome })
    this.#changed.add(provider)
  }
}
