/** A row of docs/errors.md: where and when a client meets an error. */
export interface ErrorRow {
  readonly at: 'token' | 'shown' | 'sent' | 'bearer' | 'registration'
  /** Absent: the error is sent to the client by redirect or form. */
  readonly status?: number
  readonly when: string
  readonly what_to_do?: string
}

/** At the token endpoint. */
const token = (status: number, when: string, what_to_do: string): ErrorRow => ({
  at: 'token',
  status,
  when,
  what_to_do,
})
/** On a page of the authorization endpoint, because the request was pushed or signed wrongly. */
const shown = (status: number, when: string): ErrorRow => ({ at: 'shown', status, when })
/** Sent to the client by the authorization endpoint. */
const sent = (when: string): ErrorRow => ({ at: 'sent', when })
/** Where an access token is needed. */
const bearer = (status: number, when: string): ErrorRow => ({ at: 'bearer', status, when })
/** At the registration endpoints. */
const registration = (status: number, when: string): ErrorRow => ({ at: 'registration', status, when })

/** Every error code of a response, and when it is the answer. `npm run docs` writes docs/errors.md from it. */
export const ERRORS = {
  access_denied: [
    token(400, 'the person whom the client [asked](asks.md) said no', 'do without; to try again, ask again'),
    token(400, 'the user of the device denied', 'tell the user; to try again, ask for new device codes'),
    sent('the user refused consent'),
    sent(
      'the user is in none of the groups that [may use the client](access-by-group.md), also with `prompt=none`',
    ),
  ],
  authorization_pending: [
    token(
      400,
      'the person whom the client [asked](asks.md) has not answered',
      'ask again after `interval` seconds',
    ),
    token(400, 'the user of the [device](device.md) has not answered', 'ask again after `interval` seconds'),
  ],
  consent_required: [
    sent(
      '`prompt=none`, and the user has not consented to this client or scope, or is [asked each time](sign-in.md#consent)',
    ),
  ],
  expired_login_hint_token: [
    token(
      400,
      'at `/oauth2/bc-authorize`: the `login_hint_token` has expired',
      'get a new one from its issuer',
    ),
  ],
  expired_token: [
    token(400, 'the [question](asks.md) to a person has expired, or is unknown', 'ask again'),
    token(
      400,
      'the device code has expired or is unknown',
      'ask for new device codes, and show the new user code',
    ),
  ],
  insufficient_scope: [
    bearer(403, 'the token lacks a scope that the path requires; the challenge names all that it requires'),
  ],
  insufficient_user_authentication: [
    bearer(
      401,
      'only at APIs with [`redmint/resource-server`](resource-servers.md): the user signed in too long ago, or not strongly enough; the challenge names `acr_values` and `max_age` (RFC 9470)',
    ),
  ],
  invalid_authorization_details: [
    token(
      400,
      '`authorization_details` is malformed, has a [type](details.md) that is unknown or that the client may not use, an object that does not fit its schema, or more than was granted; or the grant has none. The description says which. Nothing was spent',
      'correct the request as the description says',
    ),
    sent(
      '`authorization_details` is malformed, has a [type](details.md) that is unknown or that the client may not use, or an object that does not fit its schema; or its type demands that the request is [pushed](pushed-requests.md)',
    ),
  ],
  invalid_binding_message: [
    token(
      400,
      'at `/oauth2/bc-authorize`: `binding_message` is too long, or has a character that people are not shown',
      'send at most 64 letters, digits and spaces',
    ),
  ],
  invalid_client: [
    token(
      401,
      'no credentials, an unknown, disabled or malformed client, a wrong secret, malformed Basic credentials. All get the same response, except a `client_assertion`, whose description says what is wrong',
      'check `client_id` and secret, and that the variable with the secret is set; `redmint client lint` finds a malformed record',
    ),
    token(
      401,
      'the `client_assertion` of a [client with keys](client-keys.md) is invalid or was used before; the description says which, except that an unknown client, another key and a wrong signature are the same',
      'correct what the description names; [what is checked](client-keys.md#what-is-checked), and the log says the rest',
    ),
  ],
  invalid_client_metadata: [
    token(
      400,
      'the client is registered for encrypted id_tokens, and has no key for that; nothing was spent',
      'add a key with `"use": "enc"` to the [key set of the client](signed-responses.md#encryption)',
    ),
    registration(
      400,
      'a member other than `redirect_uris` cannot be accepted; the description names each, and what is possible. Or the body is not a JSON object',
    ),
  ],
  invalid_dpop_proof: [
    token(
      400,
      'the [DPoP](dpop.md) proof is malformed, not for this request, too old, or was used before; the description says which. Or the client has `dpop_bound_access_tokens`, and the request has no proof. Nothing was spent, unless the proof was used before',
      'make a new proof for each request, and set the clock of the client',
    ),
    bearer(
      401,
      'the request has no [DPoP](dpop.md) proof, or more than one; or the proof is malformed, not for this request and this token, of another key, too old, or was used before; the description says which',
    ),
  ],
  invalid_grant: [
    token(
      400,
      'the code is unknown, expired, spent or belongs to another client; `redirect_uri` or `code_verifier` does not match, or the `code_verifier` is missing. [Who needs one](sign-in.md#pkce)',
      'start a new authorization request',
    ),
    token(
      400,
      'the assertion of a trusted issuer is invalid, not about this client, or was used before; the description says which',
      'get a new assertion; [what is checked](trusted-issuers.md#what-is-checked)',
    ),
    token(
      400,
      'the account of the user is disabled, deleted or malformed, or its username belongs to another user now',
      'the user cannot go on; the operator sees why with `redmint user show`',
    ),
    token(
      400,
      'the user of the grant or of the assertion is in none of the groups that [may use the client](access-by-group.md)',
      'the user cannot go on; an operator can put them into a group',
    ),
    token(
      400,
      'the refresh token is unknown, expired, revoked, belongs to another client, was spent longer ago than the retry window, or its successor was used',
      'send the user to sign in again',
    ),
    token(
      400,
      'the code or the refresh token is bound to another DPoP key or client certificate than that of the request, or the request has none; or it repeats a refresh that had another one. The description says which',
      'send a proof of the same key',
    ),
    token(
      400,
      'the device code is malformed, was redeemed already or belongs to another client',
      'ask for new device codes',
    ),
  ],
  invalid_redirect_uri: [
    registration(
      400,
      '`redirect_uris` is missing, or one of them cannot be accepted: it is not absolute, has a fragment, a wildcard, http on a host that is not loopback or a query with a name that answers add; or there are more than 20',
    ),
  ],
  invalid_request: [
    token(
      400,
      'a parameter is missing; a known one is repeated, not percent-encoded UTF-8 or contains control characters; the body is not a form; the request has two client authentication methods',
      'correct the request as the description says',
    ),
    token(413, 'the body has 64 KiB or more', 'send less'),
    shown(400, 'there are both `request` and `request_uri`, or no `client_id` beside them'),
    sent(
      'a known parameter is repeated, is not percent-encoded UTF-8 or has control characters; a `state` of which that is true is left out of the answer; the parameters without `id_token_hint`, and those of a pushed request without `authorization_details`, have more than 4,096 bytes in all; `response_type`, `code_challenge` or `code_challenge_method` is missing or malformed; the method is not `S256`; `response_mode` is not `query`, `form_post`, `jwt`, `query.jwt` or `form_post.jwt`; `prompt` combines `none` or `create` with another value, or has a value that is unknown, or `create` where [sign-up](invitations.md#an-application-that-leads-to-sign-up) is not open; `dpop_jkt` is not a SHA-256 thumbprint; `max_age` is not a number of seconds; `claims` is malformed; `id_token_hint` is not an id_token that was issued to this client',
    ),
    sent(
      'the client must [push or sign](pushed-requests.md) its requests, and did not; `dpop_jkt` is no thumbprint',
    ),
    bearer(400, 'the request has the token in the header and also in the body or the query'),
    registration(413, 'the body has more than 5 KiB'),
  ],
  invalid_request_object: [
    shown(
      400,
      'the object in `request` is not one that the client signed for this server; the description says why',
    ),
    sent(
      'a parameter in a signed `request` has another JSON type than its own; shown and not redirected for `redirect_uri` and `response_mode`',
    ),
  ],
  invalid_request_uri: [
    shown(400, 'the `request_uri` is unknown, expired, used already, or that of another client'),
  ],
  invalid_scope: [
    token(
      400,
      "a requested scope is not among the client's `allowed_scopes` or not one of the requested resource, exceeds the scope of the refresh token, or differs from that of the refresh which this request repeats",
      'request less, or register more scopes. The description names what was refused and what the client may obtain',
    ),
    sent(
      "a requested scope is not among the client's `allowed_scopes`, or not one of the requested resource; the description names what is possible",
    ),
  ],
  invalid_target: [
    token(
      400,
      '`resource` names an API that is unknown, disabled, not part of the sign-in, or of which the client may obtain no scope; or several, or none of several that the sign-in named. Nothing was spent',
      'name one resource of the sign-in; an operator registers it with `redmint resource add`. See [resources](resources.md#what-is-refused)',
    ),
    sent(
      '`resource` names an API that is unknown or disabled, or of which the client may obtain no scope, or one value has a space',
    ),
  ],
  invalid_token: [
    bearer(
      401,
      'the token is unknown, expired, revoked, malformed, or not an access token; or its client is unknown, disabled or malformed; or, at `/userinfo`, its account was removed, disabled or given another `sub`; or, where Redis is asked, its user is in none of the groups that [may use the client](access-by-group.md); or the token is bound to a key and came as `Bearer`, or is bound to nothing and came as `DPoP`',
    ),
    registration(
      401,
      'the invitation is unknown, expired or used up; or the registration access token is not that of this client, or the client is disabled or not registered any more',
    ),
  ],
  login_required: [
    sent(
      '`prompt=none`, and no user is signed in, or not recently enough; or the user is not the one that `id_token_hint` or `claims` requires',
    ),
  ],
  registration_not_supported: [sent('`registration` is present')],
  request_not_supported: [
    sent('`request` is unsigned. Only its `response_mode` is read, to return this error'),
  ],
  request_uri_not_supported: [
    sent(
      '`request_uri` is not one of this server, and nothing is fetched: [push](pushed-requests.md) the request, and send the one of the answer. Without a `redirect_uri` this is shown and not redirected',
    ),
  ],
  server_error: [
    token(500, 'an unexpected error, which is in the log', 'give the operator the time and the request id'),
    sent('an unexpected error'),
  ],
  slow_down: [
    token(
      400,
      'the user of the device has not answered, and the device asked before the interval was over',
      'wait 5 seconds longer from now on',
    ),
  ],
  temporarily_unavailable: [
    token(
      429,
      'this client failed to authenticate too often from this address. The credentials were not checked; the response does not reveal whether the client exists',
      'correct the secret, then retry after `Retry-After` seconds',
    ),
    token(
      429,
      'a client that described itself sent more than 600 assertions within a minute',
      'retry after `Retry-After` seconds',
    ),
    token(
      503,
      'the keys of a trusted issuer cannot be fetched, or those of a client that has the key which was fetched last; the assertion is not spent',
      'retry after `Retry-After` seconds; the log says why',
    ),
    token(
      503,
      "storage does not answer, or the host of a client's [metadata document](client-id-metadata.md); nothing was decided",
      'retry after `Retry-After` seconds',
    ),
    token(
      503,
      'the request waited more than two seconds for its turn, because the process has too much to do; nothing was done',
      'retry after `Retry-After` seconds',
    ),
    bearer(503, 'storage does not answer; the token may be valid'),
    registration(
      429,
      'too many clients registered within an hour, from this address or in all: retry after `Retry-After` seconds',
    ),
    registration(503, 'storage does not answer; the client may be registered, and then lapses unused'),
  ],
  unauthorized: [
    bearer(401, 'no access token in the request; the challenges, `Bearer` and `DPoP`, name no error'),
    registration(401, 'no invitation in the request, and only clients with one may register'),
  ],
  unauthorized_client: [
    token(
      400,
      'the client is not registered for this grant type, or is public and asks for `client_credentials`',
      "add the grant type to the client's field `grant_types`, or use the authorization code grant",
    ),
    sent('the client is not registered for `authorization_code`'),
  ],
  unmet_authentication_requirements: [
    sent('`claims` requires an `acr` that no sign-in method has, or that the sign-in does not have'),
  ],
  unsupported_grant_type: [
    token(400, 'the grant type is not in the discovery document', 'use a supported one'),
  ],
  unsupported_response_type: [sent('`response_type` is not `code`')],
  use_dpop_nonce: [
    token(
      400,
      'the proof has no nonce and `DPOP_NONCE` is `required`, or its nonce has expired',
      'make a new proof with the nonce of the header `DPoP-Nonce`',
    ),
    bearer(
      401,
      'as at the token endpoint; a nonce of the token endpoint is valid at `/userinfo` and `/api/`, too',
    ),
  ],
} satisfies Record<string, readonly ErrorRow[]>

export type ErrorCode = keyof typeof ERRORS

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]
