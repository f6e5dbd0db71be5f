import { LRUCache } from 'lru-cache'
import type { EncryptionAlg } from '../../core/algs.ts'
import { clientKeysUnavailable, noEncryptionKey } from '../../core/client-errors.ts'
import { parseObject } from '../../core/json.ts'
import { type EncryptionKey, readEncryptionKeys } from '../../keys/encryption-key.ts'
import { isSecretKey } from '../../keys/key-set.ts'
import { KEY_SET_LIMITS } from '../../keys/published-keys.ts'
import { DocumentCache, type ReadDocument } from '../../outbound/document-cache.ts'
import { describeFailure, failureCode } from '../../outbound/public-get.ts'
import { describedItself, type KeyFetching, type NamedKeyHolder } from './client-keys.ts'

/** How many characters of key sets in records (`jwks`) are kept parsed. */
const MAX_GIVEN = 4 * 1024 * 1024

/**
 * The keys of clients for the encryption of answers to them (OpenID Connect Core §10.2). They are kept apart from the
 * keys that verify signatures, because a key set may have keys of one kind only. Clients that described themselves have
 * budgets of their own, as in ClientKeys.
 */
export class EncryptionKeys {
  readonly #registered: DocumentCache<readonly EncryptionKey[]>
  readonly #described: DocumentCache<readonly EncryptionKey[]>
  readonly #given = new LRUCache<string, readonly EncryptionKey[]>({
    maxSize: MAX_GIVEN,
    sizeCalculation: (_, jwks) => jwks.length,
  })

  /** @param now milliseconds since 1970 */
  constructor({ registered, described }: KeyFetching, now: () => number) {
    const cacheOf = (get: KeyFetching['registered']) =>
      new DocumentCache((place) => get(uriOf(place)), readPublic, KEY_SET_LIMITS, now)
    this.#registered = cacheOf(registered)
    this.#described = cacheOf(described)
  }

  /**
   * Returns the first key in the key set of a client that is for an algorithm. A key set that is not fresh any more is
   * fetched first, so that a key is not used long after the client withdrew it (§10.2.1).
   * @throws OAuthError `temporarily_unavailable` if its keys cannot be fetched, `invalid_client_metadata` if it has no such
   * key
   */
  async demand(client: NamedKeyHolder, alg: EncryptionAlg): Promise<EncryptionKey> {
    const { jwks, jwks_uri } = client
    const key =
      jwks === undefined && jwks_uri !== undefined
        ? await this.#fetched(client, jwks_uri, alg)
        : firstFor(alg, this.#givenBy(jwks ?? ''))
    if (key === undefined) throw noEncryptionKey(alg)
    return key
  }

  async #fetched(
    client: NamedKeyHolder,
    jwks_uri: string,
    alg: EncryptionAlg,
  ): Promise<EncryptionKey | undefined> {
    const cache = describedItself(client) ? this.#described : this.#registered
    const place = `${jwks_uri}#${client.keys_refreshed_at ?? ''}`
    const before = cache.last(place)
    const found = await cache.find(place, 'on_error')
    if (!found.ok) {
      const { client_id } = client
      const cause = `the key set ${jwks_uri} ${describeFailure(found)}`
      throw clientKeysUnavailable(cause, { client_id, code: failureCode(found) })
    }
    const key = firstFor(alg, found.value)
    if (key !== undefined || found.value !== before) return key
    const fetched = await cache.refetch(place)
    return fetched.ok ? firstFor(alg, fetched.value) : undefined
  }

  #givenBy(jwks: string): readonly EncryptionKey[] {
    const keys = this.#given.get(jwks) ?? readEncryptionKeys(parseObject(jwks) ?? {})
    if (jwks !== '') this.#given.set(jwks, keys)
    return keys
  }
}

const uriOf = (place: string) => place.slice(0, place.indexOf('#'))

const firstFor = (alg: EncryptionAlg, keys: readonly EncryptionKey[]) => keys.find((key) => key.alg === alg)

const readPublic: ReadDocument<readonly EncryptionKey[]> = (document) => {
  const { keys } = document
  // Anybody who can read the key set could decrypt what is for the client.
  if (Array.isArray(keys) && keys.some(isSecretKey)) {
    return { ok: false, problem: 'has a private or a symmetric key' }
  }
  return { ok: true, value: readEncryptionKeys(document) }
}
