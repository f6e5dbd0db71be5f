import type { ClientAuth, Configuration } from 'openid-client'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { appleAuthentication } from './apple.ts'
import type { Provider } from './provider-record.ts'

/** redmint as the client of a provider. */
export interface RelyingParty {
  readonly client: typeof import('openid-client')
  readonly configuration: Configuration
}

/** Seconds for each request to a provider. */
const TIMEOUT = 5

/** By how many seconds the clock of a provider may be off. */
const CLOCK_TOLERANCE = 30

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
  const configuration = await client.discovery(
    new URL(issuer),
    client_id,
    { [client.clockTolerance]: CLOCK_TOLERANCE },
    authentication,
    {
      [client.customFetch]: fetch as (url: string, init: object) => Promise<Response>,
      execute: [client.enableNonRepudiationChecks],
      timeout: TIMEOUT,
    },
  )
  return { client, configuration }
}

function authenticationOf(
  client: RelyingParty['client'],
  provider: Provider,
  secret: string | undefined,
  now: () => number,
): ClientAuth {
  if (secret === undefined) return client.None()
  return provider.kind === 'apple'
    ? appleAuthentication(provider, secret, now)
    : client.ClientSecretPost(secret)
}
