import t from 'tap'
import * as bearer from '../../../../src/core/bearer-errors.ts'
import * as client from '../../../../src/core/client-errors.ts'
import * as general from '../../../../src/core/errors.ts'
import * as grant from '../../../../src/core/grant-errors.ts'
import * as request from '../../../../src/core/request-errors.ts'

const errors = { ...general, ...bearer, ...client, ...grant, ...request }

t.test('every factory sets code, status and description', async (t) => {
  const cause = new Error('for the log')
  const table: [error: general.OAuthError, code: string, status: number][] = [
    [errors.invalidRequest('request_malformed', 'x'), 'invalid_request', 400],
    [errors.invalidRequest('request_malformed', 'x', { status: 413 }), 'invalid_request', 413],
    [errors.invalidClient('client_unknown', 'why'), 'invalid_client', 401],
    [errors.invalidGrant('code_unknown', 'x'), 'invalid_grant', 400],
    [errors.unauthorizedClient('refresh_tokens_never', 'x'), 'unauthorized_client', 400],
    [errors.notRegisteredFor('x', []), 'unauthorized_client', 400],
    [errors.unsupportedGrantType('x'), 'unsupported_grant_type', 400],
    [errors.unsupportedResponseType('x', {}), 'unsupported_response_type', 400],
    [errors.invalidScope('scope_not_allowed', 'x'), 'invalid_scope', 400],
    [errors.requestNotSupported('request'), 'request_not_supported', 400],
    [errors.requestNotSupported('request_uri'), 'request_uri_not_supported', 400],
    [errors.loginRequired('login_required', 'x'), 'login_required', 400],
    [errors.unauthorized(), 'unauthorized', 401],
    [errors.invalidToken('token_invalid', 'why'), 'invalid_token', 401],
    [errors.insufficientScope('openid'), 'insufficient_scope', 403],
    [errors.severalTokens('x'), 'invalid_request', 400],
    [errors.insufficientUserAuthentication({}, {}), 'insufficient_user_authentication', 401],
    [errors.issuerUnavailable(cause), 'temporarily_unavailable', 503],
    [errors.temporarilyUnavailable(cause), 'temporarily_unavailable', 503],
    [errors.tooManyFailures(1), 'temporarily_unavailable', 429],
    [errors.serverError(cause), 'server_error', 500],
  ]
  for (const [error, code, status] of table) {
    t.type(error, general.OAuthError)
    t.equal(error.name, 'OAuthError')
    t.equal(error.code, code)
    t.equal(error.status, status, code)
    t.equal(error.message, `${code}: ${error.description}`)
    t.match(error.description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, 'RFC 6749 §5.2, RFC 6750 §3')
  }
})

t.test('the cause of an error is kept for the log and not part of the response', async (t) => {
  const why = 'the wrong secret of somebody'
  const cause = new Error(why)
  const told: [error: general.OAuthError, cause: unknown][] = [
    [errors.invalidClient('client_unknown', why), why],
    [errors.invalidToken('token_invalid', why), why],
    [errors.invalidGrant('code_unknown', 'The code is unknown.', { cause: why }), why],
    [errors.temporarilyUnavailable(cause), cause],
    [errors.serverError(cause), cause],
    [errors.invalidRequest('request_malformed', 'x', { cause }), cause],
  ]
  for (const [error, expected] of told) {
    t.equal(error.cause, expected)
    t.notMatch(error.description, why)
    t.notMatch(error.message, why)
  }
  t.equal(
    errors.invalidClient('client_unknown', 'one').description,
    errors.invalidClient('client_unknown', 'another').description,
  )
  t.equal(
    errors.invalidToken('token_invalid', 'one').description,
    errors.invalidToken('token_invalid', 'another').description,
  )
})

t.test('Retry-After is in whole seconds, rounded up', async (t) => {
  for (const [make, first] of [
    [() => errors.temporarilyUnavailable('why'), 1],
    [errors.tooLate, 1],
    [errors.overloaded, 2],
  ] as const) {
    const seconds = Array.from({ length: 200 }, () => Number(make().headers['retry-after']))
    t.ok(seconds.every((given) => given >= first && given < first + 5))
    t.ok(new Set(seconds).size > 1, 'clients that were refused together come back apart')
  }
  for (const [ms, seconds] of [
    [-1, 1],
    [0, 1],
    [1000, 1],
    [1001, 2],
    [59_999, 60],
  ] as const) {
    t.strictSame(errors.tooManyFailures(ms).headers, { 'retry-after': String(seconds) }, `${ms} ms`)
  }
})

t.test('an error carries its challenge (RFC 6749 §5.2, RFC 6750 §3)', async (t) => {
  const challengeOf = ({ headers }: general.OAuthError) => headers['www-authenticate']
  t.equal(
    challengeOf(errors.invalidClient('client_unknown', 'why')),
    'Basic realm="redmint", charset="UTF-8"',
  )
  t.equal(challengeOf(errors.unauthorized()), 'Bearer realm="redmint"')
  t.equal(
    challengeOf(errors.invalidToken('token_invalid', 'why')),
    'Bearer realm="redmint", error="invalid_token", error_description="The access token is unknown, expired, revoked or not an access token."',
  )
  t.equal(
    challengeOf(errors.insufficientScope('openid')),
    `Bearer realm="redmint", error="insufficient_scope", error_description="This needs the scope openid.", scope="openid"`,
  )
  for (const error of [
    errors.invalidRequest('request_malformed', 'x'),
    errors.invalidGrant('code_unknown', 'x'),
    errors.serverError('why'),
  ]) {
    t.strictSame(error.headers, {}, error.code)
  }
  t.equal(errors.signInExpired(undefined, 'over').page, 'expired')
})
