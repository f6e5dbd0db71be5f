import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import { isUrl } from '../core/uri.ts'
import type { Kind } from '../storage/records.ts'
import { namedWords } from '../storage/words.ts'
import { gitHubGroupProblems } from './github-groups.ts'
import { PROVIDER_FIELDS } from './provider-fields.ts'

/** A provider of accounts by which people sign in. */
export interface Provider extends RecordOf<typeof PROVIDER_FIELDS> {}

/** A provider to be written; fields that have a default are optional. */
export interface ProviderDefinition extends DefinitionOf<typeof PROVIDER_FIELDS> {}

const APPLE_SCOPES = ['openid', 'name', 'email']

// It stands in addresses, and in the name of a sign-in method.
const ID = /^[a-z][a-z0-9-]{0,22}$/

/** Returns the problem of the name of a provider, as text that completes "<field> …"; undefined if there is none. */
export function providerProblem(provider: string): string | undefined {
  return ID.test(provider) ? undefined : 'must have up to 23 of a-z, 0-9 and "-", and begin with a letter'
}

/** Parses the record of a provider. One problem in any field makes the whole record malformed. */
export function parseProvider(id: string, hash: Hash): Parsed<Provider> {
  return parseFields(PROVIDER_FIELDS, { ...hash, provider: hash.provider || id }, (values, fields) => {
    const problem = providerProblem(id)
    if (problem !== undefined) fields.fail('provider', problem)
    if (values.provider !== id) fields.fail('provider', 'differs from the name in the key')
    // `sub` of Entra is of no use, and its other claims name a tenant.
    if (values.kind === 'microsoft' && !isTenant(values.issuer)) {
      fields.fail('issuer', 'must be that of one tenant: https://login.microsoftonline.com/<tenant id>/v2.0')
    }
    // OpenID Connect Core §3.1.2.1: else it answers no id_token.
    if (values.kind !== 'github' && values.scope?.includes('openid') === false)
      fields.fail('scope', 'must contain openid')
    if (values.kind === 'github')
      for (const [field, problem] of gitHubGroupProblems(values)) fields.fail(field, problem)
    for (const field of ['team_id', 'key_id'] as const) {
      if (values.kind === 'apple' && values[field] === undefined)
        fields.fail(field, 'is missing: Apple has one')
      if (values.kind !== 'apple' && values[field] !== undefined)
        fields.fail(field, 'is only for the kind apple')
    }
    if (
      (values.kind === 'apple' || values.kind === 'github') &&
      values.token_endpoint_auth_method !== undefined
    )
      fields.fail('token_endpoint_auth_method', 'is not for the kinds apple and github')
    if ((values.kind === 'apple' || values.kind === 'github') && values.signals)
      fields.fail('signals', 'is not for the kinds apple and github: they send no security event tokens')
    if (values.kind === 'apple' && values.scope?.some((name) => !APPLE_SCOPES.includes(name)))
      fields.fail('scope', 'may have openid, name and email: Apple refuses others')
  })
}

function isTenant(issuer = ''): boolean {
  const [, tenant = ''] = isUrl(issuer) ? new URL(issuer).pathname.split('/') : []
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)
}

/** Formats a provider for storage. */
export function formatProvider(provider: ProviderDefinition): Hash {
  return formatFields(PROVIDER_FIELDS, provider)
}

/** Providers, by their names in addresses. */
export const PROVIDER: Kind<Provider> = {
  name: 'provider',
  by_operators: true,
  listed: true,
  words: namedWords('name'),
  format: formatProvider,
  parse: (hash, id) => parseProvider(id, hash),
}
