import { ADMIN_PATH, API_PATH, CONSOLE_PATH, PATHS, ROOT_PATHS, SIGNALS_PATH } from './paths.ts'

/** What answers requests, as logs, metrics and explanations name it. */
export const ENDPOINTS = [
  'authorize',
  'par',
  'interaction',
  'token',
  'device_authorization',
  'device',
  'backchannel_authentication',
  'asked',
  'account',
  'link_pages',
  'revoke',
  'introspect',
  'global_revocation',
  'signals',
  'register',
  'userinfo',
  'logout',
  'admin',
  'console',
  'api',
  'webfinger',
  'forward_auth',
  'signal_streams',
  'other',
] as const

export type Endpoint = (typeof ENDPOINTS)[number]

/** What paths begin with, the longer ones first. */
const BEGINNINGS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  [PATHS.device_authorization, 'device_authorization'],
  [PATHS.authorize, 'authorize'],
  [PATHS.par, 'par'],
  [PATHS.interaction, 'interaction'],
  [PATHS.token, 'token'],
  [PATHS.device, 'device'],
  [PATHS.backchannel_authentication, 'backchannel_authentication'],
  [PATHS.asked, 'asked'],
  [PATHS.account, 'account'],
  [PATHS.forgot_password, 'link_pages'],
  [PATHS.reset_password, 'link_pages'],
  [PATHS.welcome, 'link_pages'],
  [PATHS.revoke, 'revoke'],
  [PATHS.introspect, 'introspect'],
  [PATHS.global_revocation, 'global_revocation'],
  [PATHS.signals, 'signals'],
  [PATHS.register, 'register'],
  [PATHS.userinfo, 'userinfo'],
  [PATHS.end_session, 'logout'],
  [ADMIN_PATH, 'admin'],
  [CONSOLE_PATH, 'console'],
  [API_PATH, 'api'],
  [ROOT_PATHS.webfinger, 'webfinger'],
  [SIGNALS_PATH, 'signal_streams'],
  [PATHS.forward_auth, 'forward_auth'],
  [ROOT_PATHS.forward_callback, 'forward_auth'],
]

/**
 * Returns the endpoint of a route.
 * @param route the pattern of its path, without that of the issuer
 */
export function endpointOf(route: string): Endpoint {
  const found = BEGINNINGS.find(([path]) => route === path || route.startsWith(`${path}/`))
  return found === undefined ? 'other' : found[1]
}
