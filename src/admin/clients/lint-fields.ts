import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import {
  confidentialGrants,
  DEVICE_CODE,
  grantsOf,
  redirectGrants,
  signInGrants,
} from '../../clients/record/grant-types.ts'
import { hasBareScheme } from '../../clients/record/redirect-uri.ts'
import type { FieldTable } from '../../core/field-table.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { isStandardScope } from '../../core/scope.ts'
import { isPlainHttp, quoteUri } from '../../core/uri.ts'
import { unknownFields } from '../operation/findings.ts'

const TABLE: FieldTable = CLIENT_FIELDS
const PLAIN_SECRET =
  'contains an unhashed secret and is ignored: write its SHA-256 in base64 to client_secret_hash'
const fieldsOf = (...layouts: string[]) =>
  Object.keys(TABLE).filter((name) => layouts.includes(TABLE[name]?.layout ?? ''))

/**
 * Returns the warnings about fields that contradict each other or are not used. It reads the raw fields, so that a
 * malformed record gets its warnings together with its errors.
 */
export function fieldWarnings(hash: Hash): FieldProblem[] {
  const found: FieldProblem[] = []
  const warn = (field: string, problem: string) => found.push({ field, problem })
  const grant_types = entries(hash, 'grant_types')
  const redirect_uris = entries(hash, 'redirect_uris')
  const [redirecting] = redirectGrants(grant_types)
  const codes = redirecting !== undefined
  const devices = grant_types.includes(DEVICE_CODE)
  const signs_in = signInGrants(grant_types).length > 0
  const refreshes = grant_types.includes('refresh_token')
  const [own_tokens] = grantsOf('client', grant_types)

  if (!hash.client_id) warn('client_id', 'is missing, so the name in the key is used')
  for (const { field, problem } of unknownFields(hash, TABLE)) {
    warn(field, field === 'client_secret' ? PLAIN_SECRET : problem)
  }
  for (const name of hash.is_public === 'true' ? confidentialGrants(grant_types) : []) {
    warn('grant_types', `contains ${name}, which a public client cannot use`)
  }
  if (codes && redirect_uris.length === 0) {
    warn('redirect_uris', `is empty, so ${redirecting} cannot be used`)
  }
  if (!codes && redirect_uris.length > 0) {
    warn('grant_types', 'lacks authorization_code, so redirect_uris is not used')
  }
  if (!signs_in && refreshes) {
    warn('grant_types', 'contains refresh_token without authorization_code, which issues the refresh tokens')
  }
  found.push(...claimsWarnings(hash, signs_in, own_tokens !== undefined))
  found.push(...refreshTokenWarnings(hash, signs_in, refreshes))
  if (own_tokens !== undefined && grantsOf('user', grant_types).length === 0) {
    const unused = entries(hash, 'allowed_scopes').filter(isStandardScope)
    if (unused.length > 0) {
      const names = unused.join(' ')
      warn('allowed_scopes', `contains ${names} for tokens of ${own_tokens}, which have no user`)
    }
  }
  // Users are asked about a device even if its client is first-party.
  if (!devices) found.push(...consentPageWarnings(hash, codes))
  // In redirect_uris it is an error.
  for (const uri of entries(hash, 'post_logout_redirect_uris').filter(isPlainHttp)) {
    warn('post_logout_redirect_uris', `: ${quoteUri(uri)} is http on a host that is not loopback`)
  }
  if (hash.application_type === 'native') {
    for (const uri of redirect_uris.filter(hasBareScheme)) {
      warn(
        'redirect_uris',
        `: ${quoteUri(uri)} has a scheme that any app can claim, to receive the codes (RFC 8252 §8.4)`,
      )
    }
  }
  for (const scope of entries(hash, 'allowed_scopes').filter((scope) => scope.includes(','))) {
    warn('allowed_scopes', `: "${scope}" is one scope with a comma in it: separate scopes by spaces`)
  }
  for (const field of fieldsOf('words', 'uris', 'names')) {
    for (const entry of duplicates(entries(hash, field)))
      warn(field, `: ${quoteUri(entry)} occurs more than once`)
  }
  return found
}

// Fields that add claims to tokens which the client does not get.
function claimsWarnings(hash: Hash, signs_in: boolean, own_tokens: boolean): FieldProblem[] {
  const unused = ['scope_claims_in_id_token', 'custom_claims_in_access_token'].filter(
    (field) => !signs_in && hash[field] === 'true',
  )
  const problem = 'is not used, because grant_types lacks authorization_code'
  return [
    ...unused.map((field) => ({ field, problem })),
    ...(hash.claims && !own_tokens
      ? [{ field: 'claims', problem: 'is not used, because grant_types lacks client_credentials' }]
      : []),
  ]
}

function consentPageWarnings(hash: Hash, codes: boolean): FieldProblem[] {
  const reason = codes ? 'first_party is true' : 'grant_types lacks authorization_code'
  if (codes && hash.first_party !== 'true') return []
  const unused = ['logo_uri', 'policy_uri', 'tos_uri'].filter((field) => hash[field])
  return unused.map((field) => ({ field, problem: `is not used on a consent page, because ${reason}` }))
}

// RFC 9700 §2.2.2: refresh tokens outlive the session of the user, so a client should have them only if it needs them.
function refreshTokenWarnings(hash: Hash, signs_in: boolean, refreshes: boolean): FieldProblem[] {
  const { refresh_tokens = 'always' } = hash
  const problem = (text: string) => [{ field: 'refresh_tokens', problem: text }]
  if (!signs_in) {
    return hash.refresh_tokens === undefined
      ? []
      : problem('is not used, because grant_types lacks authorization_code')
  }
  if (refresh_tokens === 'never' && refreshes) {
    return problem('is never, so the client gets none and refresh_token in grant_types is not used')
  }
  if (refresh_tokens === 'always' && !refreshes) {
    return problem(
      'is always, so the client gets refresh tokens and can use them, although grant_types lacks refresh_token: set it to never or offline_access',
    )
  }
  const has_scope = entries(hash, 'allowed_scopes').includes('offline_access')
  // A client that registered itself asked for them by grant_types (RFC 7591 §2).
  if (refresh_tokens === 'always' && has_scope && !hash.registered_at) {
    return problem('is always, so a sign-in without offline_access gets one too: set it to offline_access')
  }
  if (refresh_tokens === 'offline_access' && !has_scope) {
    return problem('is offline_access, but allowed_scopes lacks that scope, so the client gets none')
  }
  return []
}

/** Returns the entries of a list field. */
export function entries(hash: Hash, field: string): string[] {
  return (hash[field] ?? '').split(/\s+/).filter((entry) => entry !== '')
}

function duplicates(list: readonly string[]): Set<string> {
  return new Set(list.filter((entry, index) => list.indexOf(entry) !== index))
}
