import { invalidClient } from '../../core/client-errors.ts'
import { invalidRequest } from '../../core/errors.ts'
import type { ClientId } from '../../core/ids.ts'
import { formDecode, type Parameters } from '../../core/parameters.ts'

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
 * Returns the client credentials of a request (RFC 6749 §2.3); without client_id if it names no client. An empty secret
 * is an absent one, in the header as in the body.
 * @throws OAuthError `invalid_request` if the request has two secrets or two different client_ids, `invalid_client` if
 * its Basic credentials are malformed or have no client_id
 */
export function readClientCredentials(
  basic: BasicCredentials | undefined,
  { client_id, client_secret }: Parameters,
): Partial<ClientCredentials> {
  if (basic === undefined) {
    if (client_id === undefined) return client_secret === undefined ? {} : { client_secret }
    return client_secret === undefined ? { client_id } : { client_id, client_secret }
  }
  const inHeader = decodeBasic(basic)
  // RFC 6749 §2.3: not more than one authentication method in a request.
  if (client_secret !== undefined && inHeader.client_secret !== undefined)
    throw invalidRequest(
      'client_authentications_several',
      'Authenticate by Basic or by client_secret, not by both.',
      { received: { methods: ['Basic', 'client_secret'] }, expected: { methods: 1 } },
    )
  if (client_id !== undefined && client_id !== inHeader.client_id) {
    throw invalidRequest(
      'client_ids_differ',
      'client_id differs from the user name of the Basic credentials.',
      { received: { names: ['Authorization', 'client_id'] }, expected: { clients: 1 } },
    )
  }
  return client_secret === undefined ? inHeader : { client_id: inHeader.client_id, client_secret }
}

/** Whether the credentials name a client. */
export function nameClient(credentials: Partial<ClientCredentials>): credentials is ClientCredentials {
  return credentials.client_id !== undefined
}

// RFC 6749 §2.3.1: client_id and secret are form-encoded before they become user name and password.
function decodeBasic({ username, password }: BasicCredentials): ClientCredentials {
  const [client_id, client_secret] = [formDecode(username), formDecode(password)]
  if (client_id === undefined || client_secret === undefined) {
    throw invalidClient('client_credentials_malformed', 'the Basic credentials are not form-encoded')
  }
  if (client_id === '') throw invalidClient('client_unnamed', 'the Basic credentials name no client')
  return client_secret === '' ? { client_id } : { client_id, client_secret }
}
