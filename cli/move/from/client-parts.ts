import { isShortSecret, secretHash } from '../../../src/clients/record/client-secret.ts'
import { GRANT_TYPE_NAMES } from '../../../src/clients/record/grant-types.ts'
import {
  hasBareScheme,
  newRedirectUriProblem,
  redirectUriProblem,
} from '../../../src/clients/record/redirect-uri.ts'
import { SIGNING_ALGS } from '../../../src/core/algs.ts'
import { isScopeToken } from '../../../src/core/scope.ts'
import type { Members } from './members.ts'

/** Returns the redirect URIs that can be registered here. The others are lost, each with the reason. */
export function keepUris(of: Members, field: string, uris: readonly string[]): string[] {
  const kept: string[] = []
  for (const uri of new Set(uris)) {
    const problem = redirectUriProblem(uri) ?? newRedirectUriProblem(uri)
    if (problem === undefined) kept.push(uri)
    else of.lost(field, `${uri} ${problem}`)
  }
  if (kept.length > 0) of.kept(field)
  return kept
}

/** Returns the kind of application that some URIs need; only an app on a device may have schemes without a dot. */
export function applicationType(
  of: Members,
  field: string,
  uris: readonly string[],
): { application_type?: 'native' } {
  if (!uris.some(hasBareScheme)) return {}
  of.changed(field, 'application_type is native, because a scheme without a dot is that of an app')
  return { application_type: 'native' }
}

/** Returns the scopes that have a name which a scope can have. */
export function keepScopes(of: Members, field: string, scopes: readonly string[]): string[] {
  const kept = [...new Set(scopes)].filter((scope) => {
    if (isScopeToken(scope)) return true
    of.lost(field, `"${scope}" cannot be the name of a scope`)
    return false
  })
  if (kept.length > 0) of.kept(field)
  return kept
}

/** Returns a member of the import file with the digest of a secret, of which nothing else is stored. */
export function keepSecret(of: Members, field: string, secret: string): { client_secret_hash?: string } {
  // RFC 6749 Appendix A.2.
  if (!/^[\x20-\x7E]+$/.test(secret)) {
    of.lost(field, 'it has characters that a secret cannot have: the client gets a new one')
    return {}
  }
  if (isShortSecret(secret)) of.changed(field, 'it is kept, and short: give the client another one')
  else of.kept(field)
  return { client_secret_hash: secretHash(secret) }
}

/** Returns a member with a signature algorithm, if redmint signs with it. `none` is the default. */
export function keepAlg(of: Members, field: string, member: string): Record<string, string> {
  const alg = of.text(field)
  if (alg === undefined || alg === 'none') return {}
  if (SIGNING_ALGS.some((known) => known === alg)) {
    of.kept(field)
    return { [member]: alg }
  }
  of.lost(field, `redmint does not use ${alg}`)
  return {}
}

/** Returns the members for an http(s) page of the client, and the like, under the same name as here. */
export function keepTexts(of: Members, names: Readonly<Record<string, string>>): Record<string, string> {
  const members: Record<string, string> = {}
  for (const [field, member] of Object.entries(names)) {
    const text = of.text(field)
    if (text === undefined) continue
    members[member] = text
    of.kept(field)
  }
  return members
}

/** Returns a member with a true flag. */
export function keepFlags(of: Members, names: Readonly<Record<string, string>>): Record<string, boolean> {
  const members: Record<string, boolean> = {}
  for (const [field, member] of Object.entries(names)) {
    if (of.flag(field) !== true) continue
    members[member] = true
    of.kept(field)
  }
  return members
}

/** Returns the grant types that redmint has. */
export function keepGrants(of: Members, field: string, grants: readonly string[]): string[] {
  const kept = grants.filter((grant) => {
    if (GRANT_TYPE_NAMES.some((known) => known === grant)) return true
    of.lost(field, `redmint has no grant "${grant}"`)
    return false
  })
  if (kept.length > 0) of.kept(field)
  return kept
}

/** The methods of a client that authenticates by a secret or by keys. `none` makes it public. */
export function authMethod(
  of: Members,
  field: string,
): { is_public: boolean; token_endpoint_auth_method?: string } {
  const method = of.text(field)
  if (method === undefined) return { is_public: false }
  if (method === 'none') {
    of.kept(field)
    return { is_public: true }
  }
  if (['client_secret_basic', 'client_secret_post', 'private_key_jwt'].includes(method)) {
    of.kept(field)
    return { is_public: false, token_endpoint_auth_method: method }
  }
  of.lost(field, `redmint has no method "${method}": it authenticates by its secret`)
  return { is_public: false }
}

/**
 * Returns whether PKCE is required. A confidential client that did without still can; a public one must use it (RFC 9700
 * §2.1.1).
 */
export function pkceOf(
  of: Members,
  field: string,
  is_public: boolean,
  was_required: boolean,
): { require_pkce?: false } {
  if (is_public) {
    if (!was_required) of.changed(field, 'a public client must use PKCE with S256 here')
    return {}
  }
  return was_required ? {} : { require_pkce: false }
}

/** Returns the member for a system whose id_tokens have the claims of scopes: applications read them nowhere else. */
export function claimsInIdToken(
  of: Members,
  grant_types: readonly string[],
): { scope_claims_in_id_token?: true } {
  if (grant_types.every((grant) => grant === 'client_credentials')) return {}
  of.changed('id_token', 'it has names and addresses, as there: scope_claims_in_id_token')
  return { scope_claims_in_id_token: true }
}
