// Accounts of an application: it says who somebody is, and redmint keeps a record of it, for claims, groups, sessions and
// the state of the account.

import type { ReportEvent } from '../core/events.ts'
import { describeProblem, type Hash } from '../core/record-hash.ts'
import { randomText } from '../core/token-string.ts'
import type { Storage } from '../storage/storage.ts'
import { readClaims } from '../users/claims-json.ts'
import { customClaimField } from '../users/custom-claims.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { insertUser } from '../users/new-user.ts'
import type { ReadUser } from '../users/owner-of-address.ts'
import { refreshUser } from '../users/refresh-user.ts'
import { usernamesOfSub } from '../users/sign-in-names.ts'
import { isStandardClaim } from '../users/standard-claims.ts'
import { isSubject } from '../users/user-fields.ts'
import { USER } from '../users/user-kind.ts'
import { isUsername, parseUser, type User } from '../users/user-record.ts'
import { useOnce } from './use-once.ts'

/** An account as an application says it. */
export interface OwnAccount {
  /** Who it is, for ever: it becomes the subject of the user (OpenID Connect Core §2). */
  readonly sub: string
  /** The name of a new record, for operators; absent: the sub, if it can be one. A record keeps its name. */
  readonly username?: string
  /** Claims as in JSON: each replaces that of the record, `null` removes it, and all others stay. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** The accounts of an application. */
export interface AccountSource {
  /** Returns the account with this sub as it is now; undefined: there is none that may sign in. */
  find(sub: string): Promise<OwnAccount | undefined>
}

/** What it takes to keep accounts of an application. */
export interface OwnAccountContext {
  readonly storage: Storage
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Why an account is not kept: a field is wrong; another user has the name; several users have the sub; it changes at the
 * same moment.
 */
export type NotKept =
  | { readonly problem: 'invalid'; readonly field: keyof OwnAccount; readonly detail: string }
  | { readonly problem: 'name_taken' | 'several' | 'busy' }

/** An account that is kept, or why it is not. */
export type KeptAccount = { readonly user: User } | NotKept

/** For how long one sub makes one account, in seconds. */
const CLAIM = 60

/** An account that can be kept. */
export interface Keepable {
  /** The user as it is now; undefined: it is a new one. */
  readonly user: User | undefined
  /** Makes the record, or refreshes its claims. @throws StorageUnavailable */
  keep(): Promise<KeptAccount>
}

/**
 * Keeps what an application says of an account: makes the record, or refreshes its claims. A record that a file declares
 * stays as it is.
 * @throws StorageUnavailable
 */
export async function keepAccount(context: OwnAccountContext, account: OwnAccount): Promise<KeptAccount> {
  const planned = await planAccount(context, account)
  return 'problem' in planned ? planned : planned.keep()
}

/**
 * Finds out whether an account can be kept, as keepAccount does it; nothing is written.
 * @param assertMayKeep throws if the caller may not change this user
 * @throws StorageUnavailable; what assertMayKeep throws
 */
export async function planAccount(
  context: OwnAccountContext,
  account: OwnAccount,
  assertMayKeep: (user: User) => void = () => {},
): Promise<Keepable | NotKept> {
  const { sub, username, claims = {} } = account
  if (!isSubject(sub)) return invalid('sub', 'must be a text of 1 to 255 printable ASCII characters')
  if (username !== undefined && !isUsername(username)) return invalid('username', 'cannot be a username')
  const problems: string[] = []
  const set = readClaims(claims, (problem) => problems.push(problem))
  if (problems.length > 0) return invalid('claims', problems.join('; '))
  const [known, ...more] = await usernamesOfSub(context.storage, sub)
  if (more.length > 0) return { problem: 'several' }
  if (known === undefined) return newAccount(context, account, set)
  const found = await context.storage.records.read(USER, known)
  if (!found?.ok) return { problem: 'busy' }
  const { record: user, hash } = found
  assertMayKeep(user)
  return { user, keep: () => refresh(context, { user, hash }, { set, unset: removedIn(claims) }) }
}

async function newAccount(
  context: OwnAccountContext,
  { sub, username }: OwnAccount,
  claims: Hash,
): Promise<Keepable | NotKept> {
  const name = username ?? (await freeName(context, sub))
  if (username !== undefined && (await isNameTaken(context.storage, name))) return { problem: 'name_taken' }
  const hash = { sub, ...claims }
  const parsed = parseUser(name, hash)
  if (!parsed.ok) return invalid('claims', parsed.problems.map(describeProblem).join('; '))
  const keep = async (): Promise<KeptAccount> => {
    // Two tabs, or two replicas, make one record.
    if (!(await useOnce(context, 'own account', sub, CLAIM))) return { problem: 'busy' }
    return (await insertUser(context, name, hash)) === 'ok'
      ? { user: parsed.record }
      : { problem: 'name_taken' }
  }
  return { user: undefined, keep }
}

async function freeName({ storage }: OwnAccountContext, sub: string): Promise<string> {
  return isUsername(sub) && !(await isNameTaken(storage, sub)) ? sub : `own-${randomText(9)}`
}

async function refresh(
  context: OwnAccountContext,
  read: ReadUser,
  said: { readonly set: Hash; readonly unset: readonly string[] },
): Promise<KeptAccount> {
  const refreshed = await refreshUser(context, read, said)
  if (!('problem' in refreshed) || refreshed.problem === 'busy') return refreshed
  return invalid('claims', refreshed.detail)
}

/** The fields of the claims that are to be removed. */
function removedIn(claims: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(claims).filter((name) => claims[name] === null)
  return names.map((name) => (isStandardClaim(name) ? name : customClaimField(name)))
}

const invalid = (field: keyof OwnAccount, detail: string): NotKept => ({ problem: 'invalid', field, detail })
