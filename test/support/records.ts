// Clients and users as hashes, as an operator writes them, malformed ones included.

import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { newFamilyId, newToken, randomText, successorWith } from '../../src/core/token-string.ts'
import { CONSENT, consentId } from '../../src/interaction/consent.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import { PROVIDER } from '../../src/providers/provider-record.ts'
import type { Watcher } from '../../src/storage/changes.ts'
import { type Change, recordOf, write } from '../../src/storage/records.ts'
import type { RecordStore, Storage } from '../../src/storage/storage.ts'
import { CODE, type CodeRecord } from '../../src/tokens/code-record.ts'
import type { TokenType } from '../../src/tokens/token-record.ts'
import { USER } from '../../src/users/user-kind.ts'
import { until } from './until.ts'

export const readClient = async ({ records }: RecordStore, client_id: string) =>
  (await records.read(CLIENT, client_id))?.hash
export const createClient = ({ records }: RecordStore, client_id: string, hash: Hash) =>
  records.create({ kind: CLIENT, id: client_id, hash })
export const changeClient = ({ records }: RecordStore, client_id: string, change: Change) =>
  records.change(CLIENT, client_id, change)
export const removeClient = async ({ records }: RecordStore, client_id: string) =>
  (await records.take(CLIENT, client_id)) === undefined ? 'missing' : 'ok'
export async function* listClients({ records }: RecordStore) {
  for await (const { id, hash } of records.list(CLIENT)) yield { client_id: id, hash }
}

export const readUser = async ({ records }: RecordStore, username: string) =>
  (await records.read(USER, username))?.hash
export const createUser = ({ records }: RecordStore, username: string, hash: Hash) =>
  records.create({ kind: USER, id: username, hash })
export const changeUser = ({ records }: RecordStore, username: string, change: Change) =>
  records.change(USER, username, change)
export const removeUser = async ({ records }: RecordStore, username: string) =>
  (await records.take(USER, username)) === undefined ? 'missing' : 'ok'
export async function* listUsers({ records }: RecordStore) {
  for await (const { id, hash } of records.list(USER)) yield { username: id, hash }
}

/** Reports changes of client records to a watcher. */
export const watchClients = ({ changes }: Pick<Storage, 'changes'>, watcher: Watcher) =>
  changes.watch(CLIENT, watcher)
/** Whether changes of client records are being reported, so that clients may be cached. */
export const isWatching = ({ changes }: Pick<Storage, 'changes'>) => changes.isLive(CLIENT)

/** Whether changes of all records are being reported that a service keeps in its caches. */
export const watchesAll = ({ changes }: Pick<Storage, 'changes'>) =>
  // Providers last: their list is watched when the service is ready, which begins the tracking anew.
  [CLIENT, USER, CONSENT, ISSUER, PROVIDER].every((kind) => changes.isLive(kind))

/** Returns a wait until all that was written before is reported: until then, a cached record may be read once more. */
export function reportsOf({ records, changes }: Pick<Storage, 'records' | 'changes'>): () => Promise<void> {
  const reported = new Set<string>()
  let count = 0
  changes.watch(CONSENT, {
    // Another change may be reported right after the one that is waited for.
    changed: (id) => void reported.add(id),
    allChanged: () => {},
  })
  return async () => {
    count += 1
    const id = `written last:${count}`
    await records.put(write(CONSENT, id, { scope: '' }, 60))
    await until('all that was written before is reported', () => reported.has(id))
  }
}

/** The scope that is stored as agreed to. */
export const readConsent = async ({ records }: RecordStore, sub: string, client_id: string) =>
  recordOf(await records.read(CONSENT, consentId(sub, client_id)))?.scope

export const saveCode = ({ records }: RecordStore, code: string, record: CodeRecord, ttl: number) =>
  records.put(write(CODE, code, record, ttl))

/** A new refresh token of the same family, not derived from this one. */
export const newSuccessor = (token: string) => successorWith(token, randomText(32))

/** The fields of a token record that a caller of saveRevokedToken chooses. */
export interface TokenFields {
  type: TokenType
  client_id: string
  subject: string
  scope: string
}

/** Issues an access token to a client itself, as the client credentials grant does. Returns the token. */
export async function issueClientToken(
  { families }: Pick<Storage, 'families'>,
  { client_id = 'app', scope = 'api.read', ttl = 900 } = {},
): Promise<string> {
  const token = newToken(newFamilyId())
  await families.saveClientToken({ token, client_id, scope }, ttl)
  return token
}
export const saveRevokedToken = (
  { families }: Pick<Storage, 'families'>,
  token: string,
  fields: TokenFields,
  expires_at: Date,
) => families.saveRevokedToken({ token, fields: { ...fields } }, expires_at)
