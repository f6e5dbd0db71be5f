import { readEnabledClient } from '../../clients/client-registry.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Client } from '../../clients/record/client-record.ts'
import type { ClientId } from '../../core/ids.ts'
import { SILENT } from '../../core/log.ts'
import type { EndingsContext } from '../../logout/ending-parts.ts'
import { recordOf } from '../../storage/records.ts'
import { readEndOfSessions } from '../../users/end-of-sessions.ts'
import { USER } from '../../users/user-kind.ts'
import type { User } from '../../users/user-record.ts'
import type { AdminContext } from '../operation/operation.ts'

/** What it takes to see and to end what somebody has. */
export type AccessContext = Pick<AdminContext, 'storage' | 'settings' | 'report' | 'now'> &
  Partial<Pick<AdminContext, 'logouts' | 'endings'>>

/** Returns what ending needs: clients are read as they are now, and one that is disabled is told nothing. */
export function endingsContext({ storage, settings, report, now }: AccessContext): EndingsContext {
  const reading = { storage, settings, log: SILENT, now }
  return { ...reading, report, clients: { find: (client_id) => readEnabledClient(reading, client_id) } }
}

/** Finds clients and users, each once, with the marks that are about them. */
export interface Holders {
  client(client_id: ClientId): Promise<Client | undefined>
  /** Its `sessions_end_before` is also that of all users. Undefined if there is no such user, or the record is malformed. */
  user(username: string): Promise<User | undefined>
}

/** Returns a finder for one page. */
export function holdersOf(context: Pick<AccessContext, 'storage'>): Holders {
  const { records } = context.storage
  const found_clients = new Map<ClientId, Promise<Client | undefined>>()
  const users = new Map<string, Promise<User | undefined>>()
  const all_sessions = readEndOfSessions(context.storage)
  const readUser = async (username: string): Promise<User | undefined> => {
    const user = recordOf(await records.read(USER, username))
    const end = await all_sessions
    const before = Math.max(end, user?.sessions_end_before ?? 0)
    // Without a mark, what does not say when it began is live, too.
    return user && before > 0 ? { ...user, sessions_end_before: before } : user
  }
  const readClient = async (client_id: ClientId) => recordOf(await records.read(CLIENT, client_id))
  return {
    client: (client_id) => once(found_clients, client_id, () => readClient(client_id)),
    user: (username) => once(users, username, () => readUser(username)),
  }
}

function once<T>(known: Map<string, Promise<T>>, name: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(name) ?? find()
  known.set(name, found)
  return found
}
