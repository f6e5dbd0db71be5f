import { randomBytes } from 'node:crypto'
import { indexUser, type UserStore } from '../accounts/sign-in-names.ts'
import { USER } from '../accounts/user-kind.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { scopeNames } from '../core/scope.ts'

const SUB_BYTES = 16

/** Returns a new subject: 128 random bits, 22 base64url characters. */
export function newSub(): string {
  return randomBytes(SUB_BYTES).toString('base64url')
}

/**
 * Writes the record of a new user and its indexes, and reports it. If storage fails in between, servers make the indexes.
 * @throws StorageUnavailable
 */
export async function insertUser(
  { storage, report }: { readonly storage: UserStore; readonly report: ReportEvent },
  username: string,
  hash: Hash,
): Promise<'ok' | 'exists'> {
  const outcome = await storage.records.create({ kind: USER, id: username, hash })
  if (outcome === 'exists') return outcome
  report({ event: 'user_added', username })
  if (hash.admin) report({ event: 'rights_changed', username, from: [], to: scopeNames(hash.admin) })
  await indexUser(storage, username)
  return outcome
}
