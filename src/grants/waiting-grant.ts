import { usedBefore } from '../clients/authentication/used-before.ts'
import type { GrantType } from '../clients/record/grant-types.ts'
import type { Settings } from '../config/settings.ts'
import type { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { required } from '../core/parameters.ts'
import type { RequestStep } from '../core/reasons.ts'
import { newId, parseToken } from '../core/token-string.ts'
import { scopeFor } from '../resources/target.ts'
import { redeemWaiting, type WaitingResult } from '../tokens/waiting-code.ts'
import type { GrantHandler, GrantSettings } from './grant-handler.ts'
import { detailsOf, firstRefreshToken, plannedTokens } from './planned-tokens.ts'
import { USER_ANSWER } from './user-answer.ts'

/** How a request asks for the tokens of a kind of codes that wait, and is refused. */
interface WaitingGrant {
  readonly grant_type: GrantType
  /** The parameter with the code, and what that is. */
  readonly parameter: string
  readonly description: string
  readonly presents: RequestStep
  /** The field `kind` of its codes; undefined: they have none. */
  readonly kind: string | undefined
  isEnabled?(settings: GrantSettings): boolean
  /** The error of what is no such code. */
  malformed(): OAuthError
  /** The error of a poll that gets no tokens (RFC 8628 §3.5, CIBA §11). */
  refusal(outcome: NotRedeemed, client_id: ClientId, settings: PollSettings): OAuthError
}

/** Why a poll gets no tokens. */
export type NotRedeemed = Exclude<WaitingResult['outcome'], 'ok' | 'target' | 'details' | 'used'>

/** What errors of polls say. */
export type PollSettings = Pick<Settings, 'device_interval' | 'device_code_ttl' | 'ask_ttl'>

/** Returns the grant of a code that waits: its client polls until the person has answered. */
export function waitingGrant(grant: WaitingGrant): GrantHandler {
  const { grant_type, parameter, description, presents, kind, isEnabled } = grant
  return {
    grant_type,
    parameters: { [parameter]: description },
    presents,
    narrows_details: true,
    issues: { id_token: true, first_refresh_token: true },
    answer: USER_ANSWER,
    ...(isEnabled && { isEnabled }),

    parse(parameters) {
      const code = required(parameters, parameter)
      // One id for both writes of a request, as in authorization-code.ts.
      const operation = newId()

      return {
        familyId() {
          const family_id = parseToken(code)?.family
          if (family_id === undefined) throw grant.malformed()
          return family_id
        },

        async write({ storage, settings }, client, plan) {
          const { client_id } = client
          const bound_to = { client_id, kind }
          const redemption = { bound_to, operation, ...plannedTokens(plan, client) }
          const result = await redeemWaiting(storage, code, redemption)
          if (result.outcome === 'target') return { target: result.resource }
          if (result.outcome === 'details') return { details: result.details }
          if (result.outcome === 'used') throw usedBefore(result, client_id)
          if (result.outcome !== 'ok') throw grant.refusal(result.outcome, client_id, settings)
          const { scope, sign_in } = result
          const refresh = firstRefreshToken(plan, scope)
          return {
            scope: scopeFor(plan.target, scope),
            authorization_details: detailsOf(plan, sign_in),
            user: { sign_in, ...(refresh && { refresh }) },
          }
        },
      }
    },
  }
}
