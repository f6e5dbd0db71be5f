/** Everything below it needs an access token: the demo API. */
export const API_PATH = '/api'

/** The path of each endpoint, below the issuer. */
export const PATHS = {
  authorize: '/oauth2/authorize',
  par: '/oauth2/par',
  interaction: '/oauth2/interaction',
  token: '/oauth2/token',
  device_authorization: '/oauth2/device_authorization',
  device: '/device',
  revoke: '/oauth2/revoke',
  introspect: '/oauth2/introspect',
  register: '/oauth2/register',
  userinfo: '/userinfo',
  demo_resource: `${API_PATH}/resource`,
  end_session: '/oauth2/logout',
  language: '/oauth2/language',
  icon: '/oauth2/icon.svg',
  demo: '/demo',
  demo_device: '/demo/device',
  jwks: '/.well-known/jwks.json',
  openid_configuration: '/.well-known/openid-configuration',
  oauth_metadata: '/.well-known/oauth-authorization-server',
  change_password: '/.well-known/change-password',
} as const
