import type { Sealer } from '../keys/sealer.ts'
import { type AcceptedNonce, judgePeriod, noncePeriod } from './nonce-period.ts'

export interface ProofNoncesOptions {
  readonly sealer: Pick<Sealer, 'open' | 'seal'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PURPOSE = 'dpop'

/**
 * The nonces of DPoP proofs: the number of the period in which one was made, sealed. Every replica makes and accepts
 * them without asking storage. They are the same for clients and for access tokens (RFC 9449 §8 and §9), because
 * libraries keep one nonce for an origin.
 */
export class ProofNonces {
  readonly #options: ProofNoncesOptions
  #current: { readonly period: number; readonly nonce: string } | undefined

  constructor(options: ProofNoncesOptions) {
    this.#options = options
  }

  /** Returns the nonce for the next proof. @throws StorageUnavailable if no sealing key could be read yet */
  current(): string {
    const period = noncePeriod(this.#options.now())
    if (this.#current?.period === period) return this.#current.nonce
    const nonce = this.#options.sealer.seal(PURPOSE, String(period))
    this.#current = { period, nonce }
    return nonce
  }

  /**
   * Returns what is known of a nonce; undefined: it is refused.
   * @throws StorageUnavailable if its key is unknown, and the keys could not be read for too long
   */
  judge(nonce: string): AcceptedNonce | undefined {
    const text = this.#options.sealer.open(PURPOSE, nonce)
    return text === undefined ? undefined : judgePeriod(Number(text), this.#options.now())
  }
}
