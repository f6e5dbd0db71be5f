import type { Settings } from '../config/config.ts'
import type { Hash } from '../core/record-hash.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'
import type { SigningKeyStore } from '../storage/signing-keys.ts'
import { generateSigningKey } from './generate.ts'
import { formatSigningKeys, parseSigningKeys, type SigningKeyRecord } from './key-record.ts'
import { CLOCK_SKEW, PUBLISH_LEAD, STALE_AFTER } from './timing.ts'
import { unwrapPrivateKey } from './wrap.ts'

export type RotationSettings = Pick<
  Settings,
  'access_token_ttl' | 'id_token_ttl' | 'key_encryption_key' | 'key_rotation_days'
>

/** What became of a rotation: `too_soon` until the next keys have been published long enough. */
export type RotationResult =
  | { outcome: 'rotated'; keys: SigningKeyRecord[] }
  | { outcome: 'too_soon'; usable_at: Date }

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)

/**
 * Brings the stored set in order: makes the first keys on empty storage, adds a missing next key, drops
 * retired keys whose time is over, and rotates when the current ones are `key_rotation_days` old.
 * Replicas that do this at the same moment agree on one set.
 * @returns the set as it then stands.
 * @throws StorageUnavailable, SigningKeyError
 */
export async function maintainSigningKeys(
  store: SigningKeyStore,
  settings: RotationSettings,
  now: Date,
): Promise<SigningKeyRecord[]> {
  for (;;) {
    const stored = await store.read()
    const records = parseSigningKeys(stored)
    const due = isRotationDue(records, settings, now) && nextUsableAt(records) <= now
    const kept = records.filter((record) => !isOver(record, now))
    const wanted = await withNextKeys(
      due ? promote(kept, settings, now) : kept,
      settings,
      now,
      records.length === 0,
    )
    if (sameKeys(records, wanted)) return records
    await assertUsable(records, settings)
    if (await store.replace(stored, formatSigningKeys(wanted))) return wanted
  }
}

/**
 * Rotates now: next keys become current, current ones are retired, new next keys are published.
 * @throws StorageUnavailable, SigningKeyError
 */
export async function rotateSigningKeys(
  store: SigningKeyStore,
  settings: RotationSettings,
  now: Date,
): Promise<RotationResult> {
  await maintainSigningKeys(store, settings, now)
  const stored: Hash = await store.read()
  const records = parseSigningKeys(stored)
  const usable_at = nextUsableAt(records)
  if (usable_at > now) return { outcome: 'too_soon', usable_at }
  await assertUsable(records, settings)
  const wanted = await withNextKeys(promote(records, settings, now), settings, now, false)
  if (await store.replace(stored, formatSigningKeys(wanted))) return { outcome: 'rotated', keys: wanted }
  // Somebody else rotated at the same moment: two rotations at once are one.
  return { outcome: 'rotated', keys: parseSigningKeys(await store.read()) }
}

// Who has another KEY_ENCRYPTION_KEY than the others must not add keys that they cannot use.
async function assertUsable(records: readonly SigningKeyRecord[], settings: RotationSettings): Promise<void> {
  const used = records.filter(({ status }) => status !== 'retired')
  await Promise.all(used.map((record) => unwrapPrivateKey(record, settings.key_encryption_key)))
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

function isOver(record: SigningKeyRecord, now: Date): boolean {
  return record.status === 'retired' && Date.parse(record.published_until ?? '') <= now.getTime()
}

function promote(
  records: readonly SigningKeyRecord[],
  settings: RotationSettings,
  now: Date,
): SigningKeyRecord[] {
  // A replica that has not read the ring yet may sign with the old key until it counts as stale.
  const lastToken = Math.max(settings.access_token_ttl, settings.id_token_ttl) + STALE_AFTER + CLOCK_SKEW
  return records.map((record) => {
    const hasNext = records.some(({ alg, status }) => alg === record.alg && status === 'next')
    if (record.status === 'next') return { ...record, status: 'current', current_since: now.toISOString() }
    if (record.status === 'current' && hasNext) {
      return { ...record, status: 'retired', published_until: later(now, lastToken).toISOString() }
    }
    return record
  })
}

async function withNextKeys(
  records: readonly SigningKeyRecord[],
  settings: RotationSettings,
  now: Date,
  first: boolean,
): Promise<SigningKeyRecord[]> {
  // The first keys of all are published before anybody can have cached a set without them.
  const usable_at = first ? now : later(now, PUBLISH_LEAD)
  const lacking = SIGNING_ALGS.filter(
    (alg) => !records.some((key) => key.alg === alg && key.status === 'next'),
  )
  const added = await Promise.all(
    [...lacking, ...(first ? SIGNING_ALGS : [])].map((alg) =>
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
