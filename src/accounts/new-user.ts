import { randomBytes } from 'node:crypto'
import { type ReportEvent, reportAll, type SecurityEvent, toldOf } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'
import { indexUser, type UserStore } from './sign-in-names.ts'
import { USER } from './user-kind.ts'

const SUB_BYTES = 16

/** Returns a new subject: 128 random bits, 22 base64url characters. */
export function newSub(): string {
  return randomBytes(SUB_BYTES).toString('base64url')
}

/**
 * Writes the record of a new user and its indexes, and reports it. If storage fails in between, servers make the indexes.
 * @param more events that the writing of the record is, too
 * @throws StorageUnavailable
 */
export async function insertUser(
  { storage, report }: { readonly storage: UserStore; readonly report: ReportEvent },
  username: string,
  hash: Hash,
  more: readonly SecurityEvent[] = [],
): Promise<'ok' | 'exists'> {
  const events: SecurityEvent[] = [{ event: 'user_added', username }, ...more]
  if (hash.admin) events.push({ event: 'rights_changed', username, from: [], to: scopeNames(hash.admin) })
  const told = toldOf(report, events, { sub: hash.sub })
  const outcome = await storage.records.create({ kind: USER, id: username, hash, told })
  if (outcome === 'exists') return outcome
  reportAll(report, events)
  await indexUser(storage, username)
  return outcome
}
