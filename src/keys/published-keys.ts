import { LRUCache } from 'lru-cache'
import type { SigningAlg } from '../core/algs.ts'
import { parseObject } from '../core/json.ts'
import { DocumentCache, type DocumentCacheLimits, type ReadDocument } from '../outbound/document-cache.ts'
import {
  describeFailure,
  type FetchFailure,
  failureCode,
  type GetDocument,
  getPublicly,
} from '../outbound/public-get.ts'
import { type KeySet, type PresentedKey, readKeySet } from './key-set.ts'
import type { VerificationKey } from './verification-key.ts'

/** The keys of another party cannot be fetched. The message is for the log. */
export class KeySetUnavailable extends Error {
  override readonly name = 'KeySetUnavailable'
  /** The key that was searched, as it was fetched last: it counts no more, but who has it is the other party. */
  readonly last_key: VerificationKey | undefined
  /** Why, as refusals say it. */
  readonly code: string

  /** @param document what cannot be fetched: "the key set …" */
  constructor(document: string, failure: FetchFailure, last_key?: VerificationKey) {
    super(`${document} ${describeFailure(failure)}`)
    this.code = failureCode(failure)
    this.last_key = last_key
  }
}

// Azure publishes certificates with its keys.
const MAX_BYTES = 64 * 1024
const MEDIA_TYPES = ['application/json', 'application/jwk-set+json']
/** How many characters of key sets in records are kept parsed. */
const MAX_GIVEN = 4 * 1024 * 1024

/** The limits for key sets, and for the documents that name them. A withdrawn key set is used for two hours at most. */
export const KEY_SET_LIMITS: DocumentCacheLimits = {
  min_fresh: 300,
  max_fresh: 3600,
  default_fresh: 600,
  max_stale: 3600,
  // How often an unknown kid causes a fetch.
  retry_interval: 60,
  max_size: 8 * 1024 * 1024,
  places: { concurrency: 16, renewals: 64, per_host: 2 },
  per_host: 6,
  per_minute: 120,
}

/** Returns what fetches key sets: only from hosts with public addresses, and from those that the operator names. */
export function fetchKeySet(private_hosts: readonly string[]): GetDocument {
  return (url) => {
    const { host } = new URL(url)
    const allow_private = private_hosts.includes(host)
    return getPublicly(url, { allow_private, media_types: MEDIA_TYPES, max_bytes: MAX_BYTES })
  }
}

const readUsable: ReadDocument<KeySet> = (document) => {
  const value = readKeySet(document)
  return value === undefined
    ? { ok: false, problem: 'is not a key set with a key that can be used' }
    : { ok: true, value }
}

/**
 * The key sets of other parties. They are fetched again in the background when they are not fresh any more, and once
 * for an unknown key, but then not for a minute.
 */
export class PublishedKeys {
  readonly #fetched: DocumentCache<KeySet>
  /** The key sets that records hold, by their text. */
  readonly #given = new LRUCache<string, KeySet>({
    maxSize: MAX_GIVEN,
    sizeCalculation: (_, jwks) => jwks.length,
  })

  /**
   * @param now milliseconds since 1970
   * @param read reads a key set that was fetched
   */
  constructor(get: GetDocument, now: () => number, read: ReadDocument<KeySet> = readUsable) {
    this.#fetched = new DocumentCache((place) => get(uriOf(place)), read, KEY_SET_LIMITS, now)
  }

  /** Returns the key for a header in a key set that a record holds as JSON; undefined if it has none. */
  findGiven(jwks: string, kid: string | undefined, alg: SigningAlg): VerificationKey | undefined {
    return this.#read(jwks)?.find(kid, alg)
  }

  /** Returns the key of a certificate in a key set that a record holds as JSON; undefined if it has none. */
  findGivenCertified(jwks: string, presented: PresentedKey): VerificationKey | undefined {
    return this.#read(jwks)?.findCertified(presented)
  }

  /**
   * Returns the key for a header in the key set at a URI without fragment; undefined if it has none.
   * @param version if it differs from the one before, the key set that was fetched before is not used any more
   * @throws KeySetUnavailable
   */
  async find(
    uri: string,
    kid: string | undefined,
    alg: SigningAlg,
    version = '',
  ): Promise<VerificationKey | undefined> {
    return await this.#search(uri, version, (keys) => keys.find(kid, alg))
  }

  /** Returns the key of a certificate in the key set at a URI, as `find`. @throws KeySetUnavailable */
  async findCertified(
    uri: string,
    presented: PresentedKey,
    version = '',
  ): Promise<VerificationKey | undefined> {
    return await this.#search(uri, version, (keys) => keys.findCertified(presented))
  }

  #read(jwks: string): KeySet | undefined {
    const keys = this.#given.get(jwks) ?? readKeySet(parseObject(jwks) ?? {})
    if (keys !== undefined) this.#given.set(jwks, keys)
    return keys
  }

  async #search(
    uri: string,
    version: string,
    findIn: (keys: KeySet) => VerificationKey | undefined,
  ): Promise<VerificationKey | undefined> {
    const place = `${uri}#${version}`
    const before = this.#fetched.last(place)
    const found = await this.#fetched.find(place, 'meanwhile')
    if (!found.ok) {
      const last = this.#fetched.last(place)
      throw new KeySetUnavailable(`the key set ${uri}`, found, last && findIn(last))
    }
    const key = findIn(found.value)
    // Another fetch would find no more in what was fetched for this very search.
    if (key !== undefined || found.value !== before) return key
    const fetched = await this.#fetched.refetch(place)
    return fetched.ok ? findIn(fetched.value) : undefined
  }
}

const uriOf = (place: string) => place.slice(0, place.indexOf('#'))
