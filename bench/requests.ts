// The texts of the requests of the client.
import { clientAssertion } from './assertion.ts'
import { requestText } from './connection.ts'
import { makeProof } from './proof.ts'
import type { User } from './user.ts'

export const SCOPE = 'openid api.read'
// RFC 7523 §2.2.
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The text of a request with the client's credentials. An assertion among them can be used once. */
export function asClient(
  { target, settings }: User,
  url: URL,
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): string {
  const { client_id, client_secret } = target.subject
  const post = (more: Record<string, string>) =>
    requestText(url, { headers, form: new URLSearchParams({ ...parameters, ...more }) })
  switch (settings.auth) {
    case 'post':
      return post({ client_id, client_secret })
    case 'private_key_jwt':
      return post({
        client_assertion_type: JWT_BEARER,
        client_assertion: clientAssertion(target.origin.origin),
      })
    case 'basic': {
      const pair = [client_id, client_secret].map(encodeURIComponent).join(':')
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
      return requestText(url, {
        headers: { ...headers, authorization },
        form: new URLSearchParams(parameters),
      })
    }
  }
}

/** A request for a token of the client. With an assertion or a DPoP proof it can be used once. */
export function tokenRequest(user: User, more: Record<string, string> = {}): string {
  const { proof_key, settings, target } = user
  const { token } = target.endpoints
  const form = { grant_type: 'client_credentials', scope: 'api.read', ...more }
  return asClient(user, token, form, settings.dpop && { dpop: makeProof(proof_key, 'POST', token) })
}

/** Returns what gives the requests for tokens of the client, one at a time. */
export function tokenRequests(user: User, more: Record<string, string> = {}): () => string {
  const { settings, signed } = user
  const make = () => tokenRequest(user, more)
  return settings.dpop || settings.auth === 'private_key_jwt' ? signed.prepare(make) : always(make())
}

/** Returns what gives the requests for a resource, one at a time. */
export function resourceRequests(
  { proof_key, settings, signed }: User,
  url: URL,
  access_token: string,
): () => string {
  if (!settings.dpop)
    return always(requestText(url, { headers: { authorization: `Bearer ${access_token}` } }))
  const authorization = `DPoP ${access_token}`
  return signed.prepare(() =>
    requestText(url, { headers: { authorization, dpop: makeProof(proof_key, 'GET', url, access_token) } }),
  )
}

export function introspectionRequest(
  user: User,
  token: string,
  headers: Record<string, string> = {},
): string {
  return asClient(user, user.target.endpoints.introspection, { token }, headers)
}

const always = (request: string) => () => request
