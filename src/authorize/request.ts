import { type ClaimsRequest, readClaimsParameter } from '../claims/claims-request.ts'
import type { Client } from '../clients/client-record.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { matchesRedirectUri } from '../clients/redirect-uri.ts'
import {
  invalidRequest,
  requestNotSupported,
  unauthorizedClient,
  unsupportedResponseType,
} from '../core/errors.ts'
import { parseObject } from '../core/json.ts'
import { type Parameters, required } from '../core/parameters.ts'
import { resolveScope, scopeNames } from '../core/scope.ts'
import { isS256Challenge } from '../tokens/pkce.ts'

export const RESPONSE_MODES = ['query', 'form_post'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** What a person is to be asked for in any case, or that nobody may be asked (OpenID Connect Core §3.1.2.1). */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
export type Prompt = (typeof PROMPTS)[number]

/**
 * Where the answer may go. Only identifyTarget makes one, after it found client and redirect_uri right, and
 * every answer needs one: no error can be sent to an address that was not checked.
 */
export interface Target {
  readonly client: Client
  readonly redirect_uri: string
  readonly response_mode: ResponseMode
  readonly state?: string
}

/** A valid authorization request (spec 4.1, OpenID Connect Core §3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirect_uri: string
  readonly scope: string
  /** Absent where the client is exempted from PKCE and sent none. */
  readonly code_challenge?: string
  readonly nonce?: string
  /** The demo shortcut. */
  readonly subject?: string
  readonly prompt: ReadonlySet<Prompt>
  /** How long ago the user may have signed in, in seconds. */
  readonly max_age?: number
  readonly id_token_hint?: string
  readonly claims: ClaimsRequest
}

/**
 * The first half: who asks, and where the answer goes (RFC 6749 §4.1.2.1).
 * @throws OAuthError that must be shown to the person and never redirected; StorageUnavailable
 */
export async function identifyTarget(parameters: Parameters, clients: ClientRegistry): Promise<Target> {
  const client_id = required(parameters, 'client_id')
  const redirect_uri = required(parameters, 'redirect_uri')
  const client = await clients.find(client_id)
  if (client === undefined) throw invalidRequest('The client_id is not that of a registered client.')
  if (!matchesRedirectUri(redirect_uri, client.redirect_uris)) {
    throw invalidRequest('The redirect_uri is not one of those that the client registered.')
  }
  const { state, response_mode: asked = modeInObject(parameters.request) } = parameters
  // What is asked for may be wrong, and that has to be told in some way.
  const response_mode = RESPONSE_MODES.find((mode) => mode === asked) ?? 'query'
  return { client, redirect_uri, response_mode, ...(state === undefined ? {} : { state }) }
}

// A request object is refused, but in the mode that it asks for: the client may listen for answers in no other one.
// Whether it is signed makes no difference: nothing is read that the query could not say as well.
function modeInObject(jwt: string | undefined): unknown {
  const claims = parseObject(Buffer.from(jwt?.split('.')[1] ?? '', 'base64url').toString()) ?? {}
  return Object.hasOwn(claims, 'response_mode') ? claims.response_mode : undefined
}

/**
 * The second half: what is asked for.
 * @throws OAuthError that is reported to the client.
 */
export function readAuthorizationRequest(parameters: Parameters, target: Target): AuthorizationRequest {
  const { client, redirect_uri } = target
  // OpenID Connect Core §6 and §7.2.1: refused, and never fetched.
  for (const name of ['request', 'request_uri', 'registration'] as const) {
    if (parameters[name] !== undefined) throw requestNotSupported(name)
  }
  if (required(parameters, 'response_type') !== 'code') {
    throw unsupportedResponseType('response_type must be code.')
  }
  if ((parameters.response_mode ?? 'query') !== target.response_mode) {
    throw invalidRequest(`response_mode must be ${RESPONSE_MODES.join(' or ')}.`)
  }
  if (!client.grant_types.includes('authorization_code')) {
    throw unauthorizedClient('This client is not registered for authorization_code.')
  }
  const scope = resolveScope(parameters.scope, client.allowed_scopes)
  const code_challenge = readChallenge(parameters, client)
  const max_age = readMaxAge(parameters.max_age)
  const { nonce, subject, id_token_hint } = parameters
  return {
    client,
    redirect_uri,
    scope,
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(subject === undefined ? {} : { subject }),
    prompt: readPrompt(parameters.prompt),
    ...(max_age === undefined ? {} : { max_age }),
    ...(id_token_hint === undefined ? {} : { id_token_hint }),
    claims: readClaimsParameter(parameters.claims),
  }
}

// RFC 7636 §4.4.1; RFC 9700 §2.1.1: PKCE for every client that is not exempted, and S256 only.
function readChallenge(parameters: Parameters, client: Client): string | undefined {
  const { code_challenge: given, code_challenge_method: method } = parameters
  if (!client.require_pkce && given === undefined && method === undefined) return undefined
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

// OpenID Connect Core §3.1.2.1: none stands alone.
function readPrompt(text: string | undefined): ReadonlySet<Prompt> {
  const prompts = scopeNames(text ?? '').map((name) => {
    const prompt = PROMPTS.find((known) => known === name)
    if (prompt === undefined) throw invalidRequest(`prompt must be of ${PROMPTS.join(', ')}.`)
    return prompt
  })
  if (prompts.includes('none') && prompts.length > 1) {
    throw invalidRequest('prompt must not have none beside another value.')
  }
  return new Set(prompts)
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text)) throw invalidRequest('max_age must be a number of seconds.')
  return Number(text)
}
