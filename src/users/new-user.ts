import { randomBytes } from 'node:crypto'
import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import { foldName } from '../core/visible-text.ts'
import { holdingNames } from './name-claim.ts'
import { isNameTaken } from './name-taken.ts'
import { namesakesOf } from './namesakes.ts'
import { indexNewUser, namesOf, type UserStore } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

const SUB_BYTES = 16

/** Returns a new subject: 128 random bits, 22 base64url characters. */
export function newSub(): string {
  return randomBytes(SUB_BYTES).toString('base64url')
}

/** What else is so of a new user. */
interface NewUserOptions {
  /** Events that the writing of the record is, too. */
  readonly more?: readonly SecurityEvent[]
  /** Nobody may have the verified address: the person chose the account. Operators may give one address to several. */
  readonly is_address_own?: true
  /** More folded names that nobody else may get meanwhile. */
  readonly also_held?: readonly string[]
  /** Whether nothing hinders it, asked while all names are held. */
  isFree?(): Promise<boolean>
}

/**
 * Writes the record of a new user and its indexes, and reports it, while nobody else gets one of its names. If storage
 * fails in between, servers make the indexes.
 * @returns `exists`: there is one, or one whose name people take for this one, or it is made at this moment
 * @throws StorageUnavailable
 */
export async function insertUser(
  context: { readonly storage: UserStore; readonly report: ReportEvent },
  username: string,
  hash: Hash,
  { more = [], is_address_own, also_held = [], isFree = async () => true }: NewUserOptions = {},
): Promise<'ok' | 'exists'> {
  const { storage } = context
  // Of one import, several may have one address.
  const names = is_address_own ? namesOf(username, hash) : new Set([foldName(username)])
  const outcome = await holdingNames(storage, new Set([...names, ...also_held]), async () => {
    if (!(await isFree())) return 'exists'
    const others = [...names].filter((name) => name !== foldName(username))
    if ((await namesakesOf(storage, username)).length > 0) return 'exists'
    for (const name of others) if (await isNameTaken(storage, name, username)) return 'exists'
    return writeUser(context, username, hash, more)
  })
  return outcome === 'held' ? 'exists' : outcome
}

async function writeUser(
  context: { readonly storage: UserStore; readonly report: ReportEvent },
  username: string,
  hash: Hash,
  more: readonly SecurityEvent[],
): Promise<'ok' | 'exists'> {
  const events: SecurityEvent[] = [{ event: 'user_added', username }, ...more]
  if (hash.admin) events.push({ event: 'rights_changed', username, from: [], to: scopeNames(hash.admin) })
  const outcome = await commit(context, events, { sub: hash.sub }, (told) =>
    context.storage.records.create({ kind: USER, id: username, hash, told }),
  )
  if (outcome === 'ok') await indexNewUser(context.storage, username, hash)
  return outcome
}
