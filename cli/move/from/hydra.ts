import { isObject } from '../../../src/core/json.ts'
import { isUrl } from '../../../src/core/uri.ts'
import { Refusal } from '../../errors.ts'
import {
  applicationType,
  authMethod,
  keepAlg,
  keepFlags,
  keepGrants,
  keepScopes,
  keepSecret,
  keepTexts,
  keepUris,
  pkceOf,
} from './client-parts.ts'
import type { Conversion, Converted, ForeignFile } from './converted.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** Converts what `hydra list clients --format json` prints: a list, or an object with it in `items`. */
export async function* convertHydra(file: ForeignFile): Conversion {
  const document = await file.json()
  const clients = isObject(document) ? (document.items ?? document.clients) : document
  if (!Array.isArray(clients)) throw new Refusal('The file is no list of clients of Ory Hydra.')
  for (const [index, value] of clients.entries()) yield convertClient(`[${index}]`, value)
}

function convertClient(place: string, value: unknown): Converted {
  const notes = new Notes()
  const client = new Members(value, notes)
  const id = client.text('client_id') ?? ''
  const method = authMethod(client, 'token_endpoint_auth_method')
  const redirect_uris = keepUris(client, 'redirect_uris', client.texts('redirect_uris'))
  const post_logout = keepUris(client, 'post_logout_redirect_uris', client.texts('post_logout_redirect_uris'))
  const grant_types = keepGrants(client, 'grant_types', client.texts('grant_types'))
  const members = {
    client_id: id,
    ...method,
    ...secretOf(client, method),
    redirect_uris,
    ...applicationType(client, 'redirect_uris', redirect_uris),
    ...(post_logout.length > 0 && { post_logout_redirect_uris: post_logout }),
    grant_types: grant_types.length > 0 ? grant_types : ['authorization_code'],
    ...(grant_types.includes('refresh_token') && { refresh_tokens: 'offline_access' }),
    allowed_scopes: scopes(client),
    // Whether Hydra demands PKCE is a setting of the server.
    ...pkceOf(client, 'pkce', method.is_public, false),
    ...keepFlags(client, { skip_consent: 'first_party' }),
    ...keys(client),
    ...subjects(client),
    ...lifetimes(client),
    ...keepTexts(client, {
      client_name: 'client_name',
      client_uri: 'client_uri',
      logo_uri: 'logo_uri',
      policy_uri: 'policy_uri',
      tos_uri: 'tos_uri',
      backchannel_logout_uri: 'backchannel_logout_uri',
      access_token_strategy: 'access_token_format',
    }),
    ...keepAlg(client, 'token_endpoint_auth_signing_alg', 'token_endpoint_auth_signing_alg'),
    ...keepAlg(client, 'userinfo_signed_response_alg', 'userinfo_signed_response_alg'),
    ...keepAlg(client, 'request_object_signing_alg', 'request_object_signing_alg'),
    ...contacts(client),
  }
  if (grant_types.length === 0)
    client.changed('grant_types', 'none is named: authorization_code, as in Hydra')
  client.lose('register each as a resource: redmint resource add', 'audience')
  client.lose('redmint has response_type=code only', ...hasOnlyCode(client))
  client.lose('every origin may call the endpoints of redmint', 'allowed_cors_origins')
  client.lose(
    'redmint notifies clients in the background',
    'frontchannel_logout_uri',
    'frontchannel_logout_session_required',
  )
  client.ignore('client_secret_expires_at', 'created_at', 'updated_at', 'backchannel_logout_session_required')
  client.ignore('registration_access_token', 'registration_client_uri', 'skip_logout_consent')
  client.finish()
  return { kind: 'client', place, id, members, notes }
}

function hasOnlyCode(client: Members): string[] {
  const types = client.texts('response_types')
  if (types.every((type) => type === 'code')) return []
  client.lost('response_types', 'redmint has response_type=code only')
  return []
}

// Hydra keeps a digest of it, and prints none.
function secretOf(client: Members, { is_public, token_endpoint_auth_method }: ReturnType<typeof authMethod>) {
  const secret = client.text('client_secret')
  if (is_public || token_endpoint_auth_method === 'private_key_jwt') return {}
  if (secret !== undefined) return keepSecret(client, 'client_secret', secret)
  client.lost('client_secret', 'Hydra does not export it: the client gets a new one')
  return {}
}

function scopes(client: Members): string[] {
  const given = (client.text('scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (given.includes('offline')) client.changed('scope', 'offline is offline_access here')
  return keepScopes(
    client,
    'scope',
    given.map((scope) => (scope === 'offline' ? 'offline_access' : scope)),
  )
}

function keys(client: Members): Record<string, unknown> {
  const jwks = client.take('jwks')
  const has_keys = isObject(jwks) && Array.isArray(jwks.keys) && jwks.keys.length > 0
  if (has_keys) client.kept('jwks')
  return { ...(has_keys && { jwks }), ...keepTexts(client, { jwks_uri: 'jwks_uri' }) }
}

function subjects(client: Members): Record<string, unknown> {
  const type = client.text('subject_type')
  const sector = client.text('sector_identifier_uri')
  if (type !== 'pairwise') return {}
  client.changed('subject_type', 'its users get other subs than in Hydra, and PAIRWISE_SALT must be set')
  const sector_identifier = sector !== undefined && isUrl(sector) ? new URL(sector).hostname : undefined
  if (sector !== undefined) client.changed('sector_identifier_uri', 'it is the host of the address')
  return { subject_type: type, ...(sector_identifier && { sector_identifier }) }
}

const TTLS = {
  authorization_code_grant_access_token_lifespan: 'access_token_ttl',
  authorization_code_grant_id_token_lifespan: 'id_token_ttl',
  authorization_code_grant_refresh_token_lifespan: 'refresh_token_ttl',
} as const

function lifetimes(client: Members): Record<string, number> {
  const ttls: Record<string, number> = {}
  for (const [field, member] of Object.entries(TTLS)) {
    const text = client.text(field)
    const seconds = text === undefined ? undefined : secondsOf(text)
    if (seconds === undefined) continue
    ttls[member] = seconds
    client.kept(field)
  }
  const others = client.names.filter((name) => name.endsWith('_lifespan'))
  client.lose('one lifetime counts for all grants', ...others)
  return ttls
}

/** Reads a duration of Go, such as 1h30m0s, in whole seconds. */
function secondsOf(text: string): number | undefined {
  const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? []
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return total > 0 ? total : undefined
}

function contacts(client: Members): { contacts?: string[] } {
  const given = client.texts('contacts').filter((contact) => /^\S+$/.test(contact))
  if (given.length === 0) return {}
  client.kept('contacts')
  return { contacts: given }
}
