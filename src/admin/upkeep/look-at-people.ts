import { setTimeout as pause } from 'node:timers/promises'
import { USER } from '../../accounts/user-kind.ts'
import type { Hash } from '../../core/record-hash.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { PeopleUpkeep } from './upkeep-record.ts'

const AT_A_TIME = 50
/** Between two steps, in milliseconds, so that requests hardly notice it. */
const PAUSE = 5

/**
 * Looks at all people: how many each provider is linked to. Nobody is read where there is no provider.
 * @throws StorageUnavailable; AbortError
 */
export async function lookAtPeople(
  storage: RecordStore,
  now: () => number,
  signal: AbortSignal,
): Promise<PeopleUpkeep> {
  const at = new Date(now()).toISOString()
  const issuers = new Map<string, string>()
  for await (const { id, hash } of everyOne(storage, PROVIDER, signal)) issuers.set(id, hash.issuer ?? '')
  const linked = Object.fromEntries([...issuers.keys()].map((provider) => [provider, 0]))
  if (issuers.size === 0) return { at, linked }
  for await (const { hash } of everyOne(storage, USER, signal)) {
    const theirs = issuersOf(hash)
    for (const [provider, issuer] of issuers)
      if (theirs.has(issuer)) linked[provider] = (linked[provider] ?? 0) + 1
  }
  return { at, linked }
}

/** Whether a provider was added since somebody looked. @throws StorageUnavailable */
export async function lacksProvider(
  { records }: RecordStore,
  { linked }: Pick<PeopleUpkeep, 'linked'>,
): Promise<boolean> {
  const { items } = await records.page(PROVIDER, { limit: AT_A_TIME })
  return items.some(({ id }) => !Object.hasOwn(linked, id))
}

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
