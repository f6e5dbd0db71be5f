import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { appleAuthentication } from './apple.ts'
import { CLOCK_TOLERANCE } from './id-token-times.ts'
import { ProviderKeys } from './provider-keys.ts'
import type { Provider } from './provider-record.ts'
import type { ProviderStep } from './upstream.ts'

/** redmint as the client of a provider. */
export interface RelyingParty {
  readonly client: typeof import('openid-client')
  readonly configuration: Configuration
  /**
   * Does something with a configuration that checks signatures with the keys of the provider, read again where one is
   * unknown.
   * @param asking is told what the provider is asked for
   * @throws what it throws
   */
  withKeys<T>(
    act: (configuration: Configuration) => Promise<T>,
    asking?: (step: ProviderStep) => void,
  ): Promise<T>
}

/** Seconds for each request to a provider. */
const TIMEOUT = 5

/** How redmint authenticates at the token endpoint of a provider with a secret. */
export type TokenAuthMethod = NonNullable<Provider['token_endpoint_auth_method']>

/**
 * Reads the discovery document of a provider. The signature of its id_tokens is always checked, also of those that come
 * from its token endpoint.
 * @param secret what the provider gave redmint; absent: redmint is a public client there
 * @param now milliseconds since 1970
 * @throws any error of the fetch and of openid-client
 */
export async function discover(
  fetch: GuardedFetch,
  provider: Provider,
  secret: string | undefined,
  now: () => number,
): Promise<RelyingParty> {
  const client = await import('openid-client')
  const { issuer, client_id } = provider
  const authentication = authenticationOf(client, provider, secret, now)
  const about_us = { [client.clockTolerance]: CLOCK_TOLERANCE }
  const configuration = await client.discovery(new URL(issuer), client_id, about_us, authentication, {
    [client.customFetch]: fetch as (url: string, init: object) => Promise<Response>,
    timeout: TIMEOUT,
  })
  const keys = new ProviderKeys(client, fetch, now)
  const withKeys: RelyingParty['withKeys'] = (act, asking = () => {}) => {
    const own = new client.Configuration(configuration.serverMetadata(), client_id, about_us, authentication)
    own.timeout = TIMEOUT
    return keys.use(own, act, asking)
  }
  return { client, configuration, withKeys }
}

/**
 * Returns how redmint authenticates at the token endpoint: as the record says; else by Basic, unless the provider names
 * the form and not that (OpenID Connect Discovery §3, RFC 6749 §2.3.1).
 */
export function tokenAuthOf(
  { token_endpoint_auth_method: set }: Pick<Provider, 'token_endpoint_auth_method'>,
  {
    token_endpoint_auth_methods_supported: named,
  }: Pick<ServerMetadata, 'token_endpoint_auth_methods_supported'>,
): TokenAuthMethod {
  if (set !== undefined) return set
  const takes = (method: TokenAuthMethod) => Array.isArray(named) && named.includes(method)
  return takes('client_secret_post') && !takes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic'
}

function authenticationOf(
  client: RelyingParty['client'],
  provider: Provider,
  secret: string | undefined,
  now: () => number,
): ClientAuth {
  if (secret === undefined) return client.None()
  if (provider.kind === 'apple') return appleAuthentication(provider, secret, now)
  // Basic credentials are form-encoded (RFC 6749 §2.3.1).
  const by = {
    client_secret_basic: client.ClientSecretBasic(secret),
    client_secret_post: client.ClientSecretPost(secret),
  }
  return (server, ...more) => by[tokenAuthOf(provider, server)](server, ...more)
}
