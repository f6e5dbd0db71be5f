// Clients that push their authorization requests.
import { ASKS } from './accounts.ts'
import { type Answer, authorizationRequest, type Service } from './service.ts'

export const PAR = '/oauth2/par'
export const REQUEST_URI = 'urn:ietf:params:oauth:request_uri:'

type Overrides = Record<string, string | undefined>

/** Pushes a request of the client `shop`, with other values for some parameters. */
function pushRequest(
  { post }: Pick<Service, 'post'>,
  overrides: Overrides = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(PAR, authorizationRequest({ ...ASKS, ...overrides }), headers)
}

/** The address of an authorization request for a pushed request. */
export const pushedUrl = (request_uri: string, more: Record<string, string> = {}) =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: 'shop', request_uri, ...more })}`

/** Pushes a request and returns its request_uri. */
export async function requestUriOf(
  service: Pick<Service, 'post'>,
  overrides: Overrides = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, json, text } = await pushRequest(service, overrides, headers)
  if (status !== 201) throw new Error(`not pushed: ${status} ${text}`)
  return String(json.request_uri)
}
