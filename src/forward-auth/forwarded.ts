import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import { originOfHost } from '../clients/record/forward-auth-fields.ts'
import type { Settings } from '../config/settings.ts'
import { ROOT_PATHS } from '../core/paths.ts'
import { isUrl } from '../core/uri.ts'

/** The application that a proxy asks for. */
export interface ForwardedApplication {
  readonly host: string
  readonly origin: string
  readonly client: Client
}

/** What is needed to find an application. */
export interface ApplicationContext {
  readonly clients: Pick<ClientRegistry, 'find' | 'cached'>
  readonly settings: Pick<Settings, 'forward_auth_clients'>
}

/** A header of a request: the values of one that is repeated are an array, or joined by commas. */
export type HeaderValue = string | readonly string[] | undefined

// As long as a request line may be.
const MAX_TARGET = 8192

/**
 * Returns the application at the host that a proxy names; undefined if it is that of no client of FORWARD_AUTH_CLIENTS,
 * or not one host. The name of the host alone gives nothing: the user shows a cookie that is bound to it.
 * @throws StorageUnavailable
 */
export async function findApplication(
  { clients, settings }: ApplicationContext,
  given: HeaderValue,
): Promise<ForwardedApplication | undefined> {
  if (typeof given !== 'string') return undefined
  const host = withoutDefaultPort(given.toLowerCase())
  const origin = originOfHost(host)
  if (origin === undefined) return undefined
  const ids = settings.forward_auth_clients
  const has = (client: Client | undefined) => client?.forward_auth_hosts?.includes(host)
  // One that is missing or disabled is in no cache: it costs nothing unless nobody else has the host.
  const known = ids.map((id) => clients.cached(id)).find(has)
  const client = known ?? (await Promise.all(ids.map((id) => clients.find(id)))).find(has)
  return client && { host, origin, client }
}

function withoutDefaultPort(host: string): string {
  return host.replace(/^([^:]+|\[[^\]]*\]):(443|80)$/, (given, name: string, port: string) => {
    const is_default = originOfHost(name)?.startsWith(port === '443' ? 'https:' : 'http:')
    return is_default === true ? name : given
  })
}

/**
 * Returns the path and query to come back to; the root for one that is missing, too long, or would leave the
 * application.
 */
export function targetOf({ origin }: Pick<ForwardedApplication, 'origin'>, given: HeaderValue): string {
  if (typeof given !== 'string' || !/^\/[\x21-\x5B\x5D-\x7E]*$/.test(given)) return '/'
  if (given.length > MAX_TARGET || !isUrl(origin + given)) return '/'
  const { pathname } = new URL(origin + given)
  return pathname.startsWith(ROOT_PATHS.forward_callback) ? '/' : given
}

/**
 * Whether a request asks on behalf of a page of another origin what it may send: without credentials (Fetch,
 * CORS-preflight).
 */
export function isPreflight(method: HeaderValue, origin: HeaderValue, asked: HeaderValue): boolean {
  return method === 'OPTIONS' && typeof origin === 'string' && typeof asked === 'string'
}

/** Whether a person opened a page: everything else could not show the pages of a sign-in. */
export function isPageRequest(method: HeaderValue, accept: HeaderValue, mode: HeaderValue): boolean {
  return (
    method === 'GET' &&
    typeof accept === 'string' &&
    /(^|,)\s*text\/html\s*(;|,|$)/i.test(accept) &&
    (mode === undefined || mode === 'navigate')
  )
}
