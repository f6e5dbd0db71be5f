import type { Client } from '../clients/record/client-record.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { Storage } from '../storage/storage.ts'
import type { User } from '../users/user-record.ts'
import { readListedSessions } from './listed-sessions.ts'

// Most people have fewer, and those that are read at a time delay no other request.
const AT_A_TIME = 100

/**
 * Whether a session of a user lives, by its sid as a client knows it. It is looked for among the sessions of the user, the
 * newest first.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise sid without a salt
 */
export async function isLiveSession(
  {
    storage,
    settings,
  }: {
    readonly storage: Pick<Storage, 'lists' | 'records'>
    readonly settings: Pick<Settings, 'pairwise_salt'>
  },
  client: Client,
  user: User,
  sid: string,
): Promise<boolean> {
  const holder = { username: user.username, user }
  let after: string | undefined
  do {
    const { sessions, next } = await readListedSessions(storage, holder, { after, limit: AT_A_TIME })
    if (sessions.some(({ session }) => sidFor(client, session.sid, settings) === sid)) return true
    after = next
  } while (after !== undefined)
  return false
}
