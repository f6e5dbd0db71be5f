import fc from 'fast-check'
// Attempts on tokens: correct and wrong refreshes, retries, reuse, tokens of clients and revocations.
import { type RefreshAttempt, useRefreshToken } from '../contract/use-refresh-token.ts'
import { type TokenFields, saveRevokedToken as writeRevokedToken } from '../records.ts'
import { attempt, last, pick, SCOPE, seldom, UNIT, units } from './attempt.ts'
import type { Token } from './model.ts'
import type { Run } from './run.ts'

const ACCESS_TOKEN: TokenFields = {
  type: 'access_token',
  client_id: 'app',
  subject: 'sam',
  scope: 'api.read',
}

/** The refresh tokens of active families, including spent ones; if there are none, those of ended families. */
function refreshTokens({ model }: Run): Token[] {
  const all = model.tokens.filter(({ type }) => type === 'refresh_token')
  const living = all.filter(({ grant: id, token }) => {
    const grant = model.grant(id)
    return grant?.revoked === false && (model.token(token) ?? model.spent(grant)?.token === token)
  })
  return living.length > 0 ? living : all
}

export const refresh = attempt(
  'refresh',
  fc.record({
    pick,
    other: seldom,
    wrong_client: seldom,
    scope: fc.constantFrom(undefined, undefined, undefined, 'api.read', 'openid api.write', 'api.read admin'),
    allowed_scopes: fc.constantFrom(SCOPE, SCOPE, 'api.read', 'admin'),
    rotates: fc.constantFrom(true, true, false),
    jwt: fc.boolean(),
    access_token_ttl: units(1, 3),
    retry_window: units(0, 4),
  }),
  (
    run,
    { pick, other, wrong_client, scope, allowed_scopes, rotates, jwt, access_token_ttl, retry_window },
  ) => {
    const token = other ? last(run.tokens, pick) : last(refreshTokens(run), pick)?.token
    if (token === undefined) return undefined
    const grant = token.slice(0, 16)
    const family = run.model.grants.find((one) => one.grant === grant)
    const owner = family?.client_id ?? 'app'
    const operation = run.newOperation()
    const rotation = { successor: run.newToken(grant, 'refresh') }
    const { idle_ttl } = family?.settings ?? {}
    const refresh: RefreshAttempt = {
      client_id: wrong_client ? 'other' : owner,
      ...(scope === undefined ? {} : { scope }),
      ...{ allowed_scopes, operation, access_token_ttl, retry_window },
      ...(jwt ? {} : { access_token: run.newToken(grant, 'access') }),
      ...(rotates ? rotation : {}),
      ...(idle_ttl === undefined ? {} : { idle_ttl }),
    }
    const expected = run.model.refresh(token, refresh)
    const { spent } = run.model.tokens.find((one) => one.token === token) ?? {}
    run.refreshes.push({ token, refresh, at: run.model.now, spent_by: spent?.by })
    return { expected, send: (storage) => useRefreshToken(storage, token, refresh) }
  },
)

export const refreshAgain = attempt('refresh again', pick, (run, pick) => {
  const earlier = last(run.refreshes, pick)
  if (earlier === undefined || !run.canBeRepeated(earlier)) return undefined
  const { token, refresh } = earlier
  const expected = run.model.refresh(token, refresh)
  return { expected, send: (storage) => useRefreshToken(storage, token, refresh) }
})

export const saveClientToken = attempt(
  'save the token of a client',
  fc.record({ pick, again: seldom, ttl: units(1, 3) }),
  (run, { pick, again, ttl }) => {
    const living = run.model.tokens.filter(({ token }) => run.model.token(token) !== undefined)
    const token = (again ? last(living, pick)?.token : undefined) ?? run.newToken(run.newGrant())
    const { client_id, scope } = ACCESS_TOKEN
    const expected = run.model.saveToken(token, token.slice(0, 16), { ...ACCESS_TOKEN, subject: '' }, ttl)
    return { expected, send: ({ families }) => families.saveClientToken({ token, client_id, scope }, ttl) }
  },
)

export const saveRevokedToken = attempt(
  'save revoked token',
  fc.record({ pick, alone: seldom, ttl: fc.constantFrom(-UNIT, UNIT, 2 * UNIT) }),
  (run, { pick, alone, ttl }, clock) => {
    const grant = (alone ? undefined : last(run.model.grants, pick)?.grant) ?? run.newGrant()
    const jti = run.newToken(grant, 'jti')
    const expected = run.model.saveRevokedToken(jti, grant, ACCESS_TOKEN, run.model.now + ttl * 1000)
    const expires_at = new Date(clock + ttl * 1000)
    return { expected, send: (storage) => writeRevokedToken(storage, jti, ACCESS_TOKEN, expires_at) }
  },
)

export const revokeToken = attempt(
  'revoke token',
  fc.record({ pick, whose: fc.constantFrom('own', 'own', 'foreign', 'any') }),
  (run, { pick, whose }) => {
    const token = last(run.tokens, pick)
    if (token === undefined) return undefined
    const own = run.model.tokens.find((one) => one.token === token)?.client_id ?? 'app'
    const client_id = { own, foreign: 'other', any: undefined }[whose]
    const expected = run.model.revokeToken(token, client_id)
    return { expected, send: (storage) => storage.families.revokeToken(token, client_id) }
  },
)

export const endGrant = attempt(
  'end grant',
  fc.record({ pick, coming: fc.boolean(), ttl: units(1, 2) }),
  (run, { pick, coming, ttl }) => {
    const unspent = run.model.codes.filter(({ spent_by }) => spent_by === undefined)
    const grant = (coming ? last(unspent, pick)?.grant : undefined) ?? last(run.grants, pick)
    if (grant === undefined) return undefined
    const expected = run.model.endGrant(grant, ttl)
    return { expected, send: (storage) => storage.families.endFamily(grant, ttl) }
  },
)

export const revokeGrant = attempt(
  'revoke grant',
  fc.record({ pick, unknown: seldom }),
  (run, { pick, unknown }) => {
    const grant = unknown ? run.newGrant() : last(run.grants, pick)
    if (grant === undefined) return undefined
    const expected = run.model.revokeGrant(grant)
    return { expected, send: (storage) => storage.families.revokeFamily(grant) }
  },
)
