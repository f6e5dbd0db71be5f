import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { describeProblem, type Hash } from '../core/record-hash.ts'
import { isCounted } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { ReadUser } from './owner-of-address.ts'
import { PROVIDED_GROUPS, replacesProvided } from './provided-groups.ts'
import { indexUser } from './sign-in-names.ts'
import { USER } from './user-kind.ts'
import { parseUser, type User } from './user-record.ts'

/** What another system says of a user: fields of the record, and those that go. */
interface Refreshed {
  readonly set: Hash
  readonly unset?: readonly string[]
}

/** The user as it is then, or why nothing changed: `malformed`, with the reason, or it changed meanwhile. */
export type UserRefresh =
  | { readonly user: User }
  | { readonly problem: 'malformed'; readonly detail: string }
  | { readonly problem: 'busy' }

/**
 * Takes over what another system says of a user at a sign-in, in one step with its event; nothing if it says nothing new.
 * A user whom a file declares stays as it is there.
 * @throws StorageUnavailable
 */
export async function refreshUser(
  context: { readonly storage: Storage; readonly report: ReportEvent },
  { user, hash }: ReadUser,
  { set: wanted, unset: unwanted = [] }: Refreshed,
): Promise<UserRefresh> {
  if (user.managed_by !== undefined) return { user }
  const { storage } = context
  const { username, sub } = user
  const set = Object.fromEntries(Object.entries(wanted).filter(([name, text]) => hash[name] !== text))
  const replaced = replacesProvided(user, wanted) ? [PROVIDED_GROUPS] : []
  const unset = [...unwanted, ...replaced].filter((name) => Object.hasOwn(hash, name))
  const fields = [...Object.keys(set), ...unset]
  if (fields.length === 0) return { user }
  const kept = Object.entries({ ...hash, ...set }).filter(([name]) => !unset.includes(name))
  const parsed = parseUser(username, Object.fromEntries(kept))
  if (!parsed.ok) return { problem: 'malformed', detail: parsed.problems.map(describeProblem).join('; ') }
  const event: SecurityEvent = { event: 'user_changed', username, fields }
  const change = { set, unset, expected: hash, whole: true } as const
  const changed = await commit(context, [event], { sub }, (told) =>
    storage.records.change(USER, username, { ...change, told }),
  )
  if (changed === 'missing') return { problem: 'busy' }
  // An address is a name by which people sign in.
  if (fields.includes('email') || fields.includes('email_verified')) await indexUser(storage, username, hash)
  return { user: { ...parsed.record, generation: user.generation + (isCounted(USER, change) ? 1 : 0) } }
}
