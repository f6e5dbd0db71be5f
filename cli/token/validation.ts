import { readEnabledAccount } from '../../src/accounts/read-account.ts'
import { type ClientContext, readEnabledClient } from '../../src/clients/client-registry.ts'
import { mayDescribe, undescribedClient } from '../../src/clients/documents/metadata-documents.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Client } from '../../src/clients/record/client-record.ts'
import { SILENT } from '../../src/core/log.ts'
import { API_PATH } from '../../src/core/paths.ts'
import { parseSigningKeys, type SigningKeyRecord } from '../../src/keys/key-record.ts'
import { readRestoreMark } from '../../src/keys/restore-mark.ts'
import { verificationKeyOf } from '../../src/keys/verification-key.ts'
import { VerifiedTokens } from '../../src/keys/verified-jws.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import type { SharedHash } from '../../src/storage/shared-hash.ts'
import { validateAccessToken } from '../../src/tokens/access-token.ts'
import type { AccessToken, Validation, ValidationContext } from '../../src/tokens/validation.ts'
import { findStored } from '../resource/show.ts'
import type { CommandContext } from '../run.ts'

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
  context: CommandContext,
  token: string,
): Promise<Validation<AccessToken>> {
  const verdict = await validateAccessToken(await serverContext(context), token, true)
  if (!verdict.valid) return verdict
  for (const uri of verdict.token.audience ?? []) {
    if (await isResource(context, uri)) continue
    return { valid: false, reason: `its audience "${uri}" is neither this server nor an enabled resource` }
  }
  return verdict
}

async function isResource({ storage, config }: CommandContext, uri: string): Promise<boolean> {
  const { issuer } = config.settings
  if (uri === issuer || uri === issuer + API_PATH) return true
  const stored = await findStored(storage, uri)
  const parsed = stored && RESOURCE.parse(stored.hash, stored.id)
  return parsed?.ok === true && !parsed.record.disabled
}

/** Reads the client of a token; one that a document describes has no record, and its document does not matter here. */
async function readHolder(
  reading: ClientContext & Pick<CommandContext['config'], 'settings'>,
  client_id: string,
): Promise<Client | undefined> {
  const { storage, settings } = reading
  if (!mayDescribe(settings, client_id)) return readEnabledClient(reading, client_id)
  return (await storage.records.read(CLIENT, client_id)) === undefined
    ? undescribedClient(settings, client_id)
    : readEnabledClient(reading, client_id)
}

/** Returns the dependencies of a server's token validation, for one command. */
export async function serverContext({ storage, config, now }: CommandContext): Promise<ValidationContext> {
  const records = await readPublishedKeys(storage.signing_keys, now)
  // Not a KeyRing, which would write missing keys.
  const verificationKey = (kid: string) => {
    const found = records.find((record) => record.kid === kid)
    return found && verificationKeyOf(found)
  }
  const notBefore = await readRestoreMark(storage)
  const keys = { verificationKey, verified: new VerifiedTokens(), notBefore }
  // Not the registries: each record is read only once, so a cache is useless.
  const { settings } = config
  const reading = { storage, settings, log: SILENT }
  const clients = { find: (client_id: string) => readHolder(reading, client_id) }
  const accounts = { find: (username: string) => readEnabledAccount(reading, username) }
  return { settings, storage, clients, accounts, keys, now: () => now }
}
