import type { Context } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { newGrantId, newToken } from '../ids.ts'
import type { Parameters } from '../parameters.ts'
import { decide } from './decide.ts'
import {
  type AuthorizationRequest,
  identifyTarget,
  readAuthorizationRequest,
  type Target,
} from './request.ts'
import { codeLocation, errorLocation } from './response.ts'

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 * @returns the address that the browser is sent to.
 * @throws OAuthError that must be shown to the person and never redirected; StorageUnavailable
 */
export async function authorize(context: Context, parameters: Parameters): Promise<string> {
  const target = await identifyTarget(parameters, context.clients)
  const request = readOrRefuse(parameters, target)
  if (request instanceof OAuthError) return errorLocation(target, context.settings.issuer, request)
  const decision = decide(request, context.settings, context.now())
  if (decision.kind === 'error') return errorLocation(target, context.settings.issuer, decision.error)
  const code = await saveCode(context, request, decision)
  return codeLocation(target, context.settings.issuer, code)
}

function readOrRefuse(parameters: Parameters, target: Target): AuthorizationRequest | OAuthError {
  try {
    return readAuthorizationRequest(parameters, target)
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
}

async function saveCode(
  { storage, settings }: Context,
  request: AuthorizationRequest,
  user: { subject: string; auth_time: number },
): Promise<string> {
  const code = newToken(newGrantId())
  await storage.saveCode(
    code,
    {
      client_id: request.client.client_id,
      redirect_uri: request.redirect_uri,
      scope: request.scope,
      subject: user.subject,
      code_challenge: request.code_challenge,
      ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
      auth_time: user.auth_time,
    },
    settings.code_ttl,
  )
  return code
}
