import { usedBefore } from '../clients/authentication/used-before.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Compared } from '../core/errors.ts'
import type { SecurityEvent } from '../core/events.ts'
import { invalidGrant, NOT_STORED } from '../core/grant-errors.ts'
import type { ClientId } from '../core/ids.ts'
import { required } from '../core/parameters.ts'
import type { Reason } from '../core/reasons.ts'
import { newId, parseToken } from '../core/token-string.ts'
import { scopeFor } from '../resources/target.ts'
import { isCodeVerifier, s256Challenge } from '../tokens/pkce.ts'
import type { TokenPlan } from '../tokens/plan.ts'
import { type RedeemResult, redeemCode } from '../tokens/token-families.ts'
import type { GrantHandler } from './grant-handler.ts'
import { detailsOf, firstRefreshToken, plannedTokens } from './planned-tokens.ts'
import { USER_ANSWER } from './user-answer.ts'

/** The authorization_code grant with PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export const authorizationCode: GrantHandler = {
  grant_type: 'authorization_code',
  parameters: {
    code: 'the code',
    redirect_uri: 'the redirect_uri of the authorization request',
    code_verifier: 'the PKCE verifier (RFC 7636)',
  },
  presents: 'code',
  narrows_details: true,
  issues: { id_token: true, first_refresh_token: true },
  answer: USER_ANSWER,

  parse(parameters) {
    const code = required(parameters, 'code')
    const redirect_uri = required(parameters, 'redirect_uri')
    const { code_verifier } = parameters
    // One id for both writes of a request, so that a first write that arrives late is not taken for a replay.
    const operation = newId()

    return {
      familyId() {
        const family_id = parseToken(code)?.family
        if (family_id === undefined) throw unusableCode('code_malformed', 'not a code string')
        return family_id
      },

      async write({ storage }, client, plan) {
        const { client_id, require_pkce } = client
        // RFC 7636 §4.6: a verifier that does not match is an invalid grant; one that is missing or malformed never does.
        if (code_verifier !== undefined && !isCodeVerifier(code_verifier)) throw wrongVerifier(code_verifier)
        // RFC 9700 §2.1.1: also if the code has no challenge, from before the client had to use PKCE.
        if (require_pkce && code_verifier === undefined) throw verifierMissing()
        const result = await redeemCode(storage, code, {
          client_id,
          redirect_uri,
          operation,
          ...(code_verifier === undefined ? {} : { code_challenge: s256Challenge(code_verifier) }),
          ...plannedTokens(plan, client),
        })
        if (result.outcome === 'ok') {
          const { scope, nonce, ...sign_in } = result.code
          const refresh = firstRefreshToken(plan, scope)
          return {
            scope: scopeFor(plan.target, scope),
            authorization_details: detailsOf(plan, sign_in),
            user: { sign_in, ...(nonce === undefined ? {} : { nonce }), ...(refresh && { refresh }) },
          }
        }
        if (result.outcome === 'replayed') throw replayed(client_id)
        if (result.outcome === 'target') return { target: result.resource }
        if (result.outcome === 'details') return { details: result.details }
        if (result.outcome === 'used') throw usedBefore(result, client_id)
        throw refusal(result, plan, { redirect_uri, code_verifier, client })
      },
    }
  },
}

// RFC 6749 §4.1.2.
const replayed = (client_id: ClientId) =>
  unusableCode('code_spent', 'replayed', { event: 'code_replayed', client_id })

function refusal(
  result: Exclude<RedeemResult, { outcome: 'ok' | 'replayed' | 'target' | 'details' | 'used' }>,
  { confirmation }: TokenPlan,
  {
    redirect_uri,
    code_verifier = '',
    client,
  }: { redirect_uri: string; code_verifier: string | undefined; client: Pick<Client, 'redirect_uris'> },
) {
  if (result.outcome !== 'mismatch') return unusableCode('code_unknown', NOT_STORED)
  if (result.field === 'redirect_uri') {
    // That of the authorization request was one of these.
    const facts = { received: { redirect_uri }, expected: { redirect_uris: client.redirect_uris } }
    return mismatch('code_redirect_uri', 'redirect_uri', facts)
  }
  if (result.field === 'code_challenge') return wrongVerifier(code_verifier)
  if (result.field === 'dpop_jkt') {
    return confirmation?.jkt === undefined
      ? proofMissing()
      : mismatch('code_other_key', 'The key of the DPoP proof', { received: { jkt: confirmation.jkt } })
  }
  // The response must not reveal that the code exists.
  return unusableCode('code_of_other_client', 'issued to another client')
}

// RFC 7636 §4.1. The text may be a secret of another application.
const wrongVerifier = (verifier: string) =>
  mismatch('code_verifier_wrong', 'code_verifier', {
    received: { characters: verifier.length },
    expected: { code_challenge_method: 'S256', characters: '43 to 128' },
  })

const verifierMissing = () =>
  invalidGrant(
    'code_verifier_missing',
    'The parameter code_verifier is missing: send the PKCE verifier of the code_challenge (RFC 7636).',
    { expected: { parameter: 'code_verifier' } },
  )
// RFC 9449 §10.
const proofMissing = () =>
  invalidGrant(
    'code_other_key',
    'The code is bound to a DPoP key, and the request has no DPoP proof: send one of the key that the authorization request named.',
    { received: { proof: 'none' }, expected: { header: 'DPoP' } },
  )
const unusableCode = (reason: Reason, cause: string, event?: SecurityEvent) =>
  invalidGrant(reason, 'The code is unknown, expired or already used.', { cause, ...(event && { event }) })
const mismatch = (reason: Reason, parameter: string, facts?: Compared) =>
  invalidGrant(reason, `${parameter} does not match the authorization request of the code.`, facts)
