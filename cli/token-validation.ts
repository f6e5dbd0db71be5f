import { createPublicKey } from 'node:crypto'
import { parseSigningKeys, type SigningKeyRecord } from '../src/keys/record.ts'
import type { VerificationKey } from '../src/keys/ring.ts'
import type { SigningKeyStore } from '../src/storage/storage.ts'
import { type AccessToken, type Validation, validateAccessToken } from '../src/tokens/access.ts'
import type { Opened } from './session.ts'

/** The signing keys whose public parts are published at an instant (milliseconds since 1970). */
export async function readPublishedKeys(store: SigningKeyStore, now: number): Promise<SigningKeyRecord[]> {
  const records = parseSigningKeys(await store.readSigningKeys())
  return records.filter(
    ({ status, published_until = '' }) => status !== 'retired' || Date.parse(published_until) > now,
  )
}

/**
 * What a server answers to this token.
 * @throws StorageUnavailable, SigningKeyError
 */
export async function validateAsServer(opened: Opened, token: string): Promise<Validation<AccessToken>> {
  const { storage, config, now } = opened
  const records = await readPublishedKeys(storage, now)
  // No ring is started for this: one that is would write what it finds missing.
  const keys = { verificationKey: (kid: string) => toKey(records.find((record) => record.kid === kid)) }
  return validateAccessToken({ settings: config.settings, storage, keys, now: () => now }, token, true)
}

function toKey(record: SigningKeyRecord | undefined): VerificationKey | undefined {
  return (
    record && {
      alg: record.alg,
      publicKey: createPublicKey({ key: { ...record.public_jwk }, format: 'jwk' }),
    }
  )
}
