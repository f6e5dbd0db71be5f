/** Everything below it needs an access token: the demo API. */
export const API_PATH = '/api'

/** Everything below it needs an access token for it: the admin API. */
export const ADMIN_PATH = '/admin/v1'

/** Everything below it is the console for operators: below the issuer, or at the root of CONSOLE_ORIGIN. */
export const CONSOLE_PATH = '/console'

/** Everything below it is for receivers of security events. */
export const SIGNALS_PATH = '/ssf'

/** The path of each endpoint, below the issuer. */
export const PATHS = {
  authorize: '/oauth2/authorize',
  par: '/oauth2/par',
  interaction: '/oauth2/interaction',
  token: '/oauth2/token',
  device_authorization: '/oauth2/device_authorization',
  device: '/device',
  backchannel_authentication: '/oauth2/bc-authorize',
  asked: '/asked',
  account: '/account',
  revoke: '/oauth2/revoke',
  introspect: '/oauth2/introspect',
  global_revocation: '/oauth2/global-token-revocation',
  register: '/oauth2/register',
  userinfo: '/userinfo',
  demo_resource: `${API_PATH}/resource`,
  end_session: '/oauth2/logout',
  forgot_password: '/forgot-password',
  reset_password: '/reset-password',
  sign_up: '/sign-up',
  provider_callback: '/sign-in/:provider/callback',
  provider_logout: '/sign-in/:provider/backchannel-logout',
  signals: '/signals',
  provider_signals: '/signals/:provider',
  welcome: '/welcome',
  confirm_address: '/confirm-address',
  not_me: '/not-me',
  recovery_codes: '/oauth2/recovery-codes',
  language: '/oauth2/language',
  icon: '/oauth2/icon.svg',
  signal_stream: `${SIGNALS_PATH}/stream`,
  signal_status: `${SIGNALS_PATH}/status`,
  signal_add_subject: `${SIGNALS_PATH}/subjects/add`,
  signal_remove_subject: `${SIGNALS_PATH}/subjects/remove`,
  signal_verify: `${SIGNALS_PATH}/verify`,
  signal_poll: `${SIGNALS_PATH}/poll`,
  forward_auth: '/auth/forward',
  demo: '/demo',
  demo_device: '/demo/device',
  demo_mail: '/demo/mail',
  status_lists: '/status',
  status_list: '/status/:list',
  jwks: '/.well-known/jwks.json',
  openid_configuration: '/.well-known/openid-configuration',
} as const

/** Paths at the root of the host, whatever the path of the issuer. Those of metadata have that path at their end. */
export const ROOT_PATHS = {
  openid_configuration: PATHS.openid_configuration,
  oauth_metadata: '/.well-known/oauth-authorization-server',
  ssf_configuration: '/.well-known/ssf-configuration',
  change_password: '/.well-known/change-password',
  passkey_endpoints: '/.well-known/passkey-endpoints',
  webfinger: '/.well-known/webfinger',
  /** At the hosts of applications behind a proxy. */
  forward_callback: '/.redmint/callback',
} as const

/** Returns the path of an issuer, without a slash at its end: empty for an origin. */
export function issuerPath(issuer: string): string {
  const slash = issuer.indexOf('/', 'https://'.length)
  return slash === -1 ? '' : issuer.slice(slash)
}

/** Returns the address of a status list. */
export function statusListUri({ issuer }: { readonly issuer: string }, list: string): string {
  return issuer + PATHS.status_list.replace(':list', list)
}

/** Returns the path of an endpoint for browsers: below that of the issuer. */
export function pathAt({ issuer }: { readonly issuer: string }, path: string): string {
  return issuerPath(issuer) + path
}

/** Returns the address of the console: below CONSOLE_ORIGIN, or else below the issuer. */
export function consoleAt(settings: {
  readonly issuer: string
  readonly console_origin?: string | undefined
}): string {
  return (settings.console_origin ?? settings.issuer) + CONSOLE_PATH
}

/** Where an issuer is, and whether its path is in the requests that arrive here. */
export interface IssuerPlace {
  readonly issuer: string
  readonly proxy_strips_path: boolean
}

/** Returns the part of the issuer's path that a proxy removes from requests: all of it, or nothing. */
export function strippedPath({ issuer, proxy_strips_path }: IssuerPlace): string {
  return proxy_strips_path ? issuerPath(issuer) : ''
}

/** Returns what the paths of endpoints begin with in the requests that arrive here. */
export function routePrefix({ issuer, proxy_strips_path }: IssuerPlace): string {
  return proxy_strips_path ? '' : issuerPath(issuer)
}
