import { LastingKey, type LastingKeyContext } from '../keys/lasting-key.ts'

/** What it takes to seal what records of factors keep. */
export type FactorKeyContext = LastingKeyContext

/** Seals the secrets of authenticator apps, each for its account. */
const KEY = new LastingKey('factor-key', 'totp')

/**
 * Seals a secret of an account for its record.
 * @throws StorageUnavailable; StoredKeyError if the key cannot be used
 */
export function sealFactor(context: FactorKeyContext, username: string, secret: Buffer): Promise<string> {
  return KEY.seal(context, username, secret)
}

/**
 * Opens a secret of an account; undefined if it was sealed with a key that is gone, or for another account.
 * @throws as sealFactor; Error if the record of the key is malformed
 */
export function openFactor(
  context: FactorKeyContext,
  username: string,
  sealed: string,
): Promise<Buffer | undefined> {
  return KEY.open(context, username, sealed)
}
