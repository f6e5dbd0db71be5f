import type { Settings } from '../config/settings.ts'
import { type ChallengeAttributes, REALM } from '../core/challenge.ts'
import { type KeyConfirmation, schemeOf } from '../core/confirmation.ts'
import { type StepContext, tellShown } from '../core/connection-steps.ts'
import type { Endpoint } from '../core/endpoints.ts'
import { nonceRules, type ProofContext } from '../dpop/check-proof.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import type * as tokens from '../tokens/validation.ts'
import { AccessToken } from './access-token.ts'
import { type BindingRules, dpopPlace, type ProofRules } from './binding.ts'
import { checkAccess, type Gate, NEEDS, type Needs } from './check-access.ts'
import type { Names } from './known-names.ts'
import { type ApiRequest, formToken } from './presented-token.ts'

/** What a route in the process of the server may need of an access token. */
export interface OwnNeeds extends Needs {
  /** Storage is asked whether a JWT was revoked. Default: the setting `bearer_check_revocation`. */
  readonly check_grant?: boolean
  /**
   * The token may be in a form (RFC 6750 §2.2). The body is parsed before a `preHandler` hook: in an earlier one only the
   * header counts.
   */
  readonly form?: boolean
}

export const OWN_NEEDS: Names<OwnNeeds> = { ...NEEDS, check_grant: true, form: true }

type OwnGuardContext = tokens.ValidationContext &
  ProofContext &
  StepContext & { readonly settings: Pick<Settings, 'bearer_check_revocation'> }

/** What reads a request that came through the proxy. */
type RequestReaders = Required<Pick<BindingRules, 'certificateOf'>> & Pick<ProofRules, 'baseOf'>

/** What a guard is for. */
export interface GuardedResource {
  /** Whom tokens with an audience may be for. */
  readonly audiences: readonly string[]
  /** Whether a token without an audience is refused. */
  readonly demands_audience?: boolean
  /** The attributes of every challenge. */
  readonly place: ChallengeAttributes
}

/** An access token that was validated by the records of this server. */
export class ValidatedToken extends AccessToken {
  readonly validated: tokens.ValidAccessToken

  constructor(validated: tokens.ValidAccessToken, response_headers: Readonly<Record<string, string>>) {
    super(validated, response_headers)
    this.validated = validated
  }
}

/**
 * Returns the access token of a request, if it is what the route needs.
 * @param endpoint what the request is for
 * @throws as checkAccess
 */
type OwnGuard = (request: ApiRequest, body: unknown, endpoint: Endpoint) => Promise<ValidatedToken>

/**
 * Returns what makes the guards of routes in this process, each for what its route needs: tokens are validated by the
 * records of this server, and not by the documents that it publishes.
 * @param resource absent: this server
 */
export function ownGuards(
  context: OwnGuardContext,
  { certificateOf, baseOf }: RequestReaders,
  { audiences, demands_audience = false, place }: GuardedResource = {
    audiences: [context.settings.issuer],
    place: REALM,
  },
): (needs: OwnNeeds) => OwnGuard {
  // validateAccessToken uses them up.
  const proofs = { baseOf, required: false, nonces: nonceRules(context) }
  return (needs) => {
    const { check_grant = context.settings.bearer_check_revocation, form = false } = needs
    const gate: OwnGate = {
      verify: (token, proof) => validateAccessToken(context, token, check_grant, proof),
      ...{ audiences, demands_audience, place, certificateOf, now: context.now, proofs },
    }
    return async (request, body, endpoint) => {
      const form_token = form ? formToken(request, body, place) : undefined
      const { token, headers } = await tellShown(context, { endpoint }, (showing) =>
        checkAccess(gate, request, needs, form_token, (found) => {
          showing.found = found
        }),
      )
      return new ValidatedToken(token, headers)
    }
  }
}

type OwnGate = Gate<tokens.ValidAccessToken>

/** Returns the attributes of challenges about a token that was accepted here. */
export function ownPlace(token: { readonly confirmation?: KeyConfirmation }): ChallengeAttributes {
  return schemeOf(token.confirmation) === 'DPoP' ? dpopPlace(REALM) : REALM
}
