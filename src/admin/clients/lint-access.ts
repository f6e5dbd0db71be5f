import { parseClient } from '../../clients/record/client-record.ts'
import { grantsOf } from '../../clients/record/grant-types.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { type GroupSettings, mayUse } from '../../users/client-access.ts'
import { USER } from '../../users/user-kind.ts'
import { parseUser } from '../../users/user-record.ts'
import { entries } from './lint-fields.ts'

/** How many users are looked at: with more, no rule is said to match none of them. */
const MAX_USERS = 10_000

const FIELD = 'allowed_groups'
const isForUsers = (hash: Hash) => grantsOf('user', entries(hash, 'grant_types')).length > 0

/** Returns the warnings about the rule of one client. */
export function accessWarnings(hash: Hash): FieldProblem[] {
  const rule = hash[FIELD]
  if (rule === undefined) return []
  if (!isForUsers(hash)) {
    return [{ field: FIELD, problem: 'is not used, because no grant of grant_types has a user' }]
  }
  return rule === '' ? [{ field: FIELD, problem: 'is empty, so nobody may use the client' }] : []
}

/**
 * Returns the warnings that need other records, by client_id: a rule that no user meets, and a client that everybody may
 * use although others have a rule. A client that registered itself never has one.
 * @throws StorageUnavailable
 */
export async function accessWarningsOf(
  store: RecordStore,
  clients: ReadonlyMap<string, Hash | undefined>,
  settings: GroupSettings,
): Promise<Map<string, FieldProblem[]>> {
  const found = new Map<string, FieldProblem[]>()
  const known = [...clients].flatMap(([id, hash]) =>
    hash !== undefined && isForUsers(hash) ? [{ id, hash }] : [],
  )
  for (const id of await rulesWithoutUsers(store, known, settings)) {
    found.set(id, [{ field: FIELD, problem: 'names no group of any user, so nobody may use the client' }])
  }
  if (!known.some(({ hash }) => hash[FIELD] !== undefined)) return found
  for (const { id, hash } of known) {
    if (hash[FIELD] !== undefined || hash.registered_at) continue
    const problem = 'is missing, so everybody may use the client, and other clients have it'
    found.set(id, [{ field: FIELD, problem }])
  }
  return found
}

/** Returns the clients whose rule names groups, and no user is in one of them. */
async function rulesWithoutUsers(
  { records }: RecordStore,
  clients: readonly { readonly id: string; readonly hash: Hash }[],
  settings: GroupSettings,
): Promise<Iterable<string>> {
  const open = new Map(
    clients.flatMap(({ id, hash }) => {
      const parsed = parseClient(id, hash)
      return parsed.ok && parsed.record.allowed_groups?.length ? [[id, parsed.record] as const] : []
    }),
  )
  if (open.size === 0) return []
  let users = 0
  for await (const { id: username, hash } of records.scan(USER)) {
    users += 1
    if (users > MAX_USERS) return []
    const parsed = parseUser(username, hash)
    if (!parsed.ok) continue
    for (const [id, client] of open) if (mayUse(client, parsed.record, settings)) open.delete(id)
    if (open.size === 0) return []
  }
  return open.keys()
}
