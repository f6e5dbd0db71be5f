import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { Sealer } from '../keys/sealer.ts'

/** Who checks a proof: the endpoints for clients, or those that take access tokens (RFC 9449 §8 and §9). */
export type ProofPlace = 'server' | 'resource'

export interface ProofNoncesOptions {
  readonly sealer: Pick<Sealer, 'open' | 'seal'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PURPOSES = { server: 'dpop-server', resource: 'dpop-resource' } as const satisfies Record<
  ProofPlace,
  string
>

/**
 * How long a nonce is the current one, in seconds. It is accepted for as long again, and from a replica whose clock is
 * ahead by so much.
 */
export const NONCE_PERIOD = CLOCK_SKEW

/**
 * The nonces of DPoP proofs: the number of the period in which one was made, sealed. Every replica makes and accepts
 * them without asking storage.
 */
export class ProofNonces {
  readonly #options: ProofNoncesOptions
  readonly #current = new Map<ProofPlace, { readonly period: number; readonly nonce: string }>()

  constructor(options: ProofNoncesOptions) {
    this.#options = options
  }

  /** Returns the nonce for the next proof. @throws StorageUnavailable if no sealing key could be read yet */
  current(place: ProofPlace): string {
    const period = this.#period()
    const known = this.#current.get(place)
    if (known?.period === period) return known.nonce
    const nonce = this.#options.sealer.seal(PURPOSES[place], String(period))
    this.#current.set(place, { period, nonce })
    return nonce
  }

  /**
   * Returns whether a nonce is accepted, and whether it is `old`: there is another one for the next proof.
   * @throws StorageUnavailable if its key is unknown, and the keys could not be read for too long
   */
  judge(place: ProofPlace, nonce: string): 'good' | 'old' | 'refused' {
    const text = this.#options.sealer.open(PURPOSES[place], nonce)
    if (text === undefined) return 'refused'
    const age = this.#period() - Number(text)
    if (!(Math.abs(age) <= 1)) return 'refused'
    return age === 1 ? 'old' : 'good'
  }

  #period(): number {
    return Math.floor(this.#options.now() / 1000 / NONCE_PERIOD)
  }
}
