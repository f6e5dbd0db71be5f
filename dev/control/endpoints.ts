import type { FastifyRequest } from 'fastify'
import { pathOf } from '../../plugins/request-log.ts'
import type { Settings } from '../../src/config/settings.ts'
import { endpointOf } from '../../src/core/endpoints.ts'
import { PATHS, ROOT_PATHS, routePrefix } from '../../src/core/paths.ts'

/** What paths each endpoint has, by its name in the metadata of the server (RFC 8414 §2). */
const ENDPOINTS = {
  authorization: [PATHS.authorize],
  token: [PATHS.token],
  jwks: [PATHS.jwks],
  discovery: [PATHS.openid_configuration, ROOT_PATHS.oauth_metadata],
  userinfo: [PATHS.userinfo],
  introspection: [PATHS.introspect],
  revocation: [PATHS.revoke],
  pushed_authorization_request: [PATHS.par],
  device_authorization: [PATHS.device_authorization],
  registration: [PATHS.register],
  end_session: [PATHS.end_session],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** An endpoint, as the metadata names it. */
export type EndpointName = keyof typeof ENDPOINTS
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[]

/** Returns the endpoint that a request is for; undefined: none of the metadata. */
export function endpointNamed(
  settings: Pick<Settings, 'issuer' | 'proxy_strips_path'>,
  request: Pick<FastifyRequest, 'url'>,
): EndpointName | undefined {
  const path = belowIssuer(settings, pathOf(request))
  return ENDPOINT_NAMES.find((name) => (ENDPOINTS[name] as readonly string[]).includes(path))
}

/** Returns what the log calls the place that a request is for: its name in the metadata, or that of explanations. */
export function placeOf(
  settings: Pick<Settings, 'issuer' | 'proxy_strips_path'>,
  request: Pick<FastifyRequest, 'url'>,
): string {
  return endpointNamed(settings, request) ?? endpointOf(belowIssuer(settings, pathOf(request)))
}

function belowIssuer(settings: Pick<Settings, 'issuer' | 'proxy_strips_path'>, path: string): string {
  const prefix = routePrefix(settings)
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

/** What the paths of control begin with. */
export const DEV_PATH = '/dev'

/** Whether a request is one of control. */
export const isControl = ({ url }: Pick<FastifyRequest, 'url'>): boolean => {
  const path = pathOf({ url })
  return path === DEV_PATH || path.startsWith(`${DEV_PATH}/`)
}
