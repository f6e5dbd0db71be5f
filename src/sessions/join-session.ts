import type { Client } from '../clients/record/client-record.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import type { Changed } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { endFamilies, type FamilyEndingContext } from './end-families.ts'
import type { Session } from './session.ts'
import type { JoinedFamily } from './session-record.ts'
import { changeSession, familiesOf } from './session-store.ts'

/**
 * How many families of one client end with a session. Each tab of an application may have one of its own, and silent
 * renewals leave the superseded ones behind.
 */
export const MAX_FAMILIES = 20

// More than one family is superseded only after concurrent joins: any number.
const ENDED_AT_ONCE = 20

/** What it takes to join a session. */
export interface SessionJoinContext extends FamilyEndingContext {
  readonly storage: FamilyEndingContext['storage'] & RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Notes that the user signs in to a client, so that it is told of the logout. With `family`, this family ends with the
 * session; if the client has MAX_FAMILIES of them already, the oldest one ends now: only then is the whole session read.
 * @param session as this client found it
 * @returns `missing`: the session has ended, and nothing may be issued
 * @throws StorageUnavailable
 */
export async function joinSession(
  context: SessionJoinContext,
  session: Pick<Session, 'id' | 'has_joined'>,
  client_id: ClientId,
  family?: FamilyId,
): Promise<Changed> {
  const { storage, now } = context
  const { id, has_joined } = session
  if (family === undefined) return has_joined ? 'ok' : changeSession(storage, id, { clients: [client_id] })
  const families = await familiesOf(storage, id)
  if (families === undefined) return 'missing'
  const superseded = supersededBy(families, client_id)
  // Before the session forgets them: if this is interrupted, the logout still ends them.
  await endFamilies(context, superseded)
  return changeSession(storage, id, {
    clients: [client_id],
    families: [[family, { client_id, joined_at: now() }]],
    forget: superseded,
  })
}

/**
 * As joinSession, for tokens of this scope: whether their family ends with the session.
 * @throws StorageUnavailable
 */
export function joinFor(
  context: SessionJoinContext,
  session: Pick<Session, 'id' | 'has_joined'>,
  { client_id, logout_ends_tokens }: Pick<Client, 'client_id' | 'logout_ends_tokens'>,
  scope: string,
  family: FamilyId,
): Promise<Changed> {
  // OpenID Connect Back-Channel Logout §2.7: offline access is meant to outlive the session.
  const ends = logout_ends_tokens && !scopeNames(scope).includes('offline_access')
  return joinSession(context, session, client_id, ends ? family : undefined)
}

/**
 * Undoes joinFor for a session whose answer came too late: the family belongs to the first answer, and the logout of this
 * session must not end it. If another tab of the same session gave that answer, the session stays.
 * @param sid the sign-in of the late answer, as the client knows it
 * @param first the answer that counts; undefined: nothing says which, so the session stays
 * @throws StorageUnavailable
 */
export async function leaveToFirst(
  { storage }: Pick<SessionJoinContext, 'storage'>,
  { id }: Pick<Session, 'id'>,
  { family, sid }: { readonly family: FamilyId; readonly sid: string | undefined },
  first: { readonly sid?: string | undefined } | undefined,
): Promise<void> {
  if (first === undefined || first.sid === sid) return
  await changeSession(storage, id, { clients: [], forget: [family] })
}

/** The families of a client that must end before another one joins. */
function supersededBy(families: ReadonlyMap<FamilyId, JoinedFamily>, client_id: ClientId): FamilyId[] {
  const own = [...families].filter(([, joined]) => joined.client_id === client_id)
  const oldestFirst = own.sort(([, one], [, other]) => one.joined_at - other.joined_at)
  const surplus = oldestFirst.slice(0, Math.max(0, own.length + 1 - MAX_FAMILIES)).map(([family]) => family)
  // Concurrent requests see the same surplus: if it is large, each ends other ones, so that it does not grow.
  const ended: FamilyId[] = []
  while (surplus.length > 0 && ended.length < ENDED_AT_ONCE) {
    const any = surplus.length > ENDED_AT_ONCE ? Math.floor(Math.random() * surplus.length) : 0
    ended.push(...surplus.splice(any, 1))
  }
  return ended
}
