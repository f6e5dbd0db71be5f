import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { User } from '../users/user-record.ts'
import { hasEnded } from './session.ts'
import { SESSION, type SessionRecord } from './session-record.ts'

/** A live session of a user, with its id in storage. */
export interface ListedSession {
  readonly id: string
  readonly session: SessionRecord
}

/** Whose sessions they are. `user`: with the marks that are about the user; undefined: there is no such user any more. */
interface Holder {
  readonly username: string
  readonly user: User | undefined
}

/**
 * Reads a part of the list of a user's sessions, the newest first. Entries whose session is gone, or of another user, are
 * removed.
 * @param after `next` of the part before; absent: at the beginning
 * @throws StorageUnavailable
 */
export async function readListedSessions(
  storage: Pick<Storage, 'lists' | 'records'>,
  { username, user }: Holder,
  part: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ sessions: readonly ListedSession[]; next: string | undefined }> {
  const key = { list: 'sessions-of', owner: username } as const
  const { entries, next } = await storage.lists.page(key, { after: part.after, limit: part.limit })
  const stale: string[] = []
  const read = entries.map(async ({ id }): Promise<ListedSession | undefined> => {
    const session = recordOf(await storage.records.read(SESSION, id))
    if (session?.username !== username) {
      stale.push(id)
      return undefined
    }
    // What a mark refuses stays in the list until a server has ended it.
    const is_live = user === undefined || (session.sub === user.sub && !hasEnded(session, user))
    return is_live ? { id, session } : undefined
  })
  const sessions = (await Promise.all(read)).filter((found) => found !== undefined)
  await storage.lists.remove(key, ...stale)
  return { sessions, next }
}
