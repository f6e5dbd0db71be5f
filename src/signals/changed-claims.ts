import { claimsFor, claimsOfScope } from '../claims/claims.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/log.ts'
import { scopeNames } from '../core/scope.ts'
import type { Storage } from '../storage/storage.ts'
import { grantsOf, readListedGrants } from '../tokens/listed-grants.ts'
import type { User } from '../users/user-record.ts'

/** What it takes to find the claims of somebody that a receiver may have. */
export interface ChangedClaimsContext {
  readonly storage: Pick<Storage, 'lists' | 'families'>
  readonly settings: Pick<Settings, 'scope_claims'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** So many of somebody's grants are looked at: those that live longest. */
const GRANTS = 100

/**
 * Returns what a client may have of some claims of somebody, by the scopes that it has of them now; null: the account has
 * no such claim any more. Undefined: it may have none of them.
 * @throws StorageUnavailable
 */
export async function changedClaims(
  context: ChangedClaimsContext,
  client: Client,
  user: User,
  fields: readonly string[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { scope_claims } = context.settings
  const list = grantsOf({ username: user.username })
  const { grants } = await readListedGrants(context, list, { limit: GRANTS })
  const scopes = grants
    .filter(({ record }) => record.client_id === client.client_id)
    .flatMap(({ record }) => scopeNames(record.scope ?? ''))
  const released = claimsOfScope([...new Set(scopes)].join(' '), scope_claims)
  // The claims of SCOPE_CLAIMS are in one field.
  const changed = released.filter(
    (name) => fields.includes(name) || (fields.includes('custom_claims') && scope_claims.has(name)),
  )
  if (changed.length === 0) return undefined
  const values: Readonly<Record<string, unknown>> = claimsFor(client, user, changed, context.log)
  return Object.fromEntries(changed.map((name) => [name, values[name] ?? null]))
}
