import { FACTORS } from '../factors/factors-record.ts'
import { releasePasskeys } from '../factors/passkeys/passkey-owner.ts'
import { evidenceTag } from '../storage/evidence.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * Forgets what a user who is being removed has besides the record: another user may have the name later. The user is disabled
 * already.
 * @throws StorageUnavailable
 */
export async function forgetUser(
  storage: Pick<Storage, 'evidence' | 'records'>,
  username: string,
): Promise<void> {
  await storage.evidence.end(evidenceTag(username))
  const factors = recordOf(await storage.records.take(FACTORS, username))
  await releasePasskeys({ storage }, username, factors?.passkeys.keys() ?? [])
}
