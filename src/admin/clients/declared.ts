import { CLIENT_FIELDS } from '../../clients/record/client-fields.ts'
import { hasSecretlessMethod } from '../../clients/record/profiles.ts'
import type { Hash } from '../../core/record-hash.ts'
import { compare } from '../operation/compare.ts'
import type { PlannedChange } from './change.ts'
import { defaultFields, needsSecret } from './defaults.ts'
import { newSecret, OLD_SECRET_FIELDS, secretFields } from './secret.ts'

const SECRET_FIELDS: readonly string[] = ['client_secret_created_at', ...OLD_SECRET_FIELDS]

/** A client that is declared whole, as in a file: what is not given has its default. */
interface DeclaredClient {
  readonly client_id: string
  /** The fields that are given, as storage writes them. */
  readonly set: Hash
}

/**
 * Returns the change that makes a stored record what is declared. A secret that is not declared stays, as does a client
 * that an operator disabled in an emergency.
 * @param names the fields that a declaration can have; others stay
 * @param now milliseconds since 1970
 */
export function declaredChange(
  { client_id, set: declared }: DeclaredClient,
  stored: Hash,
  names: readonly string[],
  now: number,
): PlannedChange {
  const given = { ...declared, ...defaultFields(declared) }
  const has_secret = given.is_public !== 'true' && !hasSecretlessMethod(given)
  const client_secret = needsSecret(given) && !stored.client_secret_hash ? newSecret() : undefined
  const { client_secret_hash = given.client_secret_hash } = client_secret
    ? secretFields(client_secret, now)
    : {}
  const kept = [
    ...(has_secret && !client_secret_hash ? ['client_secret_hash'] : []),
    ...(given.disabled === undefined ? ['disabled'] : []),
  ]
  const compared = names.filter((name) => !kept.includes(name))
  const wanted = { ...given, client_id, client_name: given.client_name || client_id }
  const { set, unset } = compare(
    CLIENT_FIELDS,
    compared,
    stored,
    client_secret_hash ? { ...wanted, client_secret_hash } : wanted,
  )
  if (set.client_secret_hash) set.client_secret_created_at = new Date(now).toISOString()
  if (!has_secret || set.client_secret_hash) {
    unset.push(...SECRET_FIELDS.filter((name) => stored[name] !== undefined && set[name] === undefined))
  }
  const ttl = unset.includes('lapses_at') && Number.POSITIVE_INFINITY
  return { set, unset, ...(ttl && { ttl }), ...(client_secret !== undefined && { client_secret }) }
}
