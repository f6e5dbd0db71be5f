import { type Client, parseClient } from '../../clients/record/client-record.ts'
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
const OPEN = 'everybody'
const NO_USER = 'names no group of any user, so nobody may use the client'
const MISSING =
  'is missing, so everybody may use the client, and other clients have it: name groups, or set everybody to true'

const isForEverybody = (hash: Hash) => hash[OPEN] === 'true'
const isForUsers = (hash: Hash) => grantsOf('user', entries(hash, 'grant_types')).length > 0

/** Returns the warnings about the rule of one client. */
export function accessWarnings(hash: Hash): FieldProblem[] {
  const rule = hash[FIELD]
  const is_open = isForEverybody(hash)
  const said = [...(rule === undefined ? [] : [FIELD]), ...(is_open ? [OPEN] : [])]
  if (!isForUsers(hash))
    return said.map((field) => ({
      field,
      problem: 'is not used, because no grant of grant_types has a user',
    }))
  return [
    ...(rule === '' ? [{ field: FIELD, problem: 'is empty, so nobody may use the client' }] : []),
    ...(rule !== undefined && is_open
      ? [{ field: OPEN, problem: `is not used, because ${FIELD} says who may use the client: remove one` }]
      : []),
  ]
}

/**
 * What only all clients together tell: a rule that no user meets, and a client without a rule where others have one and
 * nobody said that it is for everybody. A client that registered itself never has a rule.
 */
export class AccessRules {
  /** The clients whose rule names groups. */
  readonly #rules = new Map<string, Pick<Client, 'allowed_groups'>>()
  readonly #without: string[] = []
  #has_rule = false

  add(client_id: string, hash: Hash): void {
    if (!isForUsers(hash)) return
    if (hash[FIELD] === undefined) {
      if (!hash.registered_at && !isForEverybody(hash)) this.#without.push(client_id)
      return
    }
    this.#has_rule = true
    const parsed = parseClient(client_id, hash)
    if (!parsed.ok) return
    const { allowed_groups } = parsed.record
    if (allowed_groups?.length) this.#rules.set(client_id, { allowed_groups })
  }

  /** Returns the ids of the clients with a warning, and their warnings. @throws StorageUnavailable */
  async warnings(
    store: RecordStore,
    settings: GroupSettings,
  ): Promise<{ readonly client_id: string; readonly warning: FieldProblem }[]> {
    const unmet = await rulesWithoutUsers(store, this.#rules, settings)
    const missing = this.#has_rule ? this.#without : []
    const warned = (ids: Iterable<string>, problem: string) =>
      [...ids].map((client_id) => ({ client_id, warning: { field: FIELD, problem } }))
    return [...warned(unmet, NO_USER), ...warned(missing, MISSING)]
  }
}

/** Returns the clients whose rule no user meets. */
async function rulesWithoutUsers(
  { records }: RecordStore,
  rules: ReadonlyMap<string, Pick<Client, 'allowed_groups'>>,
  settings: GroupSettings,
): Promise<Iterable<string>> {
  const open = new Map(rules)
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
