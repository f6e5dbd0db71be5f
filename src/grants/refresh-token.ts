import { usedBefore } from '../clients/authentication/used-before.ts'
import { GRANT_TYPE_NAMES, signInGrants } from '../clients/record/grant-types.ts'
import type { SecurityEvent } from '../core/events.ts'
import { invalidGrant, invalidScope, NOT_STORED, unauthorizedClient } from '../core/grant-errors.ts'
import { instantIn } from '../core/instant.ts'
import { required } from '../core/parameters.ts'
import type { Facts, Reason } from '../core/reasons.ts'
import { scopeNames } from '../core/scope.ts'
import { parseToken } from '../core/token-string.ts'
import type { Storage } from '../storage/storage.ts'
import {
  answeredText,
  answerOf,
  derivedJti,
  derivedSuccessor,
  newOperation,
} from '../tokens/derived-tokens.ts'
import { refreshTokenExpiresIn, type TokenPlan } from '../tokens/plan.ts'
import { notedFor } from '../tokens/status-bits.ts'
import { useRefreshToken } from '../tokens/token-families.ts'
import type { GrantHandler } from './grant-handler.ts'
import { boundTo, detailsOf } from './planned-tokens.ts'
import { USER_ANSWER } from './user-answer.ts'

/** The refresh_token grant (RFC 6749 §6) with rotation (RFC 9700 §4.14.2). */
export const refreshToken: GrantHandler = {
  grant_type: 'refresh_token',
  // A client that gets a refresh token by another grant may use it.
  registered_as: signInGrants(GRANT_TYPE_NAMES),
  parameters: { refresh_token: 'the refresh token' },
  presents: 'refresh_token',
  narrows_details: true,
  renews: true,
  issues: { id_token: true, first_refresh_token: false },
  answer: USER_ANSWER,

  parse(parameters) {
    const presented = required(parameters, 'refresh_token')
    const { scope } = parameters
    // One id for both writes of a request, as in authorization-code.ts.
    const operation = newOperation()

    return {
      familyId() {
        const family_id = parseToken(presented)?.family
        if (family_id === undefined) throw unusableToken('refresh_token_malformed', 'not a token string')
        return family_id
      },

      purpose: () => ({ jti: derivedJti(presented, operation) }),

      check(_context, { refresh_tokens }) {
        if (refresh_tokens !== 'never') return
        throw unauthorizedClient('refresh_tokens_never', 'This client may not use refresh tokens.', {
          received: { refresh_tokens },
        })
      },

      async write({ storage, settings, now }, client, plan) {
        const rotates = client.is_public || client.refresh_token_rotation
        const successor = rotates
          ? { token: derivedSuccessor(presented, operation), answered: answeredText(plan) }
          : undefined
        const result = await useRefreshToken(storage, presented, {
          client_id: client.client_id,
          operation,
          allowed_scopes: plan.target.scopes.join(' '),
          target: plan.target,
          access_token_ttl: plan.access_token_kept,
          retry_window: settings.refresh_retry_window,
          // RFC 9449 §5, RFC 8705 §4: whatever the token was bound to when it was issued.
          binds_refresh_token: client.is_public,
          ...boundTo(plan),
          ...notedFor(plan, client),
          ...(scope === undefined ? {} : { scope }),
          ...(plan.details === undefined ? {} : { details: plan.details }),
          ...(plan.refresh_scope === undefined ? {} : { refresh_scope: plan.refresh_scope }),
          ...(plan.format === 'opaque' ? { access_token: plan.jti } : {}),
          ...(successor === undefined ? {} : { successor }),
          ...(plan.refresh_token_idle_ttl === undefined ? {} : { idle_ttl: plan.refresh_token_idle_ttl }),
        })
        switch (result.outcome) {
          case 'ok': {
            const { sign_in, scope, refresh_until, spent } = result
            // A retry gets the answer of an earlier attempt, at most one retry window old.
            const is_retry = spent !== undefined && spent.operation !== operation
            const earlier = is_retry ? answerOf(presented, spent) : undefined
            const token = earlier?.refresh_token ?? successor?.token ?? presented
            const expires_in = refreshTokenExpiresIn(
              plan,
              (refresh_until - now()) / 1000,
              is_retry ? settings.refresh_retry_window : 0,
            )
            const authorization_details = detailsOf(plan, sign_in)
            const granted = {
              scope,
              authorization_details,
              user: { sign_in, refresh: { token, expires_in } },
            }
            return earlier === undefined ? granted : { ...granted, issued: earlier.issued }
          }
          case 'target':
            return { target: result.resource }
          case 'details':
            return { details: result.details }
          case 'used':
            throw usedBefore(result, client.client_id)
          // RFC 9449 §5, RFC 8705 §4.
          case 'key':
            throw invalidGrant(
              'refresh_token_other_key',
              'The refresh token is bound to another key: use the DPoP key or the certificate of the request that it came from.',
              { received: keyFacts(plan) },
            )
          case 'retry_key':
            throw invalidGrant(
              'refresh_token_retry_differs',
              'This request repeats one with another DPoP key or certificate, or with none: repeat it as it was, or use the refresh token of its answer.',
              { received: keyFacts(plan) },
            )
          case 'retry_details':
            throw invalidGrant(
              'refresh_token_retry_differs',
              'This request repeats one that asked for other authorization_details: repeat it as it was, or use the refresh token of its answer.',
            )
          case 'scope':
            throw invalidScope(
              'refresh_token_scope',
              'The scope exceeds what was granted with this refresh token, or differs from the request that this one repeats.',
              {
                received: { scopes: scopeNames(scope ?? '') },
                expected: { allowed: [...plan.target.scopes] },
              },
            )
          case 'reused':
            throw unusableToken(
              'refresh_token_spent',
              'reused',
              { event: 'refresh_token_reused', client_id: client.client_id },
              await usesOf(storage, presented),
            )
          default:
            throw unusableToken(
              'refresh_token_unknown',
              result.outcome === 'missing' ? NOT_STORED : 'issued to another client',
            )
        }
      },
    }
  },
}

const unusableToken = (reason: Reason, cause: string, event?: SecurityEvent, received?: Facts) =>
  invalidGrant(reason, 'The refresh token is unknown, expired, revoked or already used.', {
    cause,
    ...(event && { event }),
    ...(received && { received }),
  })

/**
 * When the sign-in of a spent token began, and when it was refreshed last, which is the first use of a token that was used
 * twice: the lines of the log at that time tell a client that refreshes in two places from somebody who has a copy.
 */
async function usesOf({ families }: Pick<Storage, 'families'>, presented: string): Promise<Facts> {
  const sign_in = parseToken(presented)?.family ?? ''
  // Nobody waits for what only operators read: without an answer they learn no time.
  const { started_at, spent_at } = (await families.findFamily(sign_in).catch(() => undefined)) ?? {}
  return {
    sign_in,
    ...(started_at !== undefined && { signed_in_at: instantIn(started_at) }),
    ...(spent_at !== undefined && { last_refresh_at: instantIn(spent_at) }),
  }
}

/** What a request was made with: thumbprints of public keys (RFC 7638, RFC 8705 §3.1). */
function keyFacts({ confirmation }: Pick<TokenPlan, 'confirmation'>): Facts {
  const { jkt, 'x5t#S256': x5t } = { ...confirmation }
  return jkt === undefined && x5t === undefined ? { key: 'none' } : { key: jkt ?? x5t ?? '' }
}
