import type { Settings } from '../config/settings.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { NonceRules } from './nonce-period.ts'
import type { ProofNonces } from './nonces.ts'
import { type CheckedProof, type ExpectedProof, verifyProof } from './proof.ts'

/** The dependencies of checkProof. */
export interface ProofContext {
  readonly settings: Pick<Settings, 'dpop_nonce'>
  readonly keys: Pick<KeyRing, 'notBefore'>
  readonly proof_nonces: Pick<ProofNonces, 'current' | 'judge'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Checks the DPoP proof of a request to this server (RFC 9449 §4.3), but not whether it was used before.
 * @param proofs the values of its DPoP headers, at least one
 * @throws StorageUnavailable if the keys of the nonces cannot be read
 */
export function checkProof(
  context: ProofContext,
  proofs: readonly string[],
  request: Omit<ExpectedProof, 'not_before' | 'now'>,
): CheckedProof {
  const { keys, now } = context
  const expected = { not_before: keys.notBefore, now: now(), ...request }
  return checkPresented(proofs, expected, nonceRules(context))
}

/** Returns the nonces of this server. */
export function nonceRules({ settings, proof_nonces }: Omit<ProofContext, 'keys' | 'now'>): NonceRules {
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
  if (others.length > 0) {
    return { ok: false, refusal: { fault: 'malformed', text: 'the request has more than one DPoP header' } }
  }
  return verifyProof(text, expected, nonces)
}
