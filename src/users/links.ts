import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { type Beside, recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { ReadUser } from './owner-of-address.ts'
import { indexUser, SIGN_IN_NAME } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

/** What it takes to read and change the links of accounts. */
export interface UserLinkContext {
  readonly storage: Storage
  readonly report: ReportEvent
}

/** Whose a link is: an account, of nobody, or of several, so that it leads nowhere. */
export type LinkOwner = ReadUser | 'nobody' | 'several'

/**
 * Finds whose a link is; the account may be disabled. The index is a hint: the records decide.
 * @throws StorageUnavailable
 */
export async function ownerOfLink(
  { storage: { records } }: { readonly storage: Pick<Storage, 'records'> },
  link: string,
): Promise<LinkOwner> {
  const named = recordOf(await records.read(SIGN_IN_NAME, link)) ?? []
  const found = await Promise.all(named.map((username) => records.read(USER, username)))
  const owners = found.flatMap((one) =>
    one?.ok && one.record.linked_subjects?.includes(link) ? [{ user: one.record, hash: one.hash }] : [],
  )
  return owners.length > 1 ? 'several' : (owners[0] ?? 'nobody')
}

/** The links of an account, and the issuers whose links its person removed; absent: those stay. */
interface Links {
  readonly links: readonly string[]
  readonly unlinked?: readonly string[]
}

/**
 * Changes the links of an account in one atomic step; nothing if the account changed since it was read.
 * @param beside another record that must be as it was read
 * @throws StorageUnavailable
 */
export async function setLinks(
  context: UserLinkContext,
  { user, hash }: ReadUser,
  { links, unlinked }: Links,
  event: SecurityEvent,
  beside?: Beside,
): Promise<'ok' | 'stale'> {
  const { storage } = context
  const lists = { linked_subjects: links, ...(unlinked && { unlinked_issuers: unlinked }) }
  const change = { set: {} as Record<string, string>, unset: [] as string[] }
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > 0) change.set[name] = list.join(' ')
    else if (hash[name] !== undefined) change.unset.push(name)
  }
  const guarded = { ...change, expected: hash, whole: true, ...(beside && { beside }) } as const
  const outcome = await commit(context, [event], { sub: user.sub }, (told) =>
    storage.records.change(USER, user.username, { ...guarded, told }),
  )
  if (outcome === 'missing') return 'stale'
  await indexUser(storage, user.username, hash)
  return 'ok'
}
