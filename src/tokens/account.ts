import type { Context } from '../context.ts'
import type { Client } from '../records/client.ts'
import type { SignIn } from '../records/code.ts'
import { parseUser, type User } from '../records/user.ts'
import { subjectFor } from '../subject.ts'

/**
 * The account that a client's tokens are for, as storage has it now; undefined where there is none of this name that may
 * do anything, or where it is another user's by now.
 * @throws StorageUnavailable; OAuthError `server_error` for a pairwise subject where no salt is set.
 */
export async function findAccount(
  { storage, settings, log }: Pick<Context, 'storage' | 'settings' | 'log'>,
  client: Client,
  { username, subject }: Pick<SignIn, 'username' | 'subject'>,
): Promise<User | undefined> {
  if (username === undefined) return undefined
  const hash = await storage.readUser(username)
  if (hash === undefined) return undefined
  const parsed = parseUser(username, hash)
  if (!parsed.ok) {
    const fields = parsed.problems.map(({ field }) => field)
    log.warn({ username, fields }, 'The user record is refused: it is malformed.')
    return undefined
  }
  const { record } = parsed
  return !record.disabled && subjectFor(client, record.sub, settings) === subject ? record : undefined
}
