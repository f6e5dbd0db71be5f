import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import { hasSecretlessMethod } from '../../clients/record/profiles.ts'
import type { Hash } from '../../core/record-hash.ts'
import { type Comparison, compare } from '../operation/compare.ts'
import { authenticatesOtherwise, defaultFields } from './defaults.ts'
import { newSecret, OLD_SECRET_FIELDS, secretFields } from './secret.ts'

const SECRET_FIELDS: readonly string[] = ['client_secret_created_at', ...OLD_SECRET_FIELDS]

/** A client that is declared whole, as in a file: what is not given has its default. */
export interface DeclaredClient {
  readonly client_id: string
  /** The fields that are given, as storage writes them. */
  readonly set: Hash
  /** Fields that were given and could not be read. */
  readonly unread?: ReadonlySet<string>
}

/** What makes a stored client the declared one. */
export interface DeclaredChange extends Comparison {
  /** The secret that the client gets, because it needs one and neither the declaration nor the record has one. */
  readonly client_secret?: string
}

/**
 * Returns the change that makes a stored record what is declared. A secret that is not declared stays, as does a client
 * that an operator disabled in an emergency.
 * @param names the fields that a declaration can have; others stay
 * @param now milliseconds since 1970
 */
export function declaredChange(
  { client_id, set: declared, unread }: DeclaredClient,
  stored: Hash | undefined,
  names: readonly string[],
  now: number,
): DeclaredChange {
  const given = { ...declared, ...defaultFields(declared) }
  const has_secret = given.is_public !== 'true' && !hasSecretlessMethod(given)
  const known = given.client_secret_hash || stored?.client_secret_hash
  const lacks_secret =
    !known &&
    !unread?.has('client_secret_hash') &&
    given.is_public !== 'true' &&
    !authenticatesOtherwise(given)
  const client_secret = lacks_secret ? newSecret() : undefined
  const { client_secret_hash = given.client_secret_hash } = client_secret
    ? secretFields(client_secret, now)
    : {}
  const kept = [
    ...(has_secret && !client_secret_hash ? ['client_secret_hash'] : []),
    ...(given.disabled === undefined ? ['disabled'] : []),
  ]
  const compared = names.filter((name) => !kept.includes(name))
  const wanted = { ...given, client_id, client_name: given.client_name || client_id }
  const { differences, set, unset } = compare(
    CLIENT_FIELDS,
    compared,
    stored ?? {},
    client_secret_hash ? { ...wanted, client_secret_hash } : wanted,
  )
  if (set.client_secret_hash) set.client_secret_created_at = new Date(now).toISOString()
  if (!has_secret || set.client_secret_hash) {
    unset.push(...SECRET_FIELDS.filter((name) => stored?.[name] !== undefined && set[name] === undefined))
  }
  const shown = differences.map((found) =>
    found.field === 'client_secret_hash' ? { field: 'secret' } : found,
  )
  return { differences: shown, set, unset, ...(client_secret !== undefined && { client_secret }) }
}
