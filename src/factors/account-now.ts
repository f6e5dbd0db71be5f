import type { Hash } from '../core/record-hash.ts'
import type { Beside, Change } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import { findFactors } from './change-factors.ts'
import { FACTORS, type Factors, formatFactors } from './factors-record.ts'

/** An account as it was read at one time: what is judged by it is done only while it is so (`changeAccount`). */
export interface AccountNow {
  readonly user: User
  /** The stored record of the user. */
  readonly hash: Hash
  readonly factors: Factors
}

/** Reads an account; undefined if there is none, or it is disabled. @throws StorageUnavailable */
export async function readAccountNow(
  { storage }: { readonly storage: RecordStore },
  username: string,
): Promise<AccountNow | undefined> {
  const [found, { factors }] = await Promise.all([
    storage.records.read(USER, username),
    findFactors({ storage }, username),
  ])
  return found?.ok && !found.record.disabled ? { user: found.record, hash: found.hash, factors } : undefined
}

/** As AccountNow, of somebody who may be disabled. */
export interface ReadAccount extends Omit<AccountNow, 'user'> {
  readonly user: Pick<User, 'username'>
}

/**
 * Returns the account after one change of its factors, which the caller made; undefined: something else changed, too.
 * @throws StorageUnavailable
 */
export async function readAfterFactors(
  context: { readonly storage: RecordStore },
  account: AccountNow,
): Promise<AccountNow | undefined> {
  const now = await readAccountNow(context, account.user.username)
  const is_as_read =
    now !== undefined &&
    now.factors.generation === account.factors.generation + 1 &&
    BASIS.every((field) => (now.hash[field] ?? '') === (account.hash[field] ?? ''))
  return is_as_read ? now : undefined
}

/** What becomes of an account: fields of its user, and its factors. Absent: they stay. */
export interface AccountChange extends Pick<Change, 'unset' | 'told' | 'is_counted'> {
  readonly set?: Hash
  /** No field of the user may have changed at all. */
  readonly whole?: true
  readonly factors?: Factors
}

/**
 * The fields of a user on which it depends whether a way in may be added: those of `isWayIn`, and an end of all
 * sessions.
 */
const BASIS = [
  ...['sub', 'password_hash', 'disabled', 'linked_subjects', 'email', 'email_verified', 'admin'],
  ...['generation', 'sessions_end_before'],
]

/**
 * Changes an account in one atomic step, if nothing that its ways in depend on has changed since it was read: neither the
 * user, by redmint or by hand, nor the factors, nor an end of its sessions.
 * @returns the factors as they became; undefined: something changed, and nothing was written
 * @throws StorageUnavailable
 */
export async function changeAccount(
  { storage }: { readonly storage: RecordStore },
  { user, hash, factors }: ReadAccount,
  { set = {}, whole, factors: wanted, ...change }: AccountChange,
): Promise<Factors | undefined> {
  const changed = wanted && { ...wanted, generation: factors.generation + 1 }
  const given = BASIS.filter((field) => hash[field])
  const basis = {
    expected: Object.fromEntries(given.map((field) => [field, hash[field] ?? ''])),
    absent: BASIS.filter((field) => !hash[field]),
  }
  const outcome = await storage.records.change(USER, user.username, {
    ...change,
    set,
    ...(whole ? { expected: hash, whole } : basis),
    beside: besideOf(user.username, factors, changed),
  })
  return outcome === 'ok' ? (changed ?? factors) : undefined
}

/** Returns what a change of a user says of the factors: as they were read, and as they become; absent: they stay. */
export function besideOf(username: string, factors: Factors, changed?: Factors): Beside {
  const { generation } = factors
  const as_read =
    generation === 0 ? { absent: ['generation'] } : { expected: { generation: String(generation) } }
  const which = { kind: FACTORS, id: username, ...as_read }
  if (changed === undefined) return which
  // Only what differs: a code that is accepted meanwhile writes other fields.
  const [before, after] = [formatFactors(factors), formatFactors(changed)]
  const set = Object.fromEntries(Object.entries(after).filter(([field, text]) => before[field] !== text))
  return { ...which, set, unset: Object.keys(before).filter((field) => !Object.hasOwn(after, field)) }
}
