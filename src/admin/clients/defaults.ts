import { defaultGrantType, signInGrants, TOKEN_EXCHANGE } from '../../clients/record/grant-types.ts'
import { hasSecretlessMethod } from '../../clients/record/profiles.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { entries } from './lint-fields.ts'

/**
 * Returns the fields that a new client has besides the given ones, in the command and in files alike: a record that lint
 * accepts. A public client without a redirect URI has no default grant type.
 */
export function defaultFields(given: Hash): Hash {
  const { is_public = 'false' } = given
  const exchanges = given.exchange_mode !== undefined && given.grant_types === undefined
  const grant_types = given.grant_types ?? defaultGrantType(given)
  const grants = entries({ grant_types: grant_types ?? '' }, 'grant_types')
  const signs_in = signInGrants(grants).length > 0
  const refresh_tokens = given.refresh_tokens ?? (signs_in ? defaultRefreshTokens(grants, given) : undefined)
  const refreshes = given.grant_types === undefined && signs_in && refresh_tokens !== 'never'
  return present({
    is_public,
    grant_types:
      [grant_types, refreshes && 'refresh_token', exchanges && TOKEN_EXCHANGE].filter(Boolean).join(' ') ||
      undefined,
    refresh_tokens,
  })
}

/** Whether the fields of a client name a way to authenticate without a secret. */
export const authenticatesOtherwise = (fields: Hash) =>
  fields.assertion_issuer !== undefined || hasSecretlessMethod(fields)

/** Whether a new client with these fields needs a secret, and has none yet. */
export const needsSecret = (given: Hash): boolean =>
  given.is_public !== 'true' && !given.client_secret_hash && !authenticatesOtherwise(given)

// RFC 9700 §2.2.2: a client gets refresh tokens only if it asks for them.
function defaultRefreshTokens(grants: readonly string[], given: Hash): string | undefined {
  if (entries(given, 'allowed_scopes').includes('offline_access')) return 'offline_access'
  return grants.includes('refresh_token') ? undefined : 'never'
}
