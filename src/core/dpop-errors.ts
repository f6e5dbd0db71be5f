import { type ChallengeAttributes, tokenChallenge } from './challenge.ts'
import { type ErrorDetails, type ErrorHeaders, OAuthError, retrySpread } from './errors.ts'
import type { SecurityEvent } from './events.ts'
import type { ClientId } from './ids.ts'
import { faultFacts, type JwtRefusal } from './jwt-refusal.ts'

/** Why a DPoP proof is refused. */
export type ProofRefusal = Omit<JwtRefusal, 'fault'> & {
  readonly fault: Exclude<JwtRefusal['fault'], 'unproven'> | 'missing' | 'other_key' | 'used'
}

/** A proof that comes again (RFC 9449 §11.1). */
export const USED_BEFORE: ProofRefusal = {
  fault: 'used',
  text: 'it was used before: make a new one for each request',
}

/** The header with a nonce for the next proof (RFC 9449 §8). */
export const NONCE_HEADER = 'dpop-nonce'

/** A proof needs this nonce at an endpoint for clients (RFC 9449 §8). */
export const useDpopNonce = (
  text: string,
  nonce: string,
  { status = 400, headers = {} }: { status?: number; headers?: ErrorHeaders } = {},
) =>
  new OAuthError(
    'use_dpop_nonce',
    'proof_nonce',
    `The DPoP proof is refused: ${text}. Make a new one with the nonce of the header DPoP-Nonce.`,
    {
      status,
      headers: { ...headers, [NONCE_HEADER]: nonce },
      received: { fault: text },
      expected: { claim: 'nonce' },
    },
  )

/** The tokens of the client must be bound, and its request has no proof (RFC 9449 §5.2). */
export const dpopProofMissing = () =>
  new OAuthError(
    'invalid_dpop_proof',
    'proof_missing',
    'The tokens of this client must be bound to a key: send a DPoP proof in the header DPoP (RFC 9449).',
    { expected: { header: 'DPoP' } },
  )

/**
 * A proof is refused by an API (RFC 9449 §7.1).
 * @param place the attributes of the challenge
 */
export const refusedProof = (
  refusal: ProofRefusal,
  place: ChallengeAttributes,
  event: SecurityEvent = { event: 'bearer_refused' },
) => {
  const challenge = tokenChallenge({ ...place, error: 'invalid_dpop_proof' })
  return invalidDpopProof(refusal, {
    status: 401,
    cause: refusal.text,
    headers: { 'www-authenticate': challenge },
    event,
  })
}

/** A proof needs this nonce at an API (RFC 9449 §9). */
export const nonceNeeded = (text: string, nonce: string, place: ChallengeAttributes) =>
  useDpopNonce(text, nonce, {
    status: 401,
    headers: { 'www-authenticate': tokenChallenge({ ...place, error: 'use_dpop_nonce' }) },
  })

/** A proof comes to an API again (RFC 9449 §11.1). `client_id`: that of its access token, if it is known. */
export const replayedProof = (place: ChallengeAttributes, client_id?: ClientId) =>
  refusedProof(USED_BEFORE, place, {
    event: 'proof_replayed',
    client_id,
  })

/** An API cannot find out whether a proof was used before. */
export const proofsUnavailable = (cause: unknown) =>
  new OAuthError(
    'temporarily_unavailable',
    'proofs_away',
    'This API cannot check now whether a DPoP proof was used before: try again shortly.',
    { status: 503, cause, headers: retrySpread(1) },
  )

/** A DPoP proof is refused at an endpoint for clients (RFC 9449 §5). */
export const invalidDpopProof = ({ fault, text, ...facts }: ProofRefusal, details?: ErrorDetails) =>
  new OAuthError('invalid_dpop_proof', `proof_${fault}`, `The DPoP proof is refused: ${text}.`, {
    ...faultFacts(text, facts),
    ...details,
  })
