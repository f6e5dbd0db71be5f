import type { KindName } from './records.ts'

/** The record kinds of ids that may be used once: of assertions and DPoP proofs, in the form of token strings. */
export const SINGLE_USE_KINDS = {
  assertion: { name: 'assertion', slot: 'family' },
  proof: { name: 'proof', slot: 'family' },
} as const satisfies Record<string, KindName>

/**
 * An id that may be used once. It is used up by the attempt that succeeds; in a Redis Cluster an assertion also by an
 * attempt that fails, and a proof is used up for the grant that it comes with.
 */
export interface SingleUse {
  readonly kind: keyof typeof SINGLE_USE_KINDS
  /** A digest of what must be used once, in the form of a token string. */
  readonly id: string
  /** For how many seconds it could be presented again. */
  readonly ttl: number
}

/** Another attempt used an id of this kind; nothing changed. */
export interface UsedBefore {
  readonly outcome: 'used'
  readonly kind: SingleUse['kind']
}
