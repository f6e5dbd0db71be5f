import { endingsContext } from '../src/admin/access/context.ts'
import { type EndedOfUser, queueEndings } from '../src/logout/end-of-user.ts'
import { workOffEndings } from '../src/logout/endings.ts'
import { adminContext } from './admin-context.ts'
import type { CommandContext } from './command-context.ts'

/** The note in reports that some tokens cannot be revoked everywhere. */
export const JWT_NOTE = 'An API that verifies JWT access tokens locally accepts them until they expire.'

/**
 * Ends what the marks of a user refuse, by its lists: there may be no server that does. Servers tell the clients of each
 * session, as after a logout.
 * @param before the marks, in milliseconds since 1970
 * @throws StorageUnavailable: a server, or the next command that ends something, does the rest
 */
export async function endMarked(
  context: CommandContext,
  username: string,
  before: number,
): Promise<EndedOfUser> {
  const ended = await queueEndings(adminContext(context), username, before)
  // As servers do in the background.
  await workOffEndings(endingsContext(adminContext(context)))
  return ended
}
