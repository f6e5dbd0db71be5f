import { OAuthError } from './errors.ts'

/** The header with a nonce for the next proof (RFC 9449 §8). */
export const NONCE_HEADER = 'dpop-nonce'

/** A proof needs this nonce at an endpoint for clients (RFC 9449 §8). */
export const useDpopNonce = (reason: string, nonce: string) =>
  new OAuthError(
    'use_dpop_nonce',
    `The DPoP proof is refused: ${reason}. Make a new one with the nonce of the header DPoP-Nonce.`,
    { headers: { [NONCE_HEADER]: nonce } },
  )

/** The tokens of the client must be bound, and its request has no proof (RFC 9449 §5.2). */
export const dpopProofMissing = () =>
  new OAuthError(
    'invalid_dpop_proof',
    'The tokens of this client must be bound to a key: send a DPoP proof in the header DPoP (RFC 9449).',
  )
