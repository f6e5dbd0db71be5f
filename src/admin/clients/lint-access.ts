import { CLIENT } from '../../clients/record/client-kind.ts'
import { type Client, parseClient } from '../../clients/record/client-record.ts'
import { grantsOf } from '../../clients/record/grant-types.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import type { Changes } from '../../storage/changes.ts'
import { everyRecord, listedRecords } from '../../storage/indexes.ts'
import type { RecordStore, Storage } from '../../storage/storage.ts'
import { type GroupSettings, mayUse } from '../../users/client-access.ts'
import { USER } from '../../users/user-kind.ts'
import { parseUser } from '../../users/user-record.ts'
import { entries } from './lint-fields.ts'

/** How many users are looked at: with more, no rule is said to match none of them. */
const MAX_USERS = 10_000
/** How many clients are looked at for one with a rule: no lint looks at more. */
const MAX_CLIENTS = 1000

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

/** Whether a client has a rule about its users. */
const hasRule = (hash: Hash) => hash[FIELD] !== undefined && isForUsers(hash)

/** Whether there is one of some clients besides this one. */
const isThereOther = (ids: ReadonlySet<string>, but: string | undefined) => [...ids].some((id) => id !== but)

/** Returns clients with a rule about their users, two at most: one is another one than any. @throws StorageUnavailable */
async function clientsWithRule(clients: AsyncIterable<{ id: string; hash: Hash }>): Promise<Set<string>> {
  const found = new Set<string>()
  let looked = 0
  for await (const { id, hash } of clients) {
    if (hasRule(hash)) found.add(id)
    looked += 1
    if (found.size === 2 || looked === MAX_CLIENTS) break
  }
  return found
}

/** Whether some client has a rule about its users. @throws StorageUnavailable */
export async function findRule(store: RecordStore): Promise<boolean> {
  return (await clientsWithRule(everyRecord(store, CLIENT))).size > 0
}

/** What a run of the command works with. */
export interface RunContext {
  readonly storage: RecordStore
}

/** What a run of the command found, by what it works with. */
const OF_RUNS = new WeakMap<RunContext, Promise<Set<string>>>()

/**
 * Whether some client, but for one, has a rule about its users: for a run of the command, which looks once, and knows what
 * it examined since.
 * @throws StorageUnavailable
 */
export async function ruleInRun(run: RunContext, but?: string): Promise<boolean> {
  const found = OF_RUNS.get(run) ?? clientsWithRule(everyRecord(run.storage, CLIENT))
  OF_RUNS.set(run, found)
  return isThereOther(await found, but)
}

/** Lets a run of the command know of the rule of a client that it writes. @throws StorageUnavailable */
export async function noteRule(run: RunContext, client_id: string, hash: Hash): Promise<void> {
  if (hasRule(hash)) (await OF_RUNS.get(run))?.add(client_id)
}

/** What a server has read of the rules of clients; nothing after one of them changed. */
interface KnownRules {
  changes: number
  found?: ReadonlySet<string> | undefined
}
const KNOWN = new WeakMap<Changes, KnownRules>()

/** As ruleInRun, for a server, which looks at its list once, and again after a client changed. @throws StorageUnavailable */
export async function knownRule(
  storage: RecordStore & Pick<Storage, 'changes'>,
  but?: string,
): Promise<boolean> {
  const known = KNOWN.get(storage.changes) ?? watchRules(storage.changes)
  const { found, changes } = known
  if (found !== undefined && storage.changes.isLive(CLIENT)) return isThereOther(found, but)
  const read = await clientsWithRule(listedRecords(storage, CLIENT))
  if (known.changes === changes) known.found = read
  return isThereOther(read, but)
}

function watchRules(changes: Changes): KnownRules {
  const known: KnownRules = { changes: 0 }
  const forget = () => {
    known.changes += 1
    known.found = undefined
  }
  changes.watch(CLIENT, { changed: forget, allChanged: forget })
  KNOWN.set(changes, known)
  return known
}

/**
 * Returns the warning about a client without a rule where others have one, and nobody said that it is for everybody. A
 * client that registered itself never has a rule.
 * @param othersHaveRule is asked only about such a client
 */
export async function missingRule(
  hash: Hash,
  othersHaveRule: () => Promise<boolean>,
): Promise<FieldProblem[]> {
  if (!isForUsers(hash) || hash[FIELD] !== undefined || hash.registered_at || isForEverybody(hash)) return []
  return (await othersHaveRule()) ? [{ field: FIELD, problem: MISSING }] : []
}

/** What only all users together tell: a rule that none of them meets. */
export class AccessRules {
  /** The clients whose rule names groups. */
  readonly #rules = new Map<string, Pick<Client, 'allowed_groups'>>()

  add(client_id: string, hash: Hash): void {
    if (!hasRule(hash)) return
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
    return [...unmet].map((client_id) => ({ client_id, warning: { field: FIELD, problem: NO_USER } }))
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
