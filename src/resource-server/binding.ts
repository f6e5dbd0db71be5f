import { VERIFIED_ALGS } from '../core/algs.ts'
import { invalidToken } from '../core/bearer-errors.ts'
import type { ChallengeAttributes } from '../core/challenge.ts'
import type { KeyConfirmation } from '../core/confirmation.ts'
import {
  NONCE_HEADER,
  nonceNeeded,
  proofsUnavailable,
  refusedProof,
  replayedProof,
} from '../core/dpop-errors.ts'
import type { ErrorHeaders } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { isUrl } from '../core/uri.ts'
import { checkPresented } from '../dpop/check-proof.ts'
import type { NonceRules } from '../dpop/nonce-period.ts'
import { type Proof, singleUseOfProof } from '../dpop/proof.ts'
import { proofsOf } from '../dpop/proof-header.ts'
import type { ApiRequest } from './presented-token.ts'

/** What the tokens of a resource may be bound to (RFC 9449 §7, RFC 8705 §3). */
export interface BindingRules {
  /** Absent: tokens that are bound to the key of a DPoP proof are refused. */
  readonly proofs?: ProofRules
  /**
   * Returns the SHA-256 thumbprint of the client certificate of a request, if it has one. Absent: tokens that are bound to
   * a certificate are refused.
   */
  readonly certificateOf?: (request: ApiRequest) => string | undefined
  /** The attributes of every challenge. */
  readonly place: ChallengeAttributes
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How the DPoP proofs of a resource are checked. */
export interface ProofRules {
  /** Returns what clients know in front of the path of a request: the Host header does not matter. */
  baseOf(request: ApiRequest): string
  /** Whether every token must be bound to a key. */
  readonly required: boolean
  /** Absent: the nonce of a proof does not matter. */
  readonly nonces?: NonceRules
  /** Absent: the function that verifies the token uses its proof up. */
  readonly used?: UsedProofs
}

/** Remembers which DPoP proofs were used (RFC 9449 §11.1). */
export interface UsedProofs {
  /**
   * Notes that a proof is used, in one atomic step. Returns whether this is the first time. Throws or rejects if that
   * cannot be found out: the request is then answered with 503.
   * @param id a digest of the proof, 60 characters of base64url and a dot
   * @param seconds for how long it must be remembered
   */
  use(id: string, seconds: number): boolean | Promise<boolean>
}

const NOT_BOUND = 'The access token is not bound to a key: send Authorization: Bearer <token>.'
const BOUND = 'The access token is bound to a key: send Authorization: DPoP <token>, with a DPoP proof.'
const OTHER_CERTIFICATE =
  'The access token is bound to a client certificate: send it on a connection with this certificate.'
const ALGS = { algs: VERIFIED_ALGS.join(' ') } as const

/** Returns the attributes of challenges for tokens with a DPoP proof (RFC 9449 §7.1). */
export function dpopPlace(place: ChallengeAttributes): ChallengeAttributes {
  return { ...place, ...ALGS }
}

/**
 * Returns the proof of a request that presents a token with it, and what its answer must have. Does not check whether
 * the token is bound to the key of the proof, and whether the proof was used before.
 * @throws OAuthError `invalid_dpop_proof`, `use_dpop_nonce`
 */
export function provenBy(
  proofs: ProofRules,
  { place, now }: Pick<BindingRules, 'place' | 'now'>,
  request: ApiRequest,
  access_token: string,
): { proof: Proof; headers: ErrorHeaders } {
  const values = proofsOf(request)
  if (values.length === 0)
    throw refusedProof({ fault: 'missing', text: 'the request has no DPoP header' }, dpopPlace(place))
  const { method = '' } = request
  const expected = { method, url: proofs.baseOf(request) + pathOf(request), access_token, now: now() }
  const checked = checkPresented(values, expected, proofs.nonces)
  if (!checked.ok) {
    const { refusal, nonce } = checked
    throw nonce === undefined
      ? refusedProof(refusal, dpopPlace(place))
      : nonceNeeded(refusal.text, nonce, dpopPlace(place))
  }
  const { proof, next_nonce } = checked
  return { proof, headers: next_nonce === undefined ? {} : { [NONCE_HEADER]: next_nonce } }
}

/** Returns the path of a request, with its query; empty if its target has none. */
function pathOf({ url = '', originalUrl = url }: ApiRequest): string {
  if (originalUrl.startsWith('/')) return originalUrl
  // RFC 9112 §3.2.2: the target of a request may be a whole URI.
  return isUrl(originalUrl) ? new URL(originalUrl).pathname : ''
}

/**
 * Checks that a token is presented with what it is bound to (RFC 9449 §7.1 and §7.2, RFC 8705 §3).
 * @throws OAuthError `invalid_token`, `invalid_dpop_proof`
 */
export function demandBinding(
  { proofs, certificateOf, place }: BindingRules,
  request: ApiRequest,
  { jkt, 'x5t#S256': certificate }: KeyConfirmation = {},
  proof?: Proof,
): void {
  if (proof !== undefined && jkt === undefined) {
    throw invalidToken('token_other_key', 'not bound to a key', dpopPlace(place), NOT_BOUND)
  }
  if (proof !== undefined && jkt !== proof.jkt) {
    throw refusedProof(
      { fault: 'other_key', text: 'its key is not the one that the access token is bound to' },
      dpopPlace(place),
    )
  }
  // RFC 9449 §7.2: a bound token that is accepted without proof is a bearer token again.
  if (proof === undefined && jkt !== undefined) {
    throw proofs === undefined
      ? invalidToken('token_proof_missing', 'bound to a key, and this API checks no proofs', place)
      : invalidToken(
          'token_proof_missing',
          'bound to a key, and without a DPoP proof',
          dpopPlace(place),
          BOUND,
        )
  }
  if (certificate !== undefined && certificateOf?.(request) !== certificate) {
    const own_place = proof === undefined ? place : dpopPlace(place)
    throw invalidToken(
      'token_other_key',
      'not with the certificate that it is bound to',
      own_place,
      OTHER_CERTIFICATE,
    )
  }
}

/**
 * Uses up the proof of a token that is bound to its key, so that nobody without such a token makes storage grow.
 * @throws OAuthError `invalid_dpop_proof` if it was used before, `temporarily_unavailable`
 */
export async function useUp(
  { proofs, place, now }: BindingRules,
  proof: Proof,
  client_id: ClientId,
): Promise<void> {
  if (proofs?.used === undefined) return
  const { id, ttl } = singleUseOfProof(proof, now())
  if (!(await isFirstUse(proofs.used, id, ttl))) throw replayedProof(dpopPlace(place), client_id)
}

async function isFirstUse(used: UsedProofs, id: string, ttl: number): Promise<boolean> {
  try {
    return await used.use(id, ttl)
  } catch (error) {
    throw proofsUnavailable(error)
  }
}
