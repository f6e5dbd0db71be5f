import { hash, randomBytes } from 'node:crypto'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { ClientId } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import type { BoundedEntry } from '../storage/bounded-lists.ts'
import type { FailureGroup } from '../storage/counters.ts'
import { type Kind, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { siteOf } from './networks.ts'

/** The counters that lock somebody out, and whom each locks out. */
export const LOCKING_COUNTERS = {
  sign_in_address: 'address',
  sign_in_user: 'user',
  sign_in_user_at_address: 'user',
  sign_in_known_browser: 'user',
  second_step: 'user',
  user_code_user: 'user',
  user_code_address: 'address',
  client_auth: 'client',
  device: 'address',
  pushing: 'address',
  registration: 'address',
} as const
export type LockingCounter = keyof typeof LOCKING_COUNTERS

export const LOCKOUT_KINDS = ['user', 'address', 'client'] as const
export type LockoutKind = (typeof LOCKOUT_KINDS)[number]

/** Whom a counter is about. Only those who exist are named: people type passwords into the field for the username. */
export interface LockedOut {
  readonly counter: LockingCounter
  readonly username?: string
  readonly client_id?: ClientId
  /** An IPv4 address, or the network of an IPv6 address. */
  readonly address?: string
}

/** Where a counter is. */
export interface CounterPlace {
  readonly group: FailureGroup | 'registration'
  /** A digest. */
  readonly name: string
}

/** A counter that refuses. */
export interface Lockout extends LockedOut {
  /** Random: it says nothing, and is no key. */
  readonly id: string
  readonly kind: LockoutKind
  /** Milliseconds until the window of the counter ends. */
  readonly ends_in: number
  readonly place: CounterPlace
}

/**
 * How many lockouts of a kind are listed. Each kind has a list of its own, and so have those of names that do not exist,
 * so that no flood of one hides another.
 */
export const MAX_LOCKOUTS = 500

// In hexadecimal: an id of the command line that begins with a dash would be a flag.
const ID_BYTES = 8
const OWNER_CHARACTERS = 11
const UNKNOWN = 'lockouts:unknown'
const LISTS = [...LOCKOUT_KINDS.map((kind) => `lockouts:${kind}` as const), UNKNOWN] as const

/** A counter that was cleared, by its name, for servers that remember it. The record has the id of the lockout. */
export const LIFTED: Kind<string> = {
  name: 'signal',
  format: (lockout) => ({ lockout }),
  parse: ({ lockout = '' }) => ({ ok: true, record: lockout }),
}

type LockoutStore = Pick<Storage, 'bounded'>

/**
 * Lists a counter that refuses, from its first refusal until its window ends. It is called for refused requests only.
 * @param ends_in milliseconds
 * @throws StorageUnavailable
 */
export async function noteLockout(
  { bounded }: LockoutStore,
  { group, name }: CounterPlace,
  whom: LockedOut,
  ends_in: number,
): Promise<void> {
  const text = JSON.stringify({ id: randomBytes(ID_BYTES).toString('hex'), ...whom })
  const ttl = Math.max(1, Math.ceil(ends_in))
  const entry = { name: `${group}:${name}`, owner: ownerOf(whom), text }
  await bounded.put(listOf(whom), [entry], { ttl, max: MAX_LOCKOUTS, keep: true })
}

/** Returns the lockouts that are listed, those that end last at the top. @throws StorageUnavailable */
export async function readLockouts({ bounded }: LockoutStore): Promise<Lockout[]> {
  const entries = await Promise.all(LISTS.map((list) => bounded.read(list)))
  return entries
    .flat()
    .flatMap(lockoutOf)
    .sort((one, other) => other.ends_in - one.ends_in || (one.id < other.id ? -1 : 1))
}

/**
 * Clears the counter of a lockout, in storage and in every server within a second. Returns whether it was still listed:
 * true to one caller only.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function lift(
  storage: Pick<Storage, 'counters' | 'records' | 'registrations' | 'bounded'>,
  lockout: Lockout,
  told?: AuditEntries,
): Promise<boolean> {
  const { place, id, ends_in } = lockout
  await clearCounter(storage, place)
  // After the counter: who forgets what it remembers counts anew. Only this group is remembered (FailureLimit).
  if (place.group === 'client') {
    await storage.records.put(write(LIFTED, place.name, id, Math.ceil(ends_in / 1000)))
  }
  return storage.bounded.drop(listOf(lockout), `${place.group}:${place.name}`, told)
}

/** Clears a counter in storage. @throws StorageUnavailable */
export function clearCounter(
  { counters, registrations }: Pick<Storage, 'counters' | 'registrations'>,
  { group, name }: CounterPlace,
): Promise<void> {
  return group === 'registration'
    ? registrations.clearRegistrations(name)
    : counters.clearFailures(group, name)
}

/** Whom the lines of a list are about, as a digest: if the list is full, whoever has most of them makes room. */
function ownerOf({ counter, username, client_id, address = '' }: LockedOut): string {
  const owner = { user: username, client: client_id, address: undefined }[LOCKING_COUNTERS[counter]]
  return hash('sha256', owner ?? siteOf(address), 'base64url').slice(0, OWNER_CHARACTERS)
}

function listOf(whom: LockedOut): (typeof LISTS)[number] {
  const kind = LOCKING_COUNTERS[whom.counter]
  const is_known =
    kind === 'address' || (kind === 'user' ? whom.username !== undefined : whom.client_id !== undefined)
  return is_known ? `lockouts:${kind}` : UNKNOWN
}

// An entry that another release wrote, or a hand, may have a counter that is not known here.
function lockoutOf({ name, text, ends_in }: BoundedEntry): Lockout[] {
  const { id, counter, username, client_id, address } = parseObject(text) ?? {}
  if (typeof id !== 'string' || typeof counter !== 'string' || !isLocking(counter)) return []
  const [, group = '', digest = ''] = /^(.*):(.*)$/.exec(name) ?? []
  return [
    {
      id,
      kind: LOCKING_COUNTERS[counter],
      counter,
      ...(typeof username === 'string' && { username }),
      ...(typeof client_id === 'string' && { client_id }),
      ...(typeof address === 'string' && { address }),
      ends_in,
      place: { group: group as CounterPlace['group'], name: digest },
    },
  ]
}

function isLocking(counter: string): counter is LockingCounter {
  return Object.hasOwn(LOCKING_COUNTERS, counter)
}
