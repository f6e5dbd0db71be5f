import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { parseObject } from '../core/json.ts'
import type { Hash } from '../core/record-hash.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import type { RotationSettings } from './rotate.ts'
import { newSealingKey } from './seal.ts'
import { PUBLISH_LEAD, SEALED_FOR, SEALING_KEY_AGE } from './timing.ts'
import { StoredKeyError, storedPrivateKey, unwrapPrivateKey, type WrappableKey } from './wrap.ts'

/** The stored record of a sealing key: JSON under its kid. The key itself is a symmetric JWK (RFC 7518 §6.4). */
export interface SealingKeyRecord extends WrappableKey {
  readonly created_at: string
  /** When it may seal: from then on every replica can open what it sealed. */
  readonly usable_at: string
}

/**
 * Maintains the stored keys: creates the first one in empty storage, adds one SEALING_KEY_AGE after the last, and removes
 * keys when nothing that they sealed can be in use. Concurrent replicas get the same keys.
 * @param now milliseconds since 1970
 * @returns the resulting keys, the oldest first
 * @throws StorageUnavailable, StoredKeyError
 */
export async function maintainSealingKeys(
  store: SharedHash,
  settings: Pick<RotationSettings, 'key_encryption_key'>,
  now: number,
): Promise<SealingKeyRecord[]> {
  for (;;) {
    const stored = await store.read()
    const records = parseSealingKeys(stored)
    const kept = records.filter((_, index) => !hasEnded(records[index + 1], now))
    const newest = records.at(-1)
    const is_due = newest === undefined || after(newest.created_at, SEALING_KEY_AGE) <= now
    if (!is_due && kept.length === records.length) return records
    // A process with another KEY_ENCRYPTION_KEY must not add keys that the others cannot use.
    for (const record of records) await unwrapPrivateKey(record, settings.key_encryption_key)
    const added = is_due ? [await newKey(settings, now, newest === undefined)] : []
    const wanted = [...kept, ...added]
    if (await store.replace(stored, formatSealingKeys(wanted))) return wanted
  }
}

/**
 * Removes the keys that were made before a time, in milliseconds since 1970, and those that are malformed: nothing that
 * they sealed can be opened any more.
 * @throws StorageUnavailable
 */
export async function dropSealingKeysBefore(store: SharedHash, time: number): Promise<void> {
  for (;;) {
    const stored = await store.read()
    const kept = Object.entries(stored).filter(
      ([, json]) => Date.parse(String(parseObject(json)?.created_at)) >= time,
    )
    if (kept.length === Object.keys(stored).length) return
    if (await store.replace(stored, Object.fromEntries(kept))) return
  }
}

// The first key needs no lead: nobody can have read the keys without it.
async function newKey(
  { key_encryption_key }: Pick<RotationSettings, 'key_encryption_key'>,
  now: number,
  first: boolean,
): Promise<SealingKeyRecord> {
  const { kid, jwk } = newSealingKey()
  return {
    kid,
    created_at: new Date(now).toISOString(),
    usable_at: new Date(first ? now : now + PUBLISH_LEAD * 1000).toISOString(),
    ...(await storedPrivateKey(jwk, kid, key_encryption_key)),
  }
}

function hasEnded(successor: SealingKeyRecord | undefined, now: number): boolean {
  if (successor === undefined) return false
  return after(successor.usable_at, SEALED_FOR + CLOCK_SKEW) <= now
}

function after(instant: string, seconds: number): number {
  return Date.parse(instant) + seconds * 1000
}

function formatSealingKeys(records: readonly SealingKeyRecord[]): Hash {
  return Object.fromEntries(records.map((record) => [record.kid, JSON.stringify(record)]))
}

/** Returns the stored sealing keys, the oldest first. @throws StoredKeyError if one is malformed */
export function parseSealingKeys(hash: Hash): SealingKeyRecord[] {
  const records = Object.entries(hash).map(([kid, json]) => {
    const record = parseObject(json) ?? {}
    if (isSealingKeyRecord(record) && record.kid === kid) return record
    throw new StoredKeyError(
      `The sealing key ${kid} is malformed: restore the field ${kid} of the hash sealing-keys, or remove it.`,
    )
  })
  return records.sort((a, b) => Date.parse(a.usable_at) - Date.parse(b.usable_at))
}

function isSealingKeyRecord(record: Partial<SealingKeyRecord>): record is SealingKeyRecord {
  const { kid, created_at, usable_at, private_jwk, private_jwe } = record
  return (
    typeof kid === 'string' &&
    isInstant(created_at) &&
    isInstant(usable_at) &&
    (private_jwk === undefined ? typeof private_jwe === 'string' : typeof private_jwk?.k === 'string')
  )
}

function isInstant(value: string | undefined): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
