import { timingSafeEqual } from 'node:crypto'
import { invalidClient, invalidRequest, OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { formDecode, type Parameters } from '../core/parameters.ts'
import { type Client, secretHash } from './client-record.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { FailureCount, FailureLimit } from './failure-limit.ts'

/** User name and password of an HTTP Basic header, still form-encoded. */
export interface BasicCredentials {
  username: string
  password: string
}

/** The sender of a request. */
export interface Caller {
  /** The credentials of an Authorization header of the Basic scheme. */
  readonly basic: BasicCredentials | undefined
  /** Returns the IPv4 address, or the network of the IPv6 address. */
  address(): string
  /** Counts a failed authentication under a name. @throws StorageUnavailable */
  countFailure(name: string): Promise<FailureCount>
}

/** How a client identifies itself. A public client sends no `client_secret` (authentication method `none`). */
export interface ClientCredentials {
  client_id: ClientId
  client_secret?: string
}

/** The dependencies of client authentication. */
export interface ClientAuthContext {
  readonly clients: Pick<ClientRegistry, 'cached' | 'read'>
  readonly failures: Pick<FailureLimit, 'check'>
}

// Compared with if there is no stored hash, so that the response takes the same time.
const NO_SECRET_HASH = Buffer.alloc(32).toString('base64')

/**
 * Returns the client credentials of a request (RFC 6749 §2.3).
 * @throws OAuthError `invalid_request` if the request uses two authentication methods or two different client_ids,
 * `invalid_client` if it has no credentials, or its Basic credentials are malformed or have no client_id
 */
export function readClientCredentials(
  basic: BasicCredentials | undefined,
  parameters: Parameters,
): ClientCredentials {
  const { client_id, client_secret } = parameters
  if (basic === undefined) {
    if (client_id === undefined) throw invalidClient('no client credentials in the request')
    return client_secret === undefined ? { client_id } : { client_id, client_secret }
  }
  // RFC 6749 §2.3: not more than one authentication method in a request.
  if (client_secret !== undefined)
    throw invalidRequest('Authenticate by Basic or by client_secret, not by both.')
  const credentials = decodeBasic(basic)
  if (credentials.client_id === '') throw invalidClient('the Basic credentials name no client')
  if (client_id !== undefined && client_id !== credentials.client_id) {
    throw invalidRequest('client_id differs from the user name of the Basic credentials.')
  }
  return credentials
}

// RFC 6749 §2.3.1: client_id and secret are form-encoded before they become user name and password.
function decodeBasic({ username, password }: BasicCredentials): ClientCredentials {
  try {
    return { client_id: formDecode(username), client_secret: formDecode(password) }
  } catch (error) {
    throw error instanceof OAuthError ? invalidClient('the Basic credentials are not form-encoded') : error
  }
}

/**
 * Authenticates the client of a request. An unknown client and a wrong secret take the same steps: two comparisons, one
 * read of the record, so that a changed secret is accepted at once, and one count of the failure.
 * @throws OAuthError `invalid_client`, or as readClientCredentials and FailureLimit; StorageUnavailable
 */
export async function authenticateClient(
  { clients, failures }: ClientAuthContext,
  caller: Caller,
  parameters: Parameters,
): Promise<Client> {
  const credentials = readClientCredentials(caller.basic, parameters)
  const { client_id } = credentials
  return await failures.check({
    client_id,
    address: () => caller.address(),
    hasSecret: credentials.client_secret !== undefined,
    fromCache() {
      const cached = clients.cached(client_id)
      return areValid(credentials, cached) ? cached : undefined
    },
    async fromStorage() {
      const client = await clients.read(client_id)
      if (areValid(credentials, client)) return client
      throw invalidClient(client === undefined ? 'unknown client' : 'wrong credentials')
    },
    count: (name) => caller.countFailure(name),
  })
}

function areValid({ client_secret }: ClientCredentials, client: Client | undefined): client is Client {
  const stored = client?.client_secret_hash
  // A digest has one spelling in base64, and a record with another is malformed.
  const same = timingSafeEqual(
    Buffer.from(secretHash(client_secret ?? '')),
    Buffer.from(stored ?? NO_SECRET_HASH),
  )
  if (client === undefined) return false
  // RFC 6749 §2.1: a public client has no secret, so a request with one does not come from it.
  return client.is_public
    ? client_secret === undefined
    : client_secret !== undefined && stored !== undefined && same
}
