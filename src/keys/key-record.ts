import type { JWK } from 'jose'
import { SIGNING_ALGS, type SigningAlg } from '../core/algs.ts'
import { isObject } from '../core/json.ts'
import type { Hash } from '../core/record-hash.ts'
import { StoredKeyError, type WrappableKey } from './wrap.ts'

export const KEY_STATUSES = ['next', 'current', 'retired'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

/**
 * The stored record of a signing key: JSON under its kid. A `next` key is published and does not sign yet, a `current`
 * key signs, a `retired` key is published until the last token that it signed has expired.
 */
export interface SigningKeyRecord extends WrappableKey {
  readonly alg: SigningAlg
  readonly status: KeyStatus
  readonly created_at: string
  /** When it may sign: from then on every replica and every cache has its public part. */
  readonly usable_at: string
  /** When it became current; a retired key keeps it. */
  readonly current_since?: string
  /** When its publication ends; only for retired keys. */
  readonly published_until?: string
  readonly public_jwk: JWK
}

/**
 * Returns the key records in a hash.
 * @throws StoredKeyError if one is malformed
 */
export function parseSigningKeys(hash: Hash): SigningKeyRecord[] {
  return Object.entries(hash).map(([kid, json]) => {
    const record = parseJson(json)
    if (!isSigningKeyRecord(record) || record.kid !== kid) {
      throw new StoredKeyError(
        `The signing key ${kid} is malformed: restore the field ${kid} of the hash signing-keys, or remove it.`,
      )
    }
    return record
  })
}

/** Returns the hash to store for key records. */
export function formatSigningKeys(records: readonly SigningKeyRecord[]): Hash {
  return Object.fromEntries(records.map((record) => [record.kid, JSON.stringify(record)]))
}

function parseJson(json: string): Partial<SigningKeyRecord> {
  try {
    return (JSON.parse(json) as Partial<SigningKeyRecord> | null) ?? {}
  } catch {
    return {}
  }
}

function isSigningKeyRecord(record: Partial<SigningKeyRecord>): record is SigningKeyRecord {
  return (
    typeof record.kid === 'string' &&
    SIGNING_ALGS.some((alg) => alg === record.alg) &&
    KEY_STATUSES.some((status) => status === record.status) &&
    isInstant(record.created_at) &&
    isInstant(record.usable_at) &&
    (record.status !== 'current' || isInstant(record.current_since)) &&
    (record.status !== 'retired' || isInstant(record.published_until)) &&
    isObject(record.public_jwk) &&
    (record.private_jwk === undefined ? typeof record.private_jwe === 'string' : isObject(record.private_jwk))
  )
}

function isInstant(value: string | undefined): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
