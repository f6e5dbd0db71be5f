import type { Settings } from '../config/settings.ts'
import type { ProofNonces, ProofPlace } from './nonces.ts'
import { type ExpectedProof, type Proof, verifyProof } from './proof.ts'

/** The dependencies of checkProof. */
export interface ProofContext {
  readonly settings: Pick<Settings, 'dpop_nonce' | 'issuer'>
  readonly proof_nonces: Pick<ProofNonces, 'current' | 'judge'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What the proof of a request must be for: a path of this server. */
export interface ProvenRequest extends Pick<ExpectedProof, 'access_token' | 'method'> {
  /** The path of the endpoint: together with the issuer it is the URL that clients know. */
  readonly path: string
}

/**
 * A proof that is valid here, and the nonce for the next one if that of this one is old; or why it is refused. Without
 * a valid nonce, `nonce` is one to try again with.
 */
export type CheckedProof =
  | { readonly ok: true; readonly proof: Proof; readonly next_nonce?: string }
  | { readonly ok: false; readonly reason: string; readonly nonce?: string }

/**
 * Checks the DPoP proof of a request to this server (RFC 9449 §4.3). Whether it was used before is not known here.
 * @param proofs the values of its DPoP headers, at least one
 * @throws StorageUnavailable if the keys of the nonces cannot be read
 */
export function checkProof(
  { settings, proof_nonces, now }: ProofContext,
  proofs: readonly string[],
  place: ProofPlace,
  { path, ...request }: ProvenRequest,
): CheckedProof {
  const [text = '', ...others] = proofs
  if (others.length > 0) return { ok: false, reason: 'the request has more than one DPoP header' }
  const proof = verifyProof(text, { ...request, url: settings.issuer + path, now: now() })
  if (!proof.ok) return proof
  const { nonce } = proof
  if (nonce === undefined) {
    if (settings.dpop_nonce === 'off') return { ok: true, proof }
    return { ok: false, reason: 'it has no nonce', nonce: proof_nonces.current(place) }
  }
  // Checked even where none is needed: replicas may differ while the setting changes.
  const judgement = proof_nonces.judge(place, nonce)
  if (judgement === 'good') return { ok: true, proof }
  const next_nonce = proof_nonces.current(place)
  if (judgement === 'old') return { ok: true, proof, next_nonce }
  return { ok: false, reason: 'its nonce is over, or not of this server', nonce: next_nonce }
}
