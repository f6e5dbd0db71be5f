import { type ChallengeAttributes, REALM } from '../core/challenge.ts'
import { type Confirmation, schemeOf } from '../core/confirmation.ts'
import { nonceRules, type ProofContext } from '../dpop/check-proof.ts'
import { dpopPlace, type ProofRules } from './binding.ts'

/**
 * Returns how this server checks the proofs of access tokens: validateAccessToken uses them up.
 * @param baseOf returns the origin by which a request came
 */
export function ownProofs(context: Omit<ProofContext, 'now'>, baseOf: ProofRules['baseOf']): ProofRules {
  return { baseOf, required: false, nonces: nonceRules(context) }
}

/** Returns the attributes of challenges about a token that was accepted here. */
export function ownPlace(token: { readonly confirmation?: Confirmation }): ChallengeAttributes {
  return schemeOf(token.confirmation) === 'DPoP' ? dpopPlace(REALM) : REALM
}
