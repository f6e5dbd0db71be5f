import { isHttpsUrl } from '../config/page-links.ts'
import type { SigningAlg } from '../core/algs.ts'
import { KEY_SET_LIMITS, KeySetUnavailable, PublishedKeys } from '../keys/published-keys.ts'
import type { VerificationKey } from '../keys/verification-key.ts'
import { DocumentCache, type ReadDocument } from '../outbound/document-cache.ts'
import type { GetDocument } from '../outbound/public-get.ts'
import type { Issuer } from './issuer-record.ts'

/** The part of an issuer that says where its keys are. */
type KeySource = Pick<Issuer, 'issuer' | 'jwks_uri' | 'jwks'>

const DISCOVERY = '/.well-known/openid-configuration'

/** The key sets of trusted issuers, and the addresses that discovery gave for issuers whose records name none. */
export class KeySets {
  readonly #addresses: DocumentCache<string>
  readonly #keys: PublishedKeys

  /** @param now milliseconds since 1970 */
  constructor(get: GetDocument, now: () => number) {
    this.#addresses = new DocumentCache(get, readDiscovery, KEY_SET_LIMITS, now)
    this.#keys = new PublishedKeys(get, now)
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
    if (source.jwks !== undefined) return this.#keys.findGiven(source.jwks, kid, alg)
    return await this.#keys.find(source.jwks_uri ?? (await this.#discover(source.issuer)), kid, alg)
  }

  async #discover(issuer: string): Promise<string> {
    // OpenID Connect Discovery §4.
    const url = issuer.replace(/\/$/, '') + DISCOVERY
    const found = await this.#addresses.find(url, 'meanwhile')
    if (found.ok) return found.value
    throw new KeySetUnavailable(`the document ${url}`, found)
  }
}

const readDiscovery: ReadDocument<string> = ({ issuer, jwks_uri }, url) => {
  // §4.3: otherwise one issuer could speak for another.
  const is_own = typeof issuer === 'string' && issuer.replace(/\/$/, '') + DISCOVERY === url
  if (!is_own) return { ok: false, problem: 'is of another issuer' }
  return typeof jwks_uri === 'string' && isHttpsUrl(jwks_uri)
    ? { ok: true, value: jwks_uri }
    : { ok: false, problem: 'has no jwks_uri with an https URL' }
}
