import { dpopProofMissing, invalidDpopProof, useDpopNonce } from '../../core/dpop-errors.ts'
import { type Parameters, parametersFrom } from '../../core/parameters.ts'
import { checkProof, type ProofContext } from '../../dpop/check-proof.ts'
import { singleUseOfProof } from '../../dpop/proof.ts'
import type { SingleUse } from '../../storage/single-use.ts'
import type { Client } from '../record/client-record.ts'
import { maySignWith, PROFILE_ALGS } from '../record/profiles.ts'
import type { Caller } from './client-auth.ts'

/** A key that a client proved to have, and its proof: the caller uses it up. */
export interface ProvenKey {
  /** The thumbprint of the key. */
  readonly jkt: string
  readonly single_use: SingleUse
}

/** The sender of a request that may have a DPoP proof. */
export interface ProvingCaller extends Caller {
  /** The values of its DPoP headers (RFC 9449 §4.1). */
  readonly proofs: readonly string[]
  /** Sends a nonce for the next proof with the response (RFC 9449 §8.2). */
  offerNonce(nonce: string): void
}

type ProofCaller = Pick<ProvingCaller, 'endpoint' | 'offerNonce' | 'proofs'>

type ProofClient = Pick<Client, 'profile'>

/**
 * Returns the key that the DPoP proof of a client's POST request proves; undefined without a proof.
 * @throws OAuthError `invalid_dpop_proof` or `use_dpop_nonce` (RFC 9449 §5 and §8); StorageUnavailable
 */
function provenKey(context: ProofContext, caller: ProofCaller, client: ProofClient): ProvenKey | undefined {
  if (caller.proofs.length === 0) return undefined
  const checked = checkProof(context, caller.proofs, {
    method: 'POST',
    url: caller.endpoint,
  })
  if (!checked.ok) {
    const { refusal, nonce } = checked
    throw nonce === undefined ? invalidDpopProof(refusal) : useDpopNonce(refusal.text, nonce)
  }
  const { proof, next_nonce } = checked
  if (!maySignWith(client, proof.alg)) throw invalidDpopProof({ fault: 'claims', text: PROFILE_ALGS })
  if (next_nonce !== undefined) caller.offerNonce(next_nonce)
  return { jkt: proof.jkt, single_use: singleUseOfProof(proof, context.now()) }
}

/**
 * Returns the key that the tokens of a client are bound to; undefined: none.
 * @throws as provenKey; OAuthError `invalid_dpop_proof` if the client must prove one (RFC 9449 §5.2)
 */
export function keyOfTokens(
  context: ProofContext,
  caller: ProofCaller,
  client: ProofClient & Pick<Client, 'dpop_bound_access_tokens'>,
): ProvenKey | undefined {
  const key = provenKey(context, caller, client)
  if (key === undefined && client.dpop_bound_access_tokens) throw dpopProofMissing()
  return key
}

/** What a pushed authorization request says about the key of its code. */
export interface KeyOfRequest {
  /** The parameters with the `dpop_jkt` that the code is bound to. */
  readonly parameters: Parameters
  readonly single_uses: readonly SingleUse[]
}

/**
 * Returns a pushed authorization request with the key of its DPoP proof, which means the same as `dpop_jkt`
 * (RFC 9449 §10.1).
 * @throws as provenKey; OAuthError `invalid_dpop_proof` if the request names another key
 */
export function keyOfRequest(
  context: ProofContext,
  caller: ProofCaller,
  client: ProofClient,
  parameters: Parameters,
): KeyOfRequest {
  const key = provenKey(context, caller, client)
  if (key === undefined) return { parameters, single_uses: [] }
  const { dpop_jkt = key.jkt } = parameters
  if (dpop_jkt !== key.jkt)
    throw invalidDpopProof({ fault: 'other_key', text: 'its key is not that of dpop_jkt' })
  return {
    parameters: parametersFrom(parameters, { dpop_jkt: key.jkt }),
    single_uses: [key.single_use],
  }
}
