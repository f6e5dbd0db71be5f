import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { FACTORS } from '../factors/factors-record.ts'
import { releasePasskeys } from '../factors/passkeys/passkey-owner.ts'
import { evidenceTag } from '../storage/evidence.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { indexAdministrator } from '../users/administrators.ts'
import { noteRemovedSub } from '../users/removed-sub.ts'
import { indexedNamesOf, indexUser, removeSignInName } from '../users/sign-in-names.ts'
import { USER } from '../users/user-kind.ts'
import { notMeTag } from './not-me.ts'

/** What it takes to remove a user. */
export interface ForgetContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'audit_days'>
  readonly report: ReportEvent
}

/**
 * Removes a user who is disabled, and whose sessions and grants are ended: first all that is kept besides the record,
 * because another user may have the name later. If it fails, the user is still disabled, and it can be repeated.
 * @param stored the record
 * @throws StorageUnavailable
 */
export async function forgetUser(context: ForgetContext, username: string, stored: Hash): Promise<void> {
  const { storage, settings } = context
  const { sub } = stored
  // Before anything is gone: whoever comes next must not get it.
  if (sub) await noteRemovedSub(storage, settings, { sub, username })
  const names = indexedNamesOf(username, stored)
  await Promise.all([
    ...names.map((name) => removeSignInName(storage, name, username)),
    indexAdministrator(storage, username, false),
    storage.evidence.end(evidenceTag(username)),
    storage.evidence.end(notMeTag(username)),
  ])
  const factors = recordOf(await storage.records.take(FACTORS, username))
  await releasePasskeys({ storage }, username, factors?.passkeys.keys() ?? [])
  await storage.bounded.drop({ activity_of: username })
  await storage.bounded.drop({ notices_of: username })
  const event = { event: 'user_removed', username } as const
  await commit(context, [event], { sub }, (told) => storage.records.remove(USER, username, told))
  // Once more: a server that saw the first step may have added the names again.
  await indexUser(storage, username, stored)
}
