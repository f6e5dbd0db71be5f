import { LRUCache } from 'lru-cache'
import { isHttpsUrl } from '../config/page-links.ts'
import { parseObject } from '../core/json.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import type { VerificationKey } from '../keys/verification-key.ts'
import { DocumentCache, type DocumentCacheLimits, type ReadDocument } from '../outbound/document-cache.ts'
import { type GetDocument, getPublicly } from '../outbound/public-get.ts'
import type { Issuer } from './issuer-record.ts'
import { type KeySet, readKeySet } from './key-set.ts'

/** The part of an issuer that says where its keys are. */
type KeySource = Pick<Issuer, 'issuer' | 'jwks_uri' | 'jwks'>

/** The keys of an issuer cannot be fetched. The message is for the log. */
export class KeySetUnavailable extends Error {
  override readonly name = 'KeySetUnavailable'
}

// Azure publishes certificates with its keys.
const MAX_BYTES = 64 * 1024
const MEDIA_TYPES = ['application/json', 'application/jwk-set+json']
const DISCOVERY = '/.well-known/openid-configuration'

/** Both caches; a key set that an issuer withdraws is used for two hours at most. */
const LIMITS: DocumentCacheLimits = {
  min_fresh: 300,
  max_fresh: 3600,
  default_fresh: 600,
  max_stale: 3600,
  // How often an unknown kid causes a fetch.
  retry_interval: 60,
  max_size: 8 * 1024 * 1024,
  concurrency: 16,
  per_host: 6,
  per_minute: 120,
}

/** Returns the fetching of key sets: only of hosts with public addresses, and of those that the operator names. */
export function fetchKeySet(private_hosts: readonly string[]): GetDocument {
  return (url) => {
    const { host } = new URL(url)
    const allow_private = private_hosts.includes(host)
    return getPublicly(url, { allow_private, media_types: MEDIA_TYPES, max_bytes: MAX_BYTES })
  }
}

/**
 * The key sets of trusted issuers. They are fetched again in the background when they are not fresh any more, and once
 * for an unknown key, but then not for a minute.
 */
export class KeySets {
  readonly #addresses: DocumentCache<string>
  readonly #sets: DocumentCache<KeySet>
  /** The key sets that records hold, by their text. */
  readonly #given = new LRUCache<string, KeySet>({ max: 100 })

  /** @param now milliseconds since 1970 */
  constructor(get: GetDocument, now: () => number) {
    this.#addresses = new DocumentCache(get, readDiscovery, LIMITS, now)
    this.#sets = new DocumentCache(get, readFetched, LIMITS, now)
  }

  /**
   * Returns the key of an issuer for a header; undefined if its key set has none.
   * @throws KeySetUnavailable
   */
  async find(
    source: KeySource,
    kid: string | undefined,
    alg: SigningAlg,
  ): Promise<VerificationKey | undefined> {
    if (source.jwks !== undefined) return this.#read(source.jwks)?.find(kid, alg)
    const uri = source.jwks_uri ?? (await this.#discover(source.issuer))
    const found = await this.#sets.find(uri, 'meanwhile')
    if (!found.ok) throw new KeySetUnavailable(`the key set ${uri} ${found.problem}`)
    const key = found.value.find(kid, alg)
    if (key !== undefined) return key
    const fetched = await this.#sets.refetch(uri)
    return fetched.ok ? fetched.value.find(kid, alg) : undefined
  }

  #read(jwks: string): KeySet | undefined {
    const keys = this.#given.get(jwks) ?? readKeySet(parseObject(jwks) ?? {})
    if (keys !== undefined) this.#given.set(jwks, keys)
    return keys
  }

  async #discover(issuer: string): Promise<string> {
    // OpenID Connect Discovery §4.
    const url = issuer.replace(/\/$/, '') + DISCOVERY
    const found = await this.#addresses.find(url, 'meanwhile')
    if (found.ok) return found.value
    throw new KeySetUnavailable(`the document ${url} ${found.problem}`)
  }
}

const readFetched: ReadDocument<KeySet> = (document) => {
  const value = readKeySet(document)
  return value === undefined
    ? { ok: false, problem: 'is not a key set with a key that can be used' }
    : { ok: true, value }
}

const readDiscovery: ReadDocument<string> = ({ issuer, jwks_uri }, url) => {
  // §4.3: otherwise one issuer could speak for another.
  const isOwn = typeof issuer === 'string' && issuer.replace(/\/$/, '') + DISCOVERY === url
  if (!isOwn) return { ok: false, problem: 'is of another issuer' }
  return typeof jwks_uri === 'string' && isHttpsUrl(jwks_uri)
    ? { ok: true, value: jwks_uri }
    : { ok: false, problem: 'has no jwks_uri with an https URL' }
}
