// The rights of whom or what an operation is about. The caller of an operation must have each (`Operation.rights`).

import { CLIENT } from '../clients/record/client-kind.ts'
import type { ClientId, FamilyId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { parseToken } from '../core/token-string.ts'
import { nameForm } from '../core/visible-text.ts'
import { looksLikeJwt } from '../keys/jwt-reader.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { verifyAccessJwt } from '../tokens/access-jwt.ts'
import { readAdministrators } from '../users/administrators.ts'
import { USER } from '../users/user-kind.ts'
import type { AdminContext } from './operation/operation.ts'
import { serverContext } from './tokens/validation.ts'

/** Returns the rights of a user; of nobody none. @throws StorageUnavailable */
export async function rightsOfUser(
  { storage: { records } }: { readonly storage: RecordStore },
  { username }: { readonly username: string },
): Promise<string[]> {
  return scopeNames((await records.read(USER, nameForm(username)))?.hash?.admin ?? '')
}

/** Returns the scopes of a client; of none none. @throws StorageUnavailable */
export async function rightsOfClient(
  { storage: { records } }: { readonly storage: RecordStore },
  { client_id }: { readonly client_id: ClientId },
): Promise<string[]> {
  return scopeNames((await records.read(CLIENT, client_id))?.hash?.allowed_scopes ?? '')
}

/** Returns the rights that anybody has. @throws StorageUnavailable */
export async function rightsOfEverybody({ storage }: { readonly storage: RecordStore }): Promise<string[]> {
  return (await readAdministrators(storage)).flatMap(({ hash: { admin = '' } }) => scopeNames(admin))
}

/** Returns what a grant allows, and the rights of its user. @throws StorageUnavailable */
export async function rightsOfGrant(
  { storage }: { readonly storage: Storage },
  { grant }: { readonly grant: FamilyId },
): Promise<string[]> {
  const { scope = '', username } = (await storage.families.findFamily(grant)) ?? {}
  const of_user = username === undefined ? [] : await rightsOfUser({ storage }, { username })
  return [...scopeNames(scope), ...of_user]
}

/** Returns the scopes of a token, and of the sign-in that it is from. @throws StorageUnavailable */
export async function rightsOfToken(
  context: Pick<AdminContext, 'storage' | 'settings' | 'report' | 'now'>,
  token: string,
): Promise<string[]> {
  const { families } = context.storage
  if (looksLikeJwt(token)) {
    const verified = verifyAccessJwt(await serverContext(context), token)
    return verified.valid ? scopeNames(verified.token.scope) : []
  }
  const family = parseToken(token)?.family
  if (family === undefined) return []
  const [record, grant] = await Promise.all([families.findToken(token), families.findFamily(family)])
  return [...scopeNames(record?.scope ?? ''), ...scopeNames(grant?.scope ?? '')]
}
