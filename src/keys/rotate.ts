import type { Settings } from '../config/settings.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/algs.ts'
import { commit } from '../core/commit.ts'
import { DEV_KID, isDevKid, isForDevelopment } from '../core/dev-mode.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import { generateSigningKey, type NewKeyPair, newKeyPair } from './generate.ts'
import { formatSigningKeys, type KeyStatus, parseSigningKeys, type SigningKeyRecord } from './key-record.ts'
import { PUBLISH_LEAD, RETIRED_FOR } from './timing.ts'
import { StoredKeyError, unwrapPrivateKey } from './wrap.ts'

export type RotationSettings = Pick<Settings, 'key_encryption_key' | 'key_rotation_days'> &
  Partial<Pick<Settings, 'demo'>>

/** The outcome of a rotation; `too_soon` until the next keys have been published long enough. */
export type RotationResult =
  | { outcome: 'rotated'; keys: SigningKeyRecord[] }
  | { outcome: 'too_soon'; usable_at: Date }

/** Which missing keys are made, and how. */
export interface Making {
  /** The algorithms that missing keys are made for; by default all. */
  readonly algs?: readonly SigningAlg[]
  /** Whether only the first key of an algorithm is made, and none that signs next. */
  readonly only_first?: boolean
  readonly make?: NewKeyPair
  /** Told if the keys were rotated, because they are old enough. */
  readonly report?: ReportEvent | undefined
}

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)

/**
 * Maintains the stored keys: creates the first keys of each algorithm, adds a missing next key, corrects times that a
 * wrong clock wrote, removes retired keys after RETIRED_FOR, and rotates when the current keys are `key_rotation_days`
 * old. Concurrent replicas get the same keys.
 * @returns the resulting keys
 * @throws StorageUnavailable, StoredKeyError
 */
export async function maintainSigningKeys(
  store: SharedHash,
  settings: RotationSettings,
  now: Date,
  making: Making = {},
): Promise<SigningKeyRecord[]> {
  for (;;) {
    const stored = await store.read()
    const records = parseSigningKeys(stored)
    assertOfThisMode(records, settings)
    const due_at = nextRotationAt(records, settings)
    const due = due_at !== undefined && due_at <= now
    const kept = usableInTime(records, now).filter((record) => !hasEnded(record, now))
    const inUse = due ? promote(kept, now) : replaceRemoved(kept, now)
    const wanted = await withMissingKeys(inUse, settings, now, making)
    if (sameKeys(records, wanted)) return records
    await assertUsable(records, settings)
    if (await replaceKeys(store, stored, wanted, making.report, due ? 'schedule' : undefined)) return wanted
  }
}

/**
 * Rotates now: next keys become current, current ones are retired, new next keys are published.
 * @param report told if this call rotated them
 * @throws StorageUnavailable, StoredKeyError
 */
export async function rotateSigningKeys(
  store: SharedHash,
  settings: RotationSettings,
  now: Date,
  report?: ReportEvent,
): Promise<RotationResult> {
  const before = kidsThatSign(await maintainSigningKeys(store, settings, now, { report }))
  for (;;) {
    const stored: Hash = await store.read()
    const records = parseSigningKeys(stored)
    // Another process rotated at the same time: concurrent rotations count as one. Other changes are no rotation.
    if (kidsThatSign(records).join() !== before.join()) return { outcome: 'rotated', keys: records }
    const usable_at = nextUsableAt(records)
    if (usable_at > now) return { outcome: 'too_soon', usable_at }
    await assertUsable(records, settings)
    const wanted = await withMissingKeys(promote(records, now), settings, now)
    if (await replaceKeys(store, stored, wanted, report, 'operator'))
      return { outcome: 'rotated', keys: wanted }
  }
}

// What a server for development signed must count nowhere else, and it must not sign by the keys of another one.
function assertOfThisMode(
  records: readonly SigningKeyRecord[],
  settings: Pick<RotationSettings, 'demo'>,
): void {
  const is_dev = isForDevelopment(settings)
  const foreign = records.find(({ kid }) => isDevKid(kid) !== is_dev)
  if (foreign === undefined) return
  throw new StoredKeyError(
    is_dev
      ? `This Redis has the records of a server: its signing key ${foreign.kid} was not made in demo mode. Use another Redis, or another REDIS_KEY_PREFIX.`
      : `This Redis has the records of demo mode: its signing key ${foreign.kid} was made there, and no API accepts it. Use another Redis, another REDIS_KEY_PREFIX, or remove the key signing-keys.`,
  )
}

// A process with another KEY_ENCRYPTION_KEY must not add keys that the others cannot use.
async function assertUsable(records: readonly SigningKeyRecord[], settings: RotationSettings): Promise<void> {
  for (const record of records) {
    if (record.status !== 'retired') await unwrapPrivateKey(record, settings.key_encryption_key)
  }
}

/** Returns when servers rotate the keys by themselves; undefined: no key signs yet. */
export function nextRotationAt(
  records: readonly Pick<SigningKeyRecord, 'status' | 'current_since' | 'usable_at'>[],
  { key_rotation_days }: Pick<Settings, 'key_rotation_days'>,
): Date | undefined {
  const since = records.flatMap(({ status, current_since }) =>
    status === 'current' && current_since !== undefined ? [Date.parse(current_since)] : [],
  )
  if (since.length === 0) return undefined
  const due = later(new Date(Math.min(...since)), key_rotation_days * 86_400)
  return new Date(Math.max(due.getTime(), nextUsableAt(records).getTime()))
}

function nextUsableAt(records: readonly Pick<SigningKeyRecord, 'status' | 'usable_at'>[]): Date {
  const next = records.filter((record) => record.status === 'next')
  return new Date(Math.max(0, ...next.map((record) => Date.parse(record.usable_at))))
}

function hasEnded(record: SigningKeyRecord, now: Date): boolean {
  return record.status === 'retired' && Date.parse(record.published_until ?? '') <= now.getTime()
}

function promote(records: readonly SigningKeyRecord[], now: Date): SigningKeyRecord[] {
  return records.map((record) => {
    const hasNext = records.some(({ alg, status }) => alg === record.alg && status === 'next')
    if (record.status === 'next') return { ...record, status: 'current', current_since: now.toISOString() }
    if (record.status === 'current' && hasNext) {
      return { ...record, status: 'retired', published_until: later(now, RETIRED_FOR).toISOString() }
    }
    return record
  })
}

// If somebody removed the current key of an algorithm, its next key signs: every replica and cache has it already.
function replaceRemoved(records: readonly SigningKeyRecord[], now: Date): SigningKeyRecord[] {
  return records.map((record) => {
    const is_usable = record.status === 'next' && Date.parse(record.usable_at) <= now.getTime()
    if (!is_usable || isKept(records, record.alg, 'current')) return record
    return { ...record, status: 'current', current_since: now.toISOString() }
  })
}

// A key that was made while a clock was ahead must not wait for that time.
function usableInTime(records: readonly SigningKeyRecord[], now: Date): SigningKeyRecord[] {
  const usable_at = later(now, PUBLISH_LEAD)
  return records.map((record) => {
    const waits = record.status === 'next' && Date.parse(record.usable_at) > usable_at.getTime()
    return waits ? { ...record, usable_at: usable_at.toISOString() } : record
  })
}

async function withMissingKeys(
  records: readonly SigningKeyRecord[],
  settings: RotationSettings,
  now: Date,
  { algs = SIGNING_ALGS, only_first = false, make = newKeyPair }: Making = {},
): Promise<SigningKeyRecord[]> {
  const makeFor = async (alg: SigningAlg) => {
    const first = !hasSigned(records, alg)
    // The first keys need no lead: no replica publishes a key set before every algorithm has them.
    const usable_at = first ? now : later(now, PUBLISH_LEAD)
    const prefix = isForDevelopment(settings) ? DEV_KID : ''
    const generate = () => generateSigningKey(alg, now, usable_at, settings.key_encryption_key, make, prefix)
    const made: SigningKeyRecord[] = []
    // One after another: a server that starts or serves needs some of the cores.
    if (first) made.push({ ...(await generate()), status: 'current', current_since: now.toISOString() })
    if (!only_first && !isKept(records, alg, 'next')) made.push(await generate())
    return made
  }
  return [...records, ...(await Promise.all(algs.map(makeFor))).flat()]
}

/** Returns the algorithms without a key that may sign or has signed: their first keys are still to be made. */
export function algsWithoutKey(records: readonly SigningKeyRecord[]): SigningAlg[] {
  return SIGNING_ALGS.filter((alg) => !hasSigned(records, alg))
}

/** Whether a key is missing that maintainSigningKeys makes: a first one, or one that signs next. */
export function lacksKeys(records: readonly SigningKeyRecord[]): boolean {
  return SIGNING_ALGS.some((alg) => !hasSigned(records, alg) || !isKept(records, alg, 'next'))
}

function hasSigned(records: readonly SigningKeyRecord[], alg: SigningAlg): boolean {
  return isKept(records, alg, 'current') || isKept(records, alg, 'retired')
}

function isKept(records: readonly SigningKeyRecord[], alg: SigningAlg, status: KeyStatus): boolean {
  return records.some((key) => key.alg === alg && key.status === status)
}

function sameKeys(a: readonly SigningKeyRecord[], b: readonly SigningKeyRecord[]): boolean {
  return a.length === b.length && a.every((record) => b.includes(record))
}

/**
 * Replaces the stored keys if they are still as they were read.
 * @param by who rotates them; undefined: the same keys sign as before
 * @returns whether they were
 * @throws StorageUnavailable
 */
export async function replaceKeys(
  store: SharedHash,
  stored: Hash,
  wanted: readonly SigningKeyRecord[],
  report: ReportEvent | undefined,
  by: 'schedule' | 'operator' | undefined,
): Promise<boolean> {
  const events: SecurityEvent[] =
    by === undefined ? [] : [{ event: 'keys_rotated', by, kids: kidsThatSign(wanted) }]
  return commit({ report }, events, {}, (told) => store.replace(stored, formatSigningKeys(wanted), told))
}

function kidsThatSign(records: readonly SigningKeyRecord[]): string[] {
  return records.flatMap(({ status, kid }) => (status === 'current' ? kid : [])).sort()
}
