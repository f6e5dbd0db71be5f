import { usedBefore } from '../clients/authentication/used-before.ts'
import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import type { Settings } from '../config/settings.ts'
import type { OAuthError } from '../core/errors.ts'
import type { SecurityEvent } from '../core/events.ts'
import {
  authorizationPending,
  deviceDenied,
  expiredToken,
  invalidGrant,
  slowDown,
} from '../core/grant-errors.ts'
import type { ClientId } from '../core/ids.ts'
import { required } from '../core/parameters.ts'
import type { Reason } from '../core/reasons.ts'
import { newId, parseToken } from '../core/token-string.ts'
import { scopeFor } from '../resources/target.ts'
import { redeemWaiting, type WaitingResult } from '../tokens/waiting-code.ts'
import type { GrantHandler } from './grant-handler.ts'
import { detailsOf, firstRefreshToken, plannedTokens } from './planned-tokens.ts'
import { USER_ANSWER } from './user-answer.ts'

/** The device_code grant (RFC 8628 §3.4): a device asks until its user has answered. */
export const deviceCode: GrantHandler = {
  grant_type: DEVICE_CODE,
  parameters: { device_code: 'the device code' },
  presents: 'device_code',
  narrows_details: true,
  issues: { id_token: true, first_refresh_token: true },
  answer: USER_ANSWER,

  parse(parameters) {
    const device_code = required(parameters, 'device_code')
    // One id for both writes of a request, as in authorization-code.ts.
    const operation = newId()

    return {
      familyId() {
        const family_id = parseToken(device_code)?.family
        if (family_id === undefined) {
          throw invalidGrant('device_code_malformed', 'This is not a device code.', {
            cause: 'not a code string',
          })
        }
        return family_id
      },

      async write({ storage, settings }, client, plan) {
        const { client_id } = client
        const bound_to = { client_id, kind: undefined }
        const redemption = { bound_to, operation, ...plannedTokens(plan, client) }
        const result = await redeemWaiting(storage, device_code, redemption)
        if (result.outcome === 'target') return { target: result.resource }
        if (result.outcome === 'details') return { details: result.details }
        if (result.outcome === 'used') throw usedBefore(result, client_id)
        if (result.outcome !== 'ok') throw refusal(result, client_id, settings)
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

// RFC 8628 §3.5.
function refusal(
  { outcome }: Exclude<WaitingResult, { outcome: 'ok' | 'target' | 'details' | 'used' }>,
  client_id: ClientId,
  { device_interval, device_code_ttl }: Pick<Settings, 'device_interval' | 'device_code_ttl'>,
): OAuthError {
  switch (outcome) {
    case 'pending':
      return authorizationPending(device_interval)
    case 'slow_down':
      return slowDown(device_interval)
    case 'denied':
      return deviceDenied()
    // Storage keeps nothing of a code that has expired.
    case 'missing':
      return expiredToken(device_code_ttl)
    case 'replayed':
      return unusable('device_code_spent', 'replayed', { event: 'code_replayed', client_id })
    case 'mismatch':
      // The response must not reveal that the code exists.
      return unusable('device_code_of_other_client', 'issued to another client')
  }
}

const unusable = (reason: Reason, cause: string, event?: SecurityEvent) =>
  invalidGrant(reason, 'The device code is unknown or already used.', { cause, ...(event && { event }) })
