import type { Settings } from '../config/settings.ts'
import type { ProofNonces } from './nonces.ts'
import { type ExpectedProof, type Proof, verifyProof } from './proof.ts'

/** The dependencies of checkProof. */
export interface ProofContext {
  readonly settings: Pick<Settings, 'dpop_nonce'>
  readonly proof_nonces: Pick<ProofNonces, 'current' | 'judge'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The nonces that proofs have (RFC 9449 §8 and §9). */
export interface NonceRules {
  /** Whether a proof needs one. */
  readonly required: boolean
  /** Returns the nonce for the next proof. */
  current(): string
  /** Returns whether a nonce is accepted, and whether it is `old`: there is another one for the next proof. */
  judge(nonce: string): 'good' | 'old' | 'refused'
}

/**
 * A proof that is valid here, and the nonce for the next one if that of this one is old; or why it is refused. Without
 * a valid nonce, `nonce` is one to try again with.
 */
export type CheckedProof =
  | { readonly ok: true; readonly proof: Proof; readonly next_nonce?: string }
  | { readonly ok: false; readonly reason: string; readonly nonce?: string }

/**
 * Checks the DPoP proof of a request to this server (RFC 9449 §4.3), but not whether it was used before.
 * @param proofs the values of its DPoP headers, at least one
 * @throws StorageUnavailable if the keys of the nonces cannot be read
 */
export function checkProof(
  context: ProofContext,
  proofs: readonly string[],
  request: Omit<ExpectedProof, 'now'>,
): CheckedProof {
  return checkPresented(proofs, { now: context.now(), ...request }, nonceRules(context))
}

/** Returns the nonces of this server. */
export function nonceRules({ settings, proof_nonces }: Omit<ProofContext, 'now'>): NonceRules {
  return {
    required: settings.dpop_nonce === 'required',
    current: () => proof_nonces.current(),
    judge: (nonce) => proof_nonces.judge(nonce),
  }
}

/**
 * Checks the DPoP proof of a request, but not whether it was used before.
 * @param proofs as for checkProof
 * @param nonces absent: the nonce of a proof does not matter
 * @throws what the nonces throw
 */
export function checkPresented(
  proofs: readonly string[],
  expected: ExpectedProof,
  nonces?: NonceRules,
): CheckedProof {
  const [text = '', ...others] = proofs
  if (others.length > 0) return { ok: false, reason: 'the request has more than one DPoP header' }
  const proof = verifyProof(text, expected)
  if (!proof.ok) return proof
  if (nonces === undefined) return { ok: true, proof }
  const { nonce } = proof
  if (nonce === undefined) {
    return nonces.required
      ? { ok: false, reason: 'it has no nonce', nonce: nonces.current() }
      : { ok: true, proof }
  }
  // Checked even where none is needed: replicas may differ while the setting changes.
  const judgement = nonces.judge(nonce)
  if (judgement === 'good') return { ok: true, proof }
  const next_nonce = nonces.current()
  if (judgement === 'old') return { ok: true, proof, next_nonce }
  return { ok: false, reason: 'its nonce has expired, or is not of this server', nonce: next_nonce }
}
