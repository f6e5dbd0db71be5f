import { ADMIN_PATH } from '../../src/core/paths.ts'
import { PATHS } from '../../src/core/paths.ts'
import { isPlainHttp } from '../../src/core/uri.ts'
import { fetchObject, send } from '../../src/outbound/operator-fetch.ts'
import { Refusal } from '../errors.ts'
import { listOf } from '../mcp/document.ts'

/** Where to get tokens for the API of a server. */
export interface Places {
  readonly issuer: string
  readonly device_authorization_endpoint: string
  readonly token_endpoint: string
  /** What the tokens are for. */
  readonly resource: string
  /** The scopes that the API knows. */
  readonly scopes: readonly string[]
}

const METADATA = /resource_metadata="([^"]+)"/

/**
 * Asks a server where to get tokens for its API (RFC 9728 §5, RFC 8414).
 * @throws Refusal if it has no API, or the answers are incomplete; Error with the address that does not answer
 */
export async function findPlaces(server: string): Promise<Places> {
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
  const [issuer] = listOf(authorization_servers) ?? []
  if (issuer === undefined || typeof resource !== 'string') throw incomplete(metadata)
  const discovery = `${issuer}${PATHS.openid_configuration}`
  const found = await fetchObject(discovery)
  const { device_authorization_endpoint, token_endpoint } = found
  if (found.issuer !== issuer || !isSafe(device_authorization_endpoint) || !isSafe(token_endpoint))
    throw incomplete(discovery)
  const scopes = listOf(scopes_supported) ?? []
  return { issuer, device_authorization_endpoint, token_endpoint, resource, scopes }
}

function isSafe(address: unknown): address is string {
  return typeof address === 'string' && /^https?:/.test(address) && !isPlainHttp(address)
}

const incomplete = (address: string) => new Refusal(`${address} does not say where tokens are issued.`)
