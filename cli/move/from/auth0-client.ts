import {
  applicationType,
  authMethod,
  claimsInIdToken,
  keepAlg,
  keepFlags,
  keepGrants,
  keepSecret,
  keepTexts,
  keepUris,
  pkceOf,
} from './client-parts.ts'
import type { Converted, LeftBehind } from './converted.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** Converts a client of the Management API of Auth0. */
export function convertClient(place: string, value: object): Converted | LeftBehind {
  const notes = new Notes()
  const client = new Members(value, notes)
  const id = client.text('client_id') ?? ''
  if (client.flag('global')) return { place, name: id, left_behind: 'it stands for the tenant itself' }
  const type = client.text('app_type')
  const method = authMethod(client, 'token_endpoint_auth_method')
  const redirect_uris = keepUris(client, 'callbacks', client.texts('callbacks'))
  const post_logout = keepUris(client, 'allowed_logout_urls', client.texts('allowed_logout_urls'))
  const grant_types = keepGrants(client, 'grant_types', client.texts('grant_types'))
  const signs_in = grant_types.some((grant) => grant !== 'client_credentials')
  const secret = client.text('client_secret')
  const members = {
    client_id: id,
    ...method,
    ...(method.is_public ? {} : secretOf(client, secret)),
    ...keepTexts(client, { name: 'client_name', logo_uri: 'logo_uri' }),
    redirect_uris,
    ...(type === 'native'
      ? { application_type: 'native' }
      : applicationType(client, 'callbacks', redirect_uris)),
    ...(post_logout.length > 0 && { post_logout_redirect_uris: post_logout }),
    grant_types,
    ...(grant_types.includes('refresh_token') && { refresh_tokens: 'offline_access' }),
    allowed_scopes: scopes(client, signs_in, grant_types),
    ...claimsInIdToken(client, grant_types),
    ...keepFlags(client, {
      is_first_party: 'first_party',
      require_pushed_authorization_requests: 'require_pushed_authorization_requests',
      require_proof_of_possession: 'dpop_bound_access_tokens',
    }),
    ...pkceOf(client, 'pkce', method.is_public, false),
    ...tokens(client, method.is_public),
    ...logout(client),
  }
  if (type === 'native') client.kept('app_type')
  client.lose('it names itself by client_name', 'description')
  client.lose('every origin may call the endpoints of redmint', 'allowed_origins', 'web_origins')
  client.lose('redmint exchanges no tokens of others', 'allowed_clients', 'token_exchange')
  client.ignore(
    'tenant',
    'owners',
    'client_aliases',
    'signing_keys',
    'oidc_conformant',
    'sso',
    'sso_disabled',
  )
  client.ignore(
    'custom_login_page_on',
    'cross_origin_authentication',
    'cross_origin_auth',
    'callback_url_template',
  )
  client.ignore(
    'is_token_endpoint_ip_header_trusted',
    'config_route',
    'client_authentication_methods_preview',
  )
  client.finish()
  return { kind: 'client', place, id, members, notes }
}

function secretOf(client: Members, secret: string | undefined): { client_secret_hash?: string } {
  if (secret !== undefined) return keepSecret(client, 'client_secret', secret)
  client.lost('client_secret', 'it is not in the file: the client gets a new one')
  return {}
}

// A client of Auth0 has no list of them: it may ask for any.
function scopes(client: Members, signs_in: boolean, grant_types: readonly string[]): string[] {
  if (!signs_in) {
    client.changed('scopes', 'none: register its APIs and their scopes with redmint resource add')
    return []
  }
  client.changed('scopes', 'those of OpenID Connect alone: add those of its APIs')
  const offline = grant_types.includes('refresh_token') ? ['offline_access'] : []
  return ['openid', 'profile', 'email', ...offline]
}

function tokens(client: Members, is_public: boolean): Record<string, unknown> {
  const jwt = client.object('jwt_configuration')
  const id_token_ttl = jwt.number('lifetime_in_seconds')
  if (id_token_ttl !== undefined) jwt.kept('lifetime_in_seconds')
  const alg = keepAlg(jwt, 'alg', 'id_token_signed_response_alg')
  jwt.ignore('secret_encoded', 'scopes')
  jwt.finish()
  const refresh = client.object('refresh_token')
  const [rotation, lifetime] = [refresh.text('rotation_type'), refresh.number('token_lifetime')]
  if (rotation !== undefined && !is_public) refresh.kept('rotation_type')
  if (lifetime !== undefined) refresh.kept('token_lifetime')
  if (rotation === 'non-rotating' && is_public)
    refresh.changed('rotation_type', 'a public client gets a new refresh token at each use (RFC 9700 §2.2.2)')
  refresh.ignore('expiration_type', 'infinite_token_lifetime', 'infinite_idle_token_lifetime')
  refresh.finish()
  return {
    ...alg,
    ...(id_token_ttl !== undefined && { id_token_ttl }),
    ...(lifetime !== undefined && { refresh_token_ttl: lifetime }),
    ...(rotation === 'non-rotating' && !is_public && { refresh_token_rotation: false }),
  }
}

function logout(client: Members): { backchannel_logout_uri?: string } {
  const logout = client.object('oidc_logout')
  const [first, ...more] = logout.texts('backchannel_logout_urls')
  if (more.length > 0) logout.lost('backchannel_logout_urls', `one is told, so not ${more.join(' ')}`)
  if (first === undefined) return {}
  logout.kept('backchannel_logout_urls')
  logout.ignore('backchannel_logout_initiators', 'backchannel_logout_session_metadata')
  logout.finish()
  return { backchannel_logout_uri: first }
}
