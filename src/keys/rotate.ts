import type { Settings } from '../config/settings.ts'
import type { SecurityEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import { generateSigningKey } from './generate.ts'
import { formatSigningKeys, parseSigningKeys, type SigningKeyRecord } from './key-record.ts'
import { PUBLISH_LEAD, RETIRED_FOR } from './timing.ts'
import { unwrapPrivateKey } from './wrap.ts'

export type RotationSettings = Pick<Settings, 'key_encryption_key' | 'key_rotation_days'>

/** The outcome of a rotation; `too_soon` until the next keys have been published long enough. */
export type RotationResult =
  | { outcome: 'rotated'; keys: SigningKeyRecord[] }
  | { outcome: 'too_soon'; usable_at: Date }

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)

/**
 * Maintains the stored keys: creates the first keys in empty storage, adds a missing next key, removes retired keys
 * after RETIRED_FOR, and rotates when the current keys are `key_rotation_days` old. Concurrent replicas get the same
 * keys.
 * @param rotated is called with the keys if this call has rotated them
 * @returns the resulting keys
 * @throws StorageUnavailable, StoredKeyError
 */
export async function maintainSigningKeys(
  store: SharedHash,
  settings: RotationSettings,
  now: Date,
  rotated: (keys: readonly SigningKeyRecord[]) => void = () => {},
): Promise<SigningKeyRecord[]> {
  for (;;) {
    const stored = await store.read()
    const records = parseSigningKeys(stored)
    const due = isRotationDue(records, settings, now) && nextUsableAt(records) <= now
    const kept = keepPublished(records).filter((record) => !hasEnded(record, now))
    const wanted = await withNextKeys(due ? promote(kept, now) : kept, settings, now, records.length === 0)
    if (sameKeys(records, wanted)) return records
    await assertUsable(records, settings)
    if (await store.replace(stored, formatSigningKeys(wanted))) {
      if (due) rotated(wanted)
      return wanted
    }
  }
}

/**
 * Rotates now: next keys become current, current ones are retired, new next keys are published.
 * @throws StorageUnavailable, StoredKeyError
 */
export async function rotateSigningKeys(
  store: SharedHash,
  settings: RotationSettings,
  now: Date,
): Promise<RotationResult> {
  await maintainSigningKeys(store, settings, now)
  const stored: Hash = await store.read()
  const records = parseSigningKeys(stored)
  const usable_at = nextUsableAt(records)
  if (usable_at > now) return { outcome: 'too_soon', usable_at }
  await assertUsable(records, settings)
  const wanted = await withNextKeys(promote(records, now), settings, now, false)
  if (await store.replace(stored, formatSigningKeys(wanted))) return { outcome: 'rotated', keys: wanted }
  // Another process rotated at the same time: concurrent rotations count as one.
  return { outcome: 'rotated', keys: parseSigningKeys(await store.read()) }
}

// A process with another KEY_ENCRYPTION_KEY must not add keys that the others cannot use.
async function assertUsable(records: readonly SigningKeyRecord[], settings: RotationSettings): Promise<void> {
  const inUse = records.filter(({ status }) => status !== 'retired')
  await Promise.all(inUse.map((record) => unwrapPrivateKey(record, settings.key_encryption_key)))
}

function isRotationDue(records: readonly SigningKeyRecord[], settings: RotationSettings, now: Date): boolean {
  return records.some(
    (record) =>
      record.current_since !== undefined &&
      record.status === 'current' &&
      later(new Date(record.current_since), settings.key_rotation_days * 86_400) <= now,
  )
}

function nextUsableAt(records: readonly SigningKeyRecord[]): Date {
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

// A replica of an older version publishes a retired key only for the lifetimes in its own settings, while clients may
// have tokens with longer ones.
function keepPublished(records: readonly SigningKeyRecord[]): SigningKeyRecord[] {
  return records.map((record) => {
    const retired_at = record.status === 'retired' ? retiredAt(record, records) : undefined
    if (retired_at === undefined) return record
    const until = later(retired_at, RETIRED_FOR)
    if (Date.parse(record.published_until ?? '') >= until.getTime()) return record
    return { ...record, published_until: until.toISOString() }
  })
}

// When its successor, with the same algorithm, became current; undefined if the successor is no longer stored.
function retiredAt(record: SigningKeyRecord, records: readonly SigningKeyRecord[]): Date | undefined {
  const since = Date.parse(record.current_since ?? '')
  const successors = records
    .filter(({ alg }) => alg === record.alg)
    .map(({ current_since }) => Date.parse(current_since ?? ''))
    .filter((instant) => instant > since)
  return successors.length === 0 ? undefined : new Date(Math.min(...successors))
}

async function withNextKeys(
  records: readonly SigningKeyRecord[],
  settings: RotationSettings,
  now: Date,
  first: boolean,
): Promise<SigningKeyRecord[]> {
  // The first keys need no lead: no cache can have a key set without them.
  const usable_at = first ? now : later(now, PUBLISH_LEAD)
  const missing = SIGNING_ALGS.filter(
    (alg) => !records.some((key) => key.alg === alg && key.status === 'next'),
  )
  const added = await Promise.all(
    [...missing, ...(first ? SIGNING_ALGS : [])].map((alg) =>
      generateSigningKey(alg, now, usable_at, settings.key_encryption_key),
    ),
  )
  if (!first) return [...records, ...added]
  return added.map((record, index) =>
    index < SIGNING_ALGS.length ? { ...record, status: 'current', current_since: now.toISOString() } : record,
  )
}

function sameKeys(a: readonly SigningKeyRecord[], b: readonly SigningKeyRecord[]): boolean {
  return a.length === b.length && a.every((record) => b.includes(record))
}

/** The event that keys were rotated, with the keys that sign from now on. */
export function rotationEvent(
  records: readonly SigningKeyRecord[],
  by: 'schedule' | 'operator',
): SecurityEvent {
  const kids = records.filter(({ status }) => status === 'current').map(({ kid }) => kid)
  return { event: 'keys_rotated', by, kids }
}
