import type { ClaimsRequest } from '../claims/claims-request.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { type Parameters, parametersFrom, pickParameters } from '../core/parameters.ts'
import { hasNoScope } from '../core/scope.ts'
import type { CheckedDetail } from '../details/check-details.ts'
import type { WaitingRequest } from '../interaction/pending-record.ts'
import { isTooLong } from '../interaction/pending-request.ts'
import type { Resource } from '../resources/resource-record.ts'

/**
 * The ways to return a response to the client (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode, JARM
 * §2.3).
 */
export const RESPONSE_MODES = ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/**
 * What the user is asked in any case, or that nothing may be asked (OpenID Connect Core §3.1.2.1); `create`: to make an
 * account (Initiating User Registration via OpenID Connect §4.1).
 */
const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create'] as const
export type Prompt = (typeof PROMPTS)[number]

/** The values of prompt that there are: nobody is led to make an account where that is not open. */
export function promptsFor({ sign_up }: Pick<Settings, 'sign_up'>): readonly Prompt[] {
  return sign_up === 'open' ? PROMPTS : PROMPTS.filter((prompt) => prompt !== 'create')
}

/**
 * Where the response goes. Only identifyTarget makes one, after it checked the client and the redirect_uri, and every
 * response needs one: no error can be sent to an address that was not checked.
 */
export interface Target {
  readonly client: Client
  readonly redirect_uri: string
  readonly response_mode: ResponseMode
  readonly state?: string
}

/** A valid authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirect_uri: string
  readonly scope: string
  /** Absent if the client is exempted from PKCE and sent none. */
  readonly code_challenge?: string
  /** The thumbprint of the DPoP key that its code is bound to (RFC 9449 §10); absent: any key, or none. */
  readonly dpop_jkt?: string
  readonly nonce?: string
  /** The user of the demo shortcut. */
  readonly subject?: string
  readonly prompt: ReadonlySet<Prompt>
  /** How long ago the user may have signed in, in seconds. */
  readonly max_age?: number
  /** The acr values that the client would like, one of them (OpenID Connect Core §3.1.2.1, RFC 9470 §4). */
  readonly acr_values?: readonly string[]
  /** The subject of the user whom its id_token_hint is about. */
  readonly hinted_sub?: string
  readonly claims: ClaimsRequest
  /** What its access tokens are for; absent: this server. */
  readonly resources?: readonly Resource[]
  /** What it asks for in detail (RFC 9396); absent: nothing. */
  readonly details?: readonly CheckedDetail[]
  /** Whether the client signed it (RFC 9101). */
  readonly is_signed?: boolean
}

// Not kept: `subject`, which is answered at once, `id_token_hint`, of which the subject is kept, and the parameters that
// are refused or ignored.
const KEPT = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'prompt',
  'max_age',
  'login_hint',
  'idp_hint',
  'claims',
  'ui_locales',
  'resource',
  'acr_values',
  'authorization_details',
] as const

/** What is kept of a request that was pushed: nothing that authenticates a client. */
export const PUSHED_PARAMETERS = [...KEPT, 'subject'] as const
/** What is read of a request object. */
export const SIGNED_PARAMETERS = [...PUSHED_PARAMETERS, 'id_token_hint'] as const
/** What is read of a request to the authorization endpoint. */
export const SENT_PARAMETERS = [...SIGNED_PARAMETERS, 'request', 'request_uri'] as const

/** The parameters that are known, but refused. */
export const UNSUPPORTED_PARAMETERS = ['request', 'request_uri', 'registration'] as const

/**
 * Returns what is kept of a request while it waits for the user. If it leaves the scope out, the default scope is kept
 * with it: the one decided when it was pushed, or else what the client may obtain now. So a client that may obtain more
 * later does not get more. Of one that was pushed and is too long to be carried, its details stay where they are.
 */
export function waitingRequest(
  parameters: Parameters,
  { allowed_scopes }: Client,
  { default_scope, hinted_sub, pushed }: Pick<WaitingRequest, 'default_scope' | 'hinted_sub' | 'pushed'> = {},
): WaitingRequest {
  const waiting: WaitingRequest = {
    kind: 'authorization',
    parameters: pickParameters(parameters, KEPT),
    ...(hasNoScope(parameters) && { default_scope: default_scope ?? allowed_scopes.join(' ') }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    ...(pushed !== undefined && { pushed }),
  }
  return pushed !== undefined && isTooLong(waiting) ? withoutDetails(waiting) : waiting
}

// In any other request they are carried: nothing stores them, and left out they would be no part of what is allowed.
function withoutDetails(waiting: WaitingRequest): WaitingRequest {
  const { authorization_details: _, ...parameters } = waiting.parameters
  return { ...waiting, parameters: parametersFrom(parameters), leaves_details: true }
}
