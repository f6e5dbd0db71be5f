import { DEVICE_CODE } from '../../../src/clients/record/grant-types.ts'
import {
  applicationType,
  claimsInIdToken,
  keepAlg,
  keepFlags,
  keepScopes,
  keepSecret,
  keepTexts,
  keepUris,
  pkceOf,
} from './client-parts.ts'
import type { Converted, LeftBehind } from './converted.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** Scopes by which Keycloak adds claims of its own to tokens. */
const OWN_SCOPES = new Set([
  'acr',
  'basic',
  'roles',
  'web-origins',
  'microprofile-jwt',
  'organization',
  'service_account',
])
/** What Keycloak writes instead of a secret into an export of a part of a realm. */
const MASKED = /^\*+$/

/** Converts a client of a realm. */
export function convertClient(place: string, id: string, value: unknown): Converted | LeftBehind {
  const notes = new Notes()
  const client = new Members(value, notes)
  const protocol = client.text('protocol') ?? 'openid-connect'
  if (protocol !== 'openid-connect') return { place, name: id, left_behind: `its protocol is ${protocol}` }
  if (client.flag('bearerOnly'))
    return {
      place,
      name: id,
      left_behind: 'it is bearer-only, an API: register it with redmint resource add',
    }
  const is_public = client.flag('publicClient') ?? false
  const attributes = client.object('attributes')
  const redirect_uris = redirectUris(client)
  const post_logout_redirect_uris = logoutUris(attributes, redirect_uris)
  const grant_types = grantTypes(client, attributes, is_public)
  const members = {
    client_id: id,
    is_public,
    ...keepTexts(client, { name: 'client_name' }),
    ...authentication(client, attributes, is_public),
    redirect_uris,
    ...applicationType(client, 'redirectUris', redirect_uris),
    ...(post_logout_redirect_uris.length > 0 && { post_logout_redirect_uris }),
    grant_types,
    ...(grant_types.includes('refresh_token') && { refresh_tokens: 'always' }),
    allowed_scopes: scopes(client, grant_types),
    ...claimsInIdToken(client, grant_types),
    ...(client.flag('enabled') === false && { disabled: true }),
    ...pkce(attributes, is_public),
    ...(client.flag('consentRequired') ? {} : { first_party: true }),
    // Those of Keycloak are.
    access_token_format: 'jwt',
    ...ofAttributes(attributes),
  }
  notes.kept('consentRequired')
  client.lose('it names itself by client_name', 'description')
  client.lose('every origin may call the endpoints of redmint', 'webOrigins')
  client.lose('redmint puts the claims of scopes into tokens', 'protocolMappers')
  client.lose('redmint has groups, and no roles', 'fullScopeAllowed', 'defaultRoles')
  client.lose('redmint sends nobody back to it by itself', 'baseUrl', 'adminUrl')
  client.lose('redmint notifies clients in the background', 'frontchannelLogout')
  client.ignore(
    'id',
    'clientId',
    'clientAuthenticatorType',
    'nodeReRegistrationTimeout',
    'notBefore',
    'access',
    'registeredNodes',
  )
  client.ignore('authenticationFlowBindingOverrides', 'alwaysDisplayInConsole', 'rootUrl')
  client.finish()
  attributes.finish()
  return { kind: 'client', place, id, members, notes }
}

// A relative URI is one below the root of the client.
function redirectUris(client: Members): string[] {
  const root = client.text('rootUrl')
  const given = client.texts('redirectUris').map((uri) => {
    if (!uri.startsWith('/') || root === undefined) return uri
    client.changed('redirectUris', `${uri} is registered as ${root}${uri}`)
    return root.replace(/\/$/, '') + uri
  })
  return keepUris(client, 'redirectUris', given)
}

function logoutUris(attributes: Members, redirect_uris: readonly string[]): string[] {
  const name = 'post.logout.redirect.uris'
  const uris = (attributes.text(name) ?? '').split('##').filter((uri) => uri !== '' && uri !== '-')
  const own = uris.filter((uri) => uri !== '+')
  if (own.length < uris.length) attributes.changed(name, '"+" became a copy of the redirect URIs')
  return [...keepUris(attributes, name, own), ...(own.length < uris.length ? redirect_uris : [])]
}

function grantTypes(client: Members, attributes: Members, is_public: boolean): string[] {
  const refreshes = attributes.flag('use.refresh.tokens') ?? true
  const grants: string[] = []
  const add = (of: Members, field: string, grant: string) => {
    grants.push(grant)
    of.kept(field)
  }
  if (client.flag('standardFlowEnabled') ?? true) add(client, 'standardFlowEnabled', 'authorization_code')
  if (client.flag('serviceAccountsEnabled') && !is_public)
    add(client, 'serviceAccountsEnabled', 'client_credentials')
  const device = 'oauth2.device.authorization.grant.enabled'
  if (attributes.flag(device)) add(attributes, device, DEVICE_CODE)
  if (refreshes && grants.some((grant) => grant !== 'client_credentials')) grants.push('refresh_token')
  client.lose('redmint has no implicit flow (RFC 9700 §2.1.2)', 'implicitFlowEnabled')
  client.lose('redmint has no password grant (RFC 9700 §2.4)', 'directAccessGrantsEnabled')
  return grants
}

function authentication(client: Members, attributes: Members, is_public: boolean): Record<string, unknown> {
  const secret = client.text('secret')
  const method = client.text('clientAuthenticatorType') ?? 'client-secret'
  const keys = keysOf(attributes)
  const created = attributes.number('client.secret.creation.time')
  if (is_public) return keys
  if (method === 'client-jwt') {
    client.kept('clientAuthenticatorType')
    return { token_endpoint_auth_method: 'private_key_jwt', ...keys }
  }
  if (method === 'client-x509') {
    client.kept('clientAuthenticatorType')
    return {
      token_endpoint_auth_method: 'tls_client_auth',
      ...keepTexts(attributes, { 'x509.subjectdn': 'tls_client_auth_subject_dn' }),
      ...keys,
    }
  }
  if (method !== 'client-secret')
    client.lost('clientAuthenticatorType', `redmint has no ${method}: it authenticates by its secret`)
  if (secret !== undefined && !MASKED.test(secret)) {
    const kept = keepSecret(client, 'secret', secret)
    const is_dated = created !== undefined && 'client_secret_hash' in kept
    return {
      ...kept,
      ...(is_dated && { client_secret_created_at: new Date(created * 1000).toISOString() }),
      ...keys,
    }
  }
  client.lost('secret', 'it is not in the file: the client gets a new one')
  return keys
}

function keysOf(attributes: Members): Record<string, unknown> {
  const [uses_url, uses_text] = [attributes.flag('use.jwks.url'), attributes.flag('use.jwks.string')]
  if (uses_url) return keepTexts(attributes, { 'jwks.url': 'jwks_uri' })
  return uses_text ? keepTexts(attributes, { 'jwks.string': 'jwks' }) : {}
}

function scopes(client: Members, grant_types: readonly string[]): string[] {
  const of = (field: string) => {
    const given = client.texts(field)
    for (const scope of given.filter((name) => OWN_SCOPES.has(name)))
      client.lost(field, `${scope} stands for claims that Keycloak adds by itself`)
    return keepScopes(
      client,
      field,
      given.filter((name) => !OWN_SCOPES.has(name)),
    )
  }
  // A client that acts for itself has no user to tell of.
  const openid = grant_types.some((grant) => grant !== 'client_credentials') ? ['openid'] : []
  return [...new Set([...openid, ...of('defaultClientScopes'), ...of('optionalClientScopes')])]
}

function pkce(attributes: Members, is_public: boolean) {
  const name = 'pkce.code.challenge.method'
  const method = attributes.text(name)
  if (method === 'S256') attributes.kept(name)
  if (method === 'plain') attributes.changed(name, 'the method is S256 here')
  return pkceOf(attributes, name, is_public, method !== undefined)
}

function ofAttributes(attributes: Members): Record<string, unknown> {
  const ttl = attributes.number('access.token.lifespan')
  if (ttl !== undefined) attributes.kept('access.token.lifespan')
  attributes.ignore(
    'backchannel.logout.session.required',
    'backchannel.logout.revoke.offline.tokens',
    'realm_client',
  )
  attributes.ignore('display.on.consent.screen', 'oauth2.jwt.authorization.grant.enabled')
  return {
    ...(ttl !== undefined && { access_token_ttl: ttl }),
    ...keepTexts(attributes, {
      'backchannel.logout.url': 'backchannel_logout_uri',
      logoUri: 'logo_uri',
      policyUri: 'policy_uri',
      tosUri: 'tos_uri',
    }),
    ...keepFlags(attributes, {
      'tls.client.certificate.bound.access.tokens': 'tls_client_certificate_bound_access_tokens',
      'require.pushed.authorization.requests': 'require_pushed_authorization_requests',
      'dpop.bound.access.tokens': 'dpop_bound_access_tokens',
    }),
    ...keepAlg(attributes, 'access.token.signed.response.alg', 'access_token_signed_response_alg'),
    ...keepAlg(attributes, 'id.token.signed.response.alg', 'id_token_signed_response_alg'),
    ...keepAlg(attributes, 'user.info.response.signature.alg', 'userinfo_signed_response_alg'),
    ...keepAlg(attributes, 'token.endpoint.auth.signing.alg', 'token_endpoint_auth_signing_alg'),
  }
}
