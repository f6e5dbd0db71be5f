import { ADMIN_PATH, PATHS } from '../../src/core/paths.ts'
import { isPlainHttp } from '../../src/core/uri.ts'
import { fetchObject, send } from '../../src/outbound/operator-fetch.ts'
import { Refusal } from '../errors.ts'
import { listOf } from '../mcp/document.ts'

/** Where to get tokens for the API of a server. */
export interface Places {
  readonly device_authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  /** What the tokens are for. */
  readonly resource: string
  /** The scopes that the API knows. */
  readonly scopes: readonly string[]
}

const METADATA = /resource_metadata="([^"]+)"/

/**
 * Asks a server where to get tokens for its API (RFC 9728 §5, RFC 8414).
 * @param issuer the issuer of the servers, whose tokens are then sent to this server
 * @throws Refusal if it has no API, is of another issuer, or the answers are incomplete; Error with the address that does
 * not answer
 */
export async function findPlaces(server: string, issuer: string): Promise<Places> {
  const api = `${server}${ADMIN_PATH}/server`
  const response = await send(api, { headers: { accept: 'application/json' } })
  await response.body?.cancel()
  const [, metadata] = METADATA.exec(response.headers.get('www-authenticate') ?? '') ?? []
  if (response.status !== 401 || metadata === undefined) {
    throw new Refusal(
      `${api} answers ${response.status}: the server has no admin API. Set ADMIN_API=on there.`,
    )
  }
  const { resource, authorization_servers, scopes_supported } = await fetchObject(metadata)
  const [issued_by] = listOf(authorization_servers) ?? []
  // RFC 9728 §3.3 and §7.3: another server could collect tokens that are for this API.
  if (resource !== issuer + ADMIN_PATH || issued_by !== issuer) {
    const other = typeof issued_by === 'string' ? issued_by : 'another server'
    throw new Refusal(
      `The API at ${server} takes tokens of ${other}. If tokens of it may be sent to ${server}, give --issuer ${other}.`,
    )
  }
  const discovery = `${issuer}${PATHS.openid_configuration}`
  const found = await fetchObject(discovery)
  const { device_authorization_endpoint, token_endpoint, revocation_endpoint } = found
  const is_usable =
    isSafe(device_authorization_endpoint) && isSafe(token_endpoint) && isSafe(revocation_endpoint)
  if (found.issuer !== issuer || !is_usable)
    throw new Refusal(`${discovery} does not say where tokens of ${issuer} are issued.`)
  const scopes = listOf(scopes_supported) ?? []
  return { device_authorization_endpoint, token_endpoint, revocation_endpoint, resource, scopes }
}

function isSafe(address: unknown): address is string {
  return typeof address === 'string' && /^https?:/.test(address) && !isPlainHttp(address)
}
