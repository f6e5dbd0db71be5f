import type { AuditEntries } from '../core/audit-entries.ts'
import type { ClientId, Sid } from '../core/ids.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * What is to be ended after a mark refuses it: a session at a time, with the notices of its clients, and a family at a
 * time. `before` is the mark, in milliseconds since 1970. `session`: the families of one session that has ended.
 * `removed_client`: the grants of a client whose record is gone. `other_sessions`: those of a user but the one with this
 * sid.
 * `acting`: what a client does for others in the sign-ins of a user.
 * `access`: what a client has of a user, and what it does for others. `upstream_sessions`: those that began with a session
 * at a provider, by a person there, or both.
 * `asserted`: what a trusted issuer vouched for of a user.
 */
export type Ending =
  | { readonly what: 'sessions' | 'grants'; readonly username: string; readonly before: number }
  | { readonly what: 'client' | 'removed_client'; readonly client_id: ClientId; readonly before: number }
  | { readonly what: 'session'; readonly username: string; readonly sid: Sid }
  | { readonly what: 'other_sessions'; readonly username: string; readonly sid: Sid; readonly before: number }
  | {
      readonly what: 'access' | 'acting'
      readonly username: string
      readonly client_id: ClientId
      readonly before: number
    }
  | {
      readonly what: 'upstream_sessions'
      readonly upstream_session?: string | undefined
      readonly upstream_user?: string | undefined
      readonly before: number
    }
  | {
      readonly what: 'asserted'
      readonly username: string
      readonly issuer: string
      readonly before: number
    }
  | { readonly what: 'all_sessions'; readonly before: number }

/** The name of the queue in which endings wait. */
export const ENDINGS = 'endings'

/**
 * Adds work that a server does in the background, also if this process ends.
 * @param told what the audit trail says of it, in the same step
 * @throws StorageUnavailable
 */
export async function queueEnding(
  { queue }: Pick<Storage, 'queue'>,
  ending: Ending,
  told?: AuditEntries,
): Promise<void> {
  await queue.add(ENDINGS, [JSON.stringify(ending)], told)
}

/** Returns how many pieces of work wait or are being done. @throws StorageUnavailable */
export function countEndings({ queue }: Pick<Storage, 'queue'>): Promise<number> {
  return queue.size(ENDINGS)
}

/** Returns undefined for any text that queueEnding did not write. */
export function parseEnding(item: string): Ending | undefined {
  try {
    const ending = JSON.parse(item) as Partial<Record<string, unknown>>
    const { what, username, client_id, sid, upstream_session, upstream_user, issuer, before } = ending ?? {}
    const isText = (value: unknown) => typeof value === 'string'
    const isTextOrAbsent = (value: unknown) => value === undefined || isText(value)
    const isTime = Number.isSafeInteger(before)
    const is_whole =
      (['sessions', 'grants'].includes(String(what)) && isText(username) && isTime) ||
      (['client', 'removed_client'].includes(String(what)) && isText(client_id) && isTime) ||
      (what === 'session' && isText(username) && isText(sid)) ||
      (what === 'other_sessions' && isText(username) && isText(sid) && isTime) ||
      (['access', 'acting'].includes(String(what)) && isText(username) && isText(client_id) && isTime) ||
      (what === 'upstream_sessions' &&
        [upstream_session, upstream_user].every(isTextOrAbsent) &&
        (upstream_session ?? upstream_user) !== undefined &&
        isTime) ||
      (what === 'asserted' && isText(username) && isText(issuer) && isTime) ||
      (what === 'all_sessions' && isTime)
    return is_whole ? (ending as unknown as Ending) : undefined
  } catch {
    return undefined
  }
}
