import { hash } from 'node:crypto'
import { MAX_REFRESH_TOKEN_TTL } from '../config/environment.ts'
import type { Settings } from '../config/settings.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'

const DAY = 86_400

/** That a user with this sub was removed: it is never given to another person (OpenID Connect Core §2). */
interface RemovedSub {
  /** A digest of the sub and the username, so that nothing says who it was. */
  readonly person: string
}

/** By the digest of the sub. */
const REMOVED_SUB: Kind<RemovedSub> = {
  name: 'removed-sub',
  by_operators: true,
  format: ({ person }) => ({ person }),
  parse: ({ person = '' }) => ({ ok: true, record: { person } }),
}

/** Whose sub it was. */
interface Person {
  readonly sub: string
  readonly username: string
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url')
const personOf = ({ sub, username }: Person): string => digestOf(JSON.stringify([sub, username]))

/**
 * Notes that a user is removed, for as long as something can name the sub: an entry of the audit trail, or a token.
 * @throws StorageUnavailable
 */
export function noteRemovedSub(
  { records }: RecordStore,
  { audit_days }: Pick<Settings, 'audit_days'>,
  person: Person,
): Promise<void> {
  const ttl = Math.max(audit_days * DAY, MAX_REFRESH_TOKEN_TTL)
  return records.put(write(REMOVED_SUB, digestOf(person.sub), { person: personOf(person) }, ttl))
}

/**
 * Whether a sub was that of a user who was removed.
 * @param username who comes back, as a file of an operator says: that person may have it again. Absent: nobody may
 * @throws StorageUnavailable
 */
export async function wasRemoved({ records }: RecordStore, sub: string, username?: string): Promise<boolean> {
  const removed = recordOf(await records.read(REMOVED_SUB, digestOf(sub)))
  if (removed === undefined) return false
  return username === undefined || removed.person !== personOf({ sub, username })
}
