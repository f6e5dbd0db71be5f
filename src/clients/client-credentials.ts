import { invalidClient } from '../core/client-errors.ts'
import { invalidRequest, OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { formDecode, type Parameters } from '../core/parameters.ts'

/** User name and password of an HTTP Basic header, still form-encoded. */
export interface BasicCredentials {
  username: string
  password: string
}

/** How a client identifies itself. A public client sends no `client_secret` (authentication method `none`). */
export interface ClientCredentials {
  client_id: ClientId
  client_secret?: string
}

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
