import { randomUUID } from 'node:crypto'
import { invalidGrant } from '../core/errors.ts'
import { required } from '../core/parameters.ts'
import { parseToken } from '../core/token-string.ts'
import { isCodeVerifier, s256Challenge } from '../tokens/pkce.ts'
import type { RedeemResult } from '../tokens/token-families.ts'
import { redeemCode } from '../tokens/token-families.ts'
import type { Grant } from './grant-handler.ts'

/** The authorization_code grant with PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export const authorizationCode: Grant = {
  grant_type: 'authorization_code',
  registered_as: 'authorization_code',
  public_clients: true,
  has_user: true,

  parse(parameters) {
    const code = required(parameters, 'code')
    const redirect_uri = required(parameters, 'redirect_uri')
    const { code_verifier } = parameters

    return {
      grantId() {
        const grant = parseToken(code)?.grant
        if (grant === undefined) throw unusableCode('not a code string')
        return grant
      },

      async write({ storage, settings, log }, { client_id, require_pkce }, plan) {
        if (require_pkce) required(parameters, 'code_verifier')
        // RFC 7636 §4.6: a verifier that does not fit is an invalid grant, and one out of form never fits.
        if (code_verifier !== undefined && !isCodeVerifier(code_verifier)) throw unfit('code_verifier')
        const result = await redeemCode(storage, code, {
          client_id,
          redirect_uri,
          ...(code_verifier === undefined ? {} : { code_challenge: s256Challenge(code_verifier) }),
          operation: randomUUID(),
          ...(plan.access_token_key === undefined ? { access_token: plan.jti } : {}),
          refresh_token: plan.refresh_token,
          access_token_ttl: plan.access_token_ttl,
          refresh_token_ttl: settings.refresh_token_ttl,
          ...(settings.refresh_token_idle_ttl === undefined
            ? {}
            : { idle_ttl: settings.refresh_token_idle_ttl }),
        })
        if (result.outcome === 'ok') {
          const { scope, nonce, ...sign_in } = result.code
          return { scope, sign_in, ...(nonce === undefined ? {} : { nonce }) }
        }
        if (result.outcome === 'replayed') {
          log.warn({ client_id }, 'A spent code was presented again: its tokens are revoked.')
        }
        throw refusal(result)
      },
    }
  },
}

function refusal(result: Exclude<RedeemResult, { outcome: 'ok' }>) {
  if (result.outcome !== 'mismatch') return unusableCode(result.outcome)
  if (result.field === 'redirect_uri') return unfit('redirect_uri')
  if (result.field === 'code_challenge') return unfit('code_verifier')
  // Another client's code: nothing is said about it.
  return unusableCode('issued to another client')
}

const unusableCode = (cause: string) => invalidGrant('The code is unknown, expired or already used.', cause)
const unfit = (parameter: string) =>
  invalidGrant(`${parameter} does not fit the authorization request that the code came of.`)
