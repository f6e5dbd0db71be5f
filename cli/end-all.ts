import { endAllOfHolder } from '../src/admin/end-all.ts'
import { readEnabledClient } from '../src/clients/client-registry.ts'
import { SILENT } from '../src/core/log.ts'
import { endSessionById } from '../src/sessions/end-session.ts'
import { type Ended, sessionsOf } from '../src/sessions/session-store.ts'
import type { UserNames } from '../src/storage/families.ts'
import type { CommandContext } from './run.ts'

/** The note in reports that some tokens cannot be revoked everywhere. */
export const JWT_NOTE = 'An API that verifies JWT access tokens locally accepts them until they expire.'

/**
 * Ends the sessions and revokes the codes and tokens of a user. Servers notify the clients of each session, as after a
 * logout.
 * @throws AdminError as endAllOfHolder
 */
export async function endAllOfUser({ storage, config }: CommandContext, user: UserNames): Promise<Ended> {
  const reading = { storage, settings: config.settings, log: SILENT }
  const clients = { find: (client_id: string) => readEnabledClient(reading, client_id) }
  const context = { ...reading, clients }
  let sessions = 0
  for await (const id of sessionsOf(storage, user)) {
    if ((await endSessionById(context, id)) !== undefined) sessions += 1
  }
  const ended = await endAllOfHolder(storage, user)
  return { ...ended, sessions: ended.sessions + sessions }
}
