import type { Context } from '../../../src/context.ts'
import { formatSigningKeys, parseSigningKeys } from '../../../src/keys/key-record.ts'

/**
 * Rotates the signing keys now. It makes those that sign old enough, and those that sign next usable, as if they had been
 * published long ago; the server then rotates by its own rule.
 * @throws StorageUnavailable
 */
export async function rotateKeys({ storage, settings, keys, now }: Context): Promise<void> {
  const stored = await storage.signing_keys.read()
  const usable_at = new Date(now()).toISOString()
  const current_since = new Date(now() - settings.key_rotation_days * 86_400_000).toISOString()
  const due = parseSigningKeys(stored).map((key) => {
    if (key.status === 'next') return { ...key, usable_at }
    return key.status === 'current' ? { ...key, current_since } : key
  })
  await storage.signing_keys.replace(stored, formatSigningKeys(due))
  await keys.reload()
}
