import { type ClientContext, readEnabledClient } from '../../clients/client-registry.ts'
import { mayDescribe, undescribedClient } from '../../clients/documents/metadata-documents.ts'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Client } from '../../clients/record/client-record.ts'
import { SILENT } from '../../core/log.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../keys/key-record.ts'
import { readRestoreMark } from '../../keys/restore-mark.ts'
import { verificationKeyOf } from '../../keys/verification-key.ts'
import { VerifiedTokens } from '../../keys/verified-jws.ts'
import { ownResources } from '../../resources/own-resources.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import type { SharedHash } from '../../storage/shared-hash.ts'
import { findLiveToken, validateAccessToken } from '../../tokens/access-token.ts'
import type { ValidAccessToken, Validation, ValidationContext } from '../../tokens/validation.ts'
import { readEnabledAccount } from '../../users/read-account.ts'
import { findResource } from '../resources/resources.ts'
import type { TokenContext } from './context.ts'

/** Returns the signing keys that are published at an instant (milliseconds since 1970). */
export async function readPublishedKeys(store: SharedHash, now: number): Promise<SigningKeyRecord[]> {
  const records = parseSigningKeys(await store.read())
  return records.filter(
    ({ status, published_until = '' }) => status !== 'retired' || Date.parse(published_until) > now,
  )
}

/**
 * Validates a token like a server.
 * @throws StorageUnavailable, StoredKeyError
 */
export async function validateAsServer(
  context: TokenContext,
  token: string,
): Promise<Validation<ValidAccessToken>> {
  const verdict = await validateAccessToken(await serverContext(context), token, true)
  if (!verdict.valid) return verdict
  for (const uri of verdict.token.audience ?? []) {
    if (await isResource(context, uri)) continue
    return { valid: false, reason: `its audience "${uri}" is neither this server nor an enabled resource` }
  }
  return verdict
}

/** Whether a refresh token can be used. @throws StorageUnavailable, StoredKeyError */
export async function isLiveRefreshToken(context: TokenContext, token: string): Promise<boolean> {
  return (await findLiveToken(await serverContext(context), token, ['refresh_token'])).valid
}

async function isResource({ storage, settings }: TokenContext, uri: string): Promise<boolean> {
  if (ownResources(settings).some(({ resource }) => resource === uri)) return true
  const stored = await findResource(storage, uri)
  const parsed = stored && RESOURCE.parse(stored.hash, stored.id)
  return parsed?.ok === true && !parsed.record.disabled
}

/** Reads the client of a token; one that a document describes has no record, and its document does not matter here. */
async function readHolder(
  reading: ClientContext & Pick<TokenContext, 'settings' | 'now'>,
  client_id: string,
): Promise<Client | undefined> {
  const { storage, settings } = reading
  if (!mayDescribe(settings, client_id)) return readEnabledClient(reading, client_id)
  return (await storage.records.read(CLIENT, client_id)) === undefined
    ? undescribedClient(settings, client_id)
    : readEnabledClient(reading, client_id)
}

/** Returns the dependencies of a server's token validation, for one command. */
export async function serverContext({ storage, settings, now }: TokenContext): Promise<ValidationContext> {
  const records = await readPublishedKeys(storage.signing_keys, now())
  // Not a KeyRing, which would write missing keys.
  const verificationKey = (kid: string) => {
    const found = records.find((record) => record.kid === kid)
    return found && verificationKeyOf(found)
  }
  const notBefore = await readRestoreMark(storage)
  const keys = { verificationKey, verified: new VerifiedTokens(), notBefore }
  // Not the registries: each record is read only once, so a cache is useless.
  const reading = { storage, settings, log: SILENT, now }
  const clients = { find: (client_id: string) => readHolder(reading, client_id) }
  const accounts = { find: (username: string) => readEnabledAccount(reading, username) }
  return { settings, storage, clients, accounts, keys, now }
}
