import type { Configuration, ExportedJWKSCache } from 'openid-client'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import type { ProviderStep } from './upstream.ts'

/** How long a key set is used, in milliseconds. */
const FRESH = 300_000
/** The time between two fetches for a key that is unknown, in milliseconds. */
const SEARCH_INTERVAL = 60_000
/** From which age on openid-client looks for an unknown key in a key set that it is given, in seconds. */
const SEARCHED_FROM = 60

type Keys = typeof import('openid-client')

/**
 * The key set of a provider. An unknown `kid` has it read again, once and then not for a minute, whatever was read
 * before: openid-client counts the first read, too, so that it gets the key set for one sign-in at a time.
 */
export class ProviderKeys {
  readonly #client: Keys
  readonly #fetch: GuardedFetch
  readonly #now: () => number
  #kept: { readonly jwks: ExportedJWKSCache['jwks']; readonly fetched_at: number } | undefined
  #searched_at = Number.NEGATIVE_INFINITY
  #fetching: Promise<() => Response> | undefined

  /** @param now milliseconds since 1970 */
  constructor(client: Keys, fetch: GuardedFetch, now: () => number) {
    this.#client = client
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * Does something with a configuration that nobody else has, which checks signatures with this key set.
   * @param asking is told what the provider is asked for
   * @throws what it throws
   */
  async use<T>(
    configuration: Configuration,
    act: (configuration: Configuration) => Promise<T>,
    asking: (step: ProviderStep) => void,
  ): Promise<T> {
    const { jwks_uri, userinfo_endpoint } = configuration.serverMetadata()
    let has_fetched = false
    configuration[this.#client.customFetch] = (async (url: string, init: Parameters<GuardedFetch>[1]) => {
      if (url !== jwks_uri) {
        asking(url === userinfo_endpoint ? 'userinfo' : 'token')
        return this.#fetch(url, init)
      }
      asking('keys')
      has_fetched = true
      return this.#read(url, init)
    }) as (url: string, init: object) => Promise<Response>
    this.#client.enableNonRepudiationChecks(configuration)
    const known = this.#known()
    if (known !== undefined) {
      const age = this.#maySearch() ? SEARCHED_FROM : 0
      this.#client.setJwksCache(configuration, { jwks: known, uat: Math.floor(Date.now() / 1000) - age })
    }
    try {
      return await act(configuration)
    } finally {
      const read = has_fetched ? this.#client.getJwksCache(configuration) : undefined
      if (read !== undefined) this.#kept = { jwks: read.jwks, fetched_at: this.#now() }
      if (read !== undefined && known !== undefined) this.#searched_at = this.#now()
    }
  }

  #known(): ExportedJWKSCache['jwks'] | undefined {
    const { jwks, fetched_at } = this.#kept ?? { fetched_at: 0 }
    return Math.abs(this.#now() - fetched_at) < FRESH ? jwks : undefined
  }

  #maySearch(): boolean {
    return Math.abs(this.#now() - this.#searched_at) >= SEARCH_INTERVAL
  }

  /** All who come at the same time share one request. */
  async #read(url: string, init: Parameters<GuardedFetch>[1]): Promise<Response> {
    this.#fetching ??= this.#load(url, init).finally(() => {
      this.#fetching = undefined
    })
    return (await this.#fetching)()
  }

  async #load(url: string, init: Parameters<GuardedFetch>[1]): Promise<() => Response> {
    const response = await this.#fetch(url, init)
    const { status, headers } = response
    const text = await response.text()
    return () => new Response(text, { status, headers })
  }
}
