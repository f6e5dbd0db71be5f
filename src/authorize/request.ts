import type { Clients } from '../clients.ts'
import {
  invalidRequest,
  requestNotSupported,
  unauthorizedClient,
  unsupportedResponseType,
} from '../errors.ts'
import { type Parameters, required } from '../parameters.ts'
import { isS256Challenge } from '../pkce.ts'
import type { Client } from '../records/client.ts'
import { matchesRedirectUri } from '../redirect-uri.ts'
import { resolveScope } from '../scope.ts'

/**
 * Where the answer may go. Only identifyTarget makes one, after it found client and redirect_uri right, and
 * every redirect needs one: no error can be sent to an address that was not checked.
 */
export interface Target {
  readonly client: Client
  readonly redirect_uri: string
  readonly state?: string
}

/** A valid authorization request (spec 4.1). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirect_uri: string
  readonly scope: string
  readonly code_challenge: string
  readonly nonce?: string
  readonly subject?: string
}

/**
 * The first half: who asks, and where the answer goes (RFC 6749 §4.1.2.1).
 * @throws OAuthError that must be shown to the person and never redirected; StorageUnavailable
 */
export async function identifyTarget(parameters: Parameters, clients: Clients): Promise<Target> {
  const client_id = required(parameters, 'client_id')
  const redirect_uri = required(parameters, 'redirect_uri')
  const client = await clients.find(client_id)
  if (client === undefined) throw invalidRequest('The client_id is not that of a registered client.')
  if (!matchesRedirectUri(redirect_uri, client.redirect_uris)) {
    throw invalidRequest('The redirect_uri is not one of those that the client registered.')
  }
  const { state } = parameters
  return { client, redirect_uri, ...(state === undefined ? {} : { state }) }
}

/**
 * The second half: what is asked for.
 * @throws OAuthError that is reported to the client by redirect.
 */
export function readAuthorizationRequest(parameters: Parameters, target: Target): AuthorizationRequest {
  const { client, redirect_uri } = target
  for (const name of ['request', 'request_uri'] as const) {
    if (parameters[name] !== undefined) throw requestNotSupported(name)
  }
  if (required(parameters, 'response_type') !== 'code') {
    throw unsupportedResponseType('response_type must be code.')
  }
  if ((parameters.response_mode ?? 'query') !== 'query') throw invalidRequest('response_mode must be query.')
  if (!client.grant_types.includes('authorization_code')) {
    throw unauthorizedClient('This client is not registered for authorization_code.')
  }
  const scope = resolveScope(parameters.scope, client.allowed_scopes)
  const code_challenge = readChallenge(parameters)
  const { nonce, subject } = parameters
  return {
    client,
    redirect_uri,
    scope,
    code_challenge,
    ...(nonce === undefined ? {} : { nonce }),
    ...(subject === undefined ? {} : { subject }),
  }
}

// RFC 7636 §4.4.1; RFC 9700 §2.1.1: PKCE for every client, and S256 only.
function readChallenge(parameters: Parameters): string {
  const code_challenge = required(parameters, 'code_challenge')
  // RFC 7636 §4.3: an absent method would mean "plain".
  if (required(parameters, 'code_challenge_method') !== 'S256') {
    throw invalidRequest('code_challenge_method must be S256.')
  }
  if (!isS256Challenge(code_challenge)) {
    throw invalidRequest('code_challenge must be a SHA-256 digest in base64url, 43 characters.')
  }
  return code_challenge
}
