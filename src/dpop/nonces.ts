import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { Sealer } from '../keys/sealer.ts'

export interface ProofNoncesOptions {
  readonly sealer: Pick<Sealer, 'open' | 'seal'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PURPOSE = 'dpop'

/**
 * How long a nonce is the current one, in seconds. It is accepted for as long again, and from a replica whose clock is
 * ahead by so much.
 */
export const NONCE_PERIOD = CLOCK_SKEW

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
    const period = this.#period()
    if (this.#current?.period === period) return this.#current.nonce
    const nonce = this.#options.sealer.seal(PURPOSE, String(period))
    this.#current = { period, nonce }
    return nonce
  }

  /**
   * Returns whether a nonce is accepted, and whether it is `old`: there is another one for the next proof.
   * @throws StorageUnavailable if its key is unknown, and the keys could not be read for too long
   */
  judge(nonce: string): 'good' | 'old' | 'refused' {
    const text = this.#options.sealer.open(PURPOSE, nonce)
    if (text === undefined) return 'refused'
    const age = this.#period() - Number(text)
    if (!(Math.abs(age) <= 1)) return 'refused'
    return age === 1 ? 'old' : 'good'
  }

  #period(): number {
    return Math.floor(this.#options.now() / 1000 / NONCE_PERIOD)
  }
}
