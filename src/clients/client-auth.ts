import { createHash, timingSafeEqual } from 'node:crypto'
import { invalidClient, invalidRequest, OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { formDecode, type Parameters } from '../core/parameters.ts'
import { present } from '../core/present.ts'
import type { Client } from './client-record.ts'
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
  /** An IPv4 address, or the network of an IPv6 address. */
  address(): string
  /** Counts a failure under a name. @throws StorageUnavailable */
  countFailure(name: string): Promise<FailureCount>
}

/** How a client identifies itself. A public client sends no `client_secret` (authentication method `none`). */
export interface ClientCredentials {
  client_id: ClientId
  client_secret?: string
}

/** What it takes to authenticate a client. */
export interface ClientAuthContext {
  readonly clients: Pick<ClientRegistry, 'cached' | 'read'>
  readonly failures: Pick<FailureLimit, 'judge'>
}

// Compared against where there is nothing to compare with, so that the answer takes the same time.
const NO_SECRET_HASH = Buffer.alloc(32)

/**
 * Returns the client credentials of a request (RFC 6749 §2.3).
 * @throws OAuthError `invalid_request` if the request uses two methods or names two clients, `invalid_client` if it has
 * no credentials, or its Basic credentials are malformed or name no client
 */
export function readClientCredentials(
  basic: BasicCredentials | undefined,
  parameters: Parameters,
): ClientCredentials {
  const { client_id, client_secret } = parameters
  if (basic === undefined) {
    if (client_id === undefined) throw invalidClient('no client credentials in the request')
    return present({ client_id, client_secret })
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
 * Authenticates the client of a request. An unknown client and a wrong secret cost the same: two comparisons, one count
 * of the failure, and one read of the record, by which a secret that has just been changed is accepted.
 * @throws OAuthError `invalid_client`, or as readClientCredentials and FailureLimit do; StorageUnavailable
 */
export async function authenticateClient(
  { clients, failures }: ClientAuthContext,
  caller: Caller,
  parameters: Parameters,
): Promise<Client> {
  const credentials = readClientCredentials(caller.basic, parameters)
  const { client_id } = credentials
  return failures.judge({
    client_id,
    address: () => caller.address(),
    guesses: credentials.client_secret !== undefined,
    quick() {
      const cached = clients.cached(client_id)
      return proves(credentials, cached) ? cached : undefined
    },
    async thorough() {
      const client = await clients.read(client_id)
      if (proves(credentials, client)) return client
      throw invalidClient(client === undefined ? 'unknown client' : 'wrong credentials')
    },
    count: (name) => caller.countFailure(name),
  })
}

function proves({ client_secret }: ClientCredentials, client: Client | undefined): client is Client {
  const digest = createHash('sha256')
    .update(client_secret ?? '')
    .digest()
  const stored = client?.client_secret_hash
  const same = timingSafeEqual(digest, stored === undefined ? NO_SECRET_HASH : Buffer.from(stored, 'base64'))
  if (client === undefined) return false
  // RFC 6749 §2.1: a public client has no secret, so a request with a secret is not from one.
  return client.is_public
    ? client_secret === undefined
    : client_secret !== undefined && stored !== undefined && same
}
