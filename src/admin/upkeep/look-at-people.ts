import { setTimeout as pause } from 'node:timers/promises'
import type { Hash } from '../../core/record-hash.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { GroupSettings } from '../../users/client-access.ts'
import { groupsIn } from '../../users/user-groups.ts'
import { USER } from '../../users/user-kind.ts'
import type { PeopleUpkeep } from './upkeep-record.ts'

const AT_A_TIME = 50
/** Between two steps, in milliseconds, so that requests hardly notice it. */
const PAUSE = 5
/** How many groups are counted, and how many of them are named. */
const MAX_GROUPS = 10_000
const NAMED = 500

/** What it takes to look at people. */
export interface PeopleContext {
  readonly storage: RecordStore
  readonly settings: GroupSettings
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Looks at all people: how many there are, how many each provider is linked to, and how many are in each group.
 * @throws StorageUnavailable; AbortError
 */
export async function lookAtPeople(
  { storage, settings, now }: PeopleContext,
  signal: AbortSignal,
): Promise<PeopleUpkeep> {
  const at = new Date(now()).toISOString()
  const issuers = new Map<string, string>()
  for await (const { id, hash } of everyOne(storage, PROVIDER, signal)) issuers.set(id, hash.issuer ?? '')
  const linked = new Map([...issuers.keys()].map((provider) => [provider, 0]))
  const groups = new Map<string, number>()
  let [people, disabled] = [0, 0]
  for await (const { id, hash } of everyOne(storage, USER, signal)) {
    people += 1
    if (hash.disabled === 'true') disabled += 1
    const theirs = issuersOf(hash)
    for (const [provider, issuer] of issuers) if (theirs.has(issuer)) add(linked, provider)
    for (const group of groupsIn(id, hash, settings))
      if (groups.has(group) || groups.size < MAX_GROUPS) add(groups, group)
  }
  const largest = [...groups].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, NAMED)
  return {
    ...{ at, people, disabled },
    linked: Object.fromEntries(linked),
    groups: largest.map(([group, members]) => ({ group, members })),
    is_cut: groups.size > NAMED,
  }
}

/** Whether a provider was added since somebody looked. @throws StorageUnavailable */
export async function lacksProvider(
  { records }: RecordStore,
  { linked }: Pick<PeopleUpkeep, 'linked'>,
): Promise<boolean> {
  const { items } = await records.page(PROVIDER, { limit: AT_A_TIME })
  return items.some(({ id }) => !Object.hasOwn(linked, id))
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** The issuers that a person is linked to: a link is `<issuer>#<subject>`, and neither part has another `#`. */
function issuersOf({ linked_subjects = '' }: Hash): ReadonlySet<string> {
  return new Set(linked_subjects.split(' ').map((link) => link.slice(0, link.lastIndexOf('#'))))
}

async function* everyOne({ records }: RecordStore, kind: KindName, signal: AbortSignal) {
  let after: string | undefined
  do {
    const page = await records.page(kind, { limit: AT_A_TIME, ...(after !== undefined && { after }) })
    yield* page.items
    after = page.next
    if (after !== undefined) await pause(PAUSE, undefined, { signal })
  } while (after !== undefined)
}
