import type { Settings } from '../../config/settings.ts'
import type { SigningAlg } from '../../core/algs.ts'
import { clientKeysUnavailable, type KeysFault } from '../../core/client-errors.ts'
import { isSecretKey, type KeySet, type PresentedKey, readKeySet } from '../../keys/key-set.ts'
import { fetchKeySet, KeySetUnavailable, PublishedKeys } from '../../keys/published-keys.ts'
import type { VerificationKey } from '../../keys/verification-key.ts'
import type { ReadDocument } from '../../outbound/document-cache.ts'
import type { GetDocument } from '../../outbound/public-get.ts'
import type { Client } from '../record/client-record.ts'
import { MAX_KEYS } from '../record/key-fields.ts'

/** The part of a client that says where its keys are, and who wrote that. */
export type KeyHolder = Pick<
  Client,
  'jwks' | 'jwks_uri' | 'keys_refreshed_at' | 'registered_at' | 'document_host'
>

/** A client whose keys are asked for because of a request. */
export type NamedKeyHolder = KeyHolder & Pick<Client, 'client_id'>

/** Whether a client described itself, so that the addresses in its record are those of a stranger. */
export function describedItself({
  registered_at,
  document_host,
}: Pick<Client, 'registered_at' | 'document_host'>): boolean {
  return registered_at !== undefined || document_host !== undefined
}

/** How the two kinds of clients have their key sets fetched. */
export interface KeyFetching {
  /** For clients that operators registered. */
  readonly registered: GetDocument
  /** For clients that described themselves. */
  readonly described: GetDocument
}

/** Returns what fetches key sets. Only for clients of operators does it ask hosts of the private network. */
export function fetchClientKeys({
  issuer_private_hosts,
}: Pick<Settings, 'issuer_private_hosts'>): KeyFetching {
  return { registered: fetchKeySet(issuer_private_hosts), described: fetchKeySet([]) }
}

/**
 * The keys of clients (RFC 7591 §2). Requests without valid credentials cause at most one fetch a minute of a key set
 * that is cached, and fetches of other key sets within a budget for each host and minute. Clients that described
 * themselves have budgets of their own, so that strangers cannot use up those of the operator's clients.
 */
export class ClientKeys {
  readonly #registered: PublishedKeys
  readonly #described: PublishedKeys

  /** @param now milliseconds since 1970 */
  constructor({ registered, described }: KeyFetching, now: () => number) {
    this.#registered = new PublishedKeys(registered, now, readPublic)
    this.#described = new PublishedKeys(described, now, readPublic)
  }

  /**
   * Returns the key of a client for a header with this `kid` and `alg`; undefined if it has none. A header without `kid`
   * means the only key that there is for the algorithm.
   * @throws KeySetUnavailable
   */
  async find(
    client: KeyHolder,
    kid: string | undefined,
    alg: SigningAlg,
  ): Promise<VerificationKey | undefined> {
    const { jwks, jwks_uri, keys_refreshed_at } = client
    const keys = describedItself(client) ? this.#described : this.#registered
    if (jwks !== undefined) return keys.findGiven(jwks, kid, alg)
    return jwks_uri === undefined ? undefined : await keys.find(jwks_uri, kid, alg, keys_refreshed_at)
  }

  /**
   * Returns the key of a client that a certificate certifies (RFC 8705 §2.2.2); undefined if it has none.
   * @throws KeySetUnavailable
   */
  async findCertified(client: KeyHolder, presented: PresentedKey): Promise<VerificationKey | undefined> {
    const { jwks, jwks_uri, keys_refreshed_at } = client
    const keys = describedItself(client) ? this.#described : this.#registered
    if (jwks !== undefined) return keys.findGivenCertified(jwks, presented)
    return jwks_uri === undefined
      ? undefined
      : await keys.findCertified(jwks_uri, presented, keys_refreshed_at)
  }
}

/**
 * Returns the key of a client that something which it signed names, as ClientKeys.find.
 * @throws OAuthError `temporarily_unavailable` if its keys cannot be fetched
 */
export async function findClientKey(
  keys: Pick<ClientKeys, 'find'>,
  client: NamedKeyHolder,
  kid: string | undefined,
  alg: SigningAlg,
): Promise<VerificationKey | undefined> {
  try {
    return await keys.find(client, kid, alg)
  } catch (error) {
    if (!(error instanceof KeySetUnavailable)) throw error
    throw clientKeysUnavailable(error.message, { client_id: client.client_id, code: error.code })
  }
}

/** Why a client has no key for a request. */
export interface NoKey {
  /** For the log. */
  readonly problem: string
  /** Its keys cannot be fetched: it made no mistake. */
  readonly away?: KeysFault
}

/**
 * Returns the key of a client that a request authenticates by, or why it does not, for operators. Only the client
 * learns that its keys cannot be fetched: a stranger gets the same answer as about an unknown client.
 * @param isProvedBy whether the request was made with a key
 * @param absent the reason if there is no key
 * @throws OAuthError `temporarily_unavailable` if its keys cannot be fetched, and it has the one that was fetched last
 */
export async function findOwnKey(
  { client_id }: NamedKeyHolder,
  found: Promise<VerificationKey | undefined>,
  isProvedBy: (key: VerificationKey) => boolean,
  absent: string,
): Promise<VerificationKey | NoKey> {
  try {
    return (await found) ?? { problem: absent }
  } catch (error) {
    if (!(error instanceof KeySetUnavailable)) throw error
    const { message, code, last_key } = error
    const away = { client_id, code }
    if (last_key !== undefined && isProvedBy(last_key)) throw clientKeysUnavailable(message, away)
    return { problem: message, away }
  }
}

const readPublic: ReadDocument<KeySet> = (document) => {
  const { keys } = document
  // Anybody who can read the key set could sign as the client.
  if (Array.isArray(keys) && keys.some(isSecretKey)) {
    return { ok: false, problem: 'has a private or a symmetric key' }
  }
  // To import a key takes time, and strangers choose how many there are.
  if (Array.isArray(keys) && keys.length > MAX_KEYS) {
    return { ok: false, problem: `has more than ${MAX_KEYS} keys` }
  }
  const value = readKeySet(document)
  return value === undefined
    ? { ok: false, problem: 'is not a key set with a key that can be used' }
    : { ok: true, value }
}
