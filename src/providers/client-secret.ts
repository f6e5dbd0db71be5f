import { LastingKey, type LastingKeyContext } from '../keys/lasting-key.ts'
import { appleKeyProblem } from './apple.ts'
import type { Provider } from './provider-record.ts'

/** Seals the secrets that providers gave redmint. */
const KEY = new LastingKey('provider-key', 'secret')

type Owner = Pick<Provider, 'provider' | 'issuer' | 'client_id'>

// Who may change the issuer must not have the secret sent to another one.
const ownerOf = ({ provider, issuer, client_id }: Owner) =>
  encodeURIComponent(JSON.stringify([provider, issuer, client_id]))

/** Returns why a text cannot be the secret of a provider, as text that completes "<field> …"; undefined if it can. */
export function clientSecretProblem({ kind }: Pick<Provider, 'kind'>, secret: string): string | undefined {
  return kind === 'apple' ? appleKeyProblem(secret) : undefined
}

/**
 * Seals the secret of a provider for its record, for as long as its issuer and its client_id stay the same.
 * @throws StorageUnavailable; StoredKeyError if the key cannot be used
 */
export function sealClientSecret(context: LastingKeyContext, owner: Owner, secret: string): Promise<string> {
  return KEY.seal(context, ownerOf(owner), Buffer.from(secret))
}

/**
 * Opens the secret in the record of a provider; undefined if there is none, or it was sealed for another issuer or
 * client_id, or with a key that is gone.
 * @throws as sealClientSecret; Error if the record of the key is malformed
 */
export async function openClientSecret(
  context: LastingKeyContext,
  provider: Owner & Pick<Provider, 'client_secret_sealed'>,
): Promise<string | undefined> {
  const { client_secret_sealed: sealed } = provider
  return sealed === undefined ? undefined : (await KEY.open(context, ownerOf(provider), sealed))?.toString()
}
