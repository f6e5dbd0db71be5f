import { createPublicKey } from 'node:crypto'
import { isObject } from '../../../src/core/json.ts'
import { isUrl } from '../../../src/core/uri.ts'
import { isPasswordHash } from '../../../src/users/password-hash.ts'
import { Refusal } from '../../errors.ts'
import { parseYaml } from '../../yaml.ts'
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
import type { Conversion, ConversionContext, Converted, ForeignFile } from './converted.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** Converts configuration.yml of Authelia, with the clients, or users_database.yml, with the users. */
export async function* convertAuthelia(file: ForeignFile, context: ConversionContext): Conversion {
  const { value: document } = await parseYaml(await file.text())
  const members = isObject(document) ? document : {}
  const { identity_providers, users } = members
  if (isObject(users)) {
    for (const [name, value] of Object.entries(users)) yield convertUser(name, value, context)
    return
  }
  const oidc = isObject(identity_providers) ? identity_providers.oidc : undefined
  if (!isObject(oidc) || !Array.isArray(oidc.clients))
    throw new Refusal('The file has neither users nor identity_providers.oidc.clients of Authelia.')
  for (const [index, value] of oidc.clients.entries()) yield convertClient(`clients[${index}]`, value)
  const notes = new Notes()
  const provider = new Members(oidc, notes)
  provider.lose('give its clients required_acr and allowed_groups instead', 'authorization_policies')
  provider.lose('set SCOPE_CLAIMS instead', 'claims_policies', 'scopes')
  provider.lose('give its clients access_token_ttl and the like instead', 'lifespans')
  yield notes
}

// What Authelia takes if the file says nothing.
const DEFAULT_SCOPES = ['openid', 'groups', 'profile', 'email']

function convertClient(place: string, value: unknown): Converted {
  const notes = new Notes()
  const client = new Members(value, notes)
  const id = client.text('client_id') ?? client.text('id') ?? ''
  const is_public = client.flag('public') ?? false
  const method = authMethod(client, 'token_endpoint_auth_method')
  const redirect_uris = keepUris(client, 'redirect_uris', client.texts('redirect_uris'))
  const grants = client.texts('grant_types')
  const scopes = client.texts('scopes')
  const was_required =
    client.flag('require_pkce') === true || client.text('pkce_challenge_method') !== undefined
  const is_keyed = method.token_endpoint_auth_method === 'private_key_jwt'
  if (was_required) client.kept('require_pkce')
  if (scopes.length === 0) client.kept('scopes')
  const members = {
    client_id: id,
    ...method,
    is_public: is_public || method.is_public,
    ...(is_public || method.is_public || is_keyed ? {} : secretOf(client)),
    ...keepTexts(client, { client_name: 'client_name', jwks_uri: 'jwks_uri' }),
    ...keys(client),
    redirect_uris,
    ...applicationType(client, 'redirect_uris', redirect_uris),
    grant_types: grants.length === 0 ? ['authorization_code'] : keepGrants(client, 'grant_types', grants),
    ...(grants.includes('refresh_token') && { refresh_tokens: 'offline_access' }),
    allowed_scopes: scopes.length === 0 ? DEFAULT_SCOPES : keepScopes(client, 'scopes', scopes),
    ...pkceOf(client, 'require_pkce', is_public || method.is_public, was_required),
    ...policy(client),
    ...consent(client),
    ...pairwise(client),
    ...keepFlags(client, {
      require_pushed_authorization_requests: 'require_pushed_authorization_requests',
    }),
    ...keepAlg(client, 'id_token_signed_response_alg', 'id_token_signed_response_alg'),
    ...keepAlg(client, 'access_token_signed_response_alg', 'access_token_signed_response_alg'),
    ...keepAlg(client, 'userinfo_signed_response_alg', 'userinfo_signed_response_alg'),
    ...keepAlg(client, 'introspection_signed_response_alg', 'introspection_signed_response_alg'),
    ...keepAlg(client, 'authorization_signed_response_alg', 'authorization_signed_response_alg'),
    ...keepAlg(client, 'request_object_signing_alg', 'request_object_signing_alg'),
    ...keepAlg(client, 'token_endpoint_auth_signing_alg', 'token_endpoint_auth_signing_alg'),
  }
  client.lose('register each as a resource: redmint resource add', 'audience')
  client.lose('set the lifetimes of the client instead', 'lifespan')
  client.lose('redmint fetches no request objects', 'request_uris')
  client.ignore('response_types', 'response_modes', 'requested_audience_mode', 'pkce_challenge_method')
  client.ignore(...client.names.filter((name) => name.endsWith('_key_id')))
  client.finish()
  return { kind: 'client', place, id, members, notes }
}

function secretOf(client: Members): { client_secret_hash?: string } {
  const secret = client.text('client_secret') ?? client.text('secret')
  const plain = /^\$plaintext\$(.+)$/s.exec(secret ?? '')?.[1]
  if (plain !== undefined) return keepSecret(client, 'client_secret', plain)
  client.lost(
    'client_secret',
    'only its digest is in the file, of a kind for passwords: the client gets a new one',
  )
  return {}
}

function keys(client: Members): { jwks?: object } {
  const found = client.entries('jwks').flatMap((entry) => {
    if (!isObject(entry) || typeof entry.key !== 'string') return []
    try {
      const jwk = createPublicKey(entry.key).export({ format: 'jwk' })
      return [{ ...jwk, kid: entry.key_id, alg: entry.algorithm, use: entry.use ?? 'sig' }]
    } catch {
      client.lost('jwks', `the key ${String(entry.key_id)} cannot be read`)
      return []
    }
  })
  if (found.length === 0) return {}
  client.kept('jwks')
  return { jwks: { keys: found } }
}

// 2 is what redmint says of a second step.
function policy(client: Members): { required_acr?: string; allowed_groups?: readonly string[] } {
  const name = client.text('authorization_policy') ?? 'two_factor'
  if (name === 'two_factor') {
    client.changed('authorization_policy', 'required_acr is 2: the client needs a second step')
    return { required_acr: '2' }
  }
  if (name === 'one_factor') {
    client.kept('authorization_policy')
    return {}
  }
  // It may have let in a few only.
  client.changed(
    'authorization_policy',
    `${name} is of your own: nobody may use the client until you give it groups`,
  )
  return { allowed_groups: [] }
}

function consent(client: Members): { first_party?: true } {
  const mode = client.text('consent_mode')
  client.lose('set CONSENT_TTL for all clients instead', 'pre_configured_consent_duration')
  if (mode === 'implicit') {
    client.kept('consent_mode')
    return { first_party: true }
  }
  if (mode !== undefined)
    client.changed('consent_mode', 'people are asked, and the answer is remembered for CONSENT_TTL')
  return {}
}

function pairwise(client: Members): { subject_type?: 'pairwise'; sector_identifier?: string } {
  const sector = client.text('sector_identifier_uri')
  if (sector === undefined || !isUrl(sector)) return {}
  client.changed(
    'sector_identifier_uri',
    'its users get other subs than in Authelia, and PAIRWISE_SALT must be set',
  )
  return { subject_type: 'pairwise', sector_identifier: new URL(sector).hostname }
}

const CLAIMS =
  'given_name middle_name family_name nickname gender birthdate website profile picture zoneinfo locale phone_number'.split(
    ' ',
  )

function convertUser(id: string, value: unknown, { groups_claim }: ConversionContext): Converted {
  const notes = new Notes()
  const user = new Members(value, notes)
  const groups = user.texts('groups')
  const email = user.text('email')
  if (groups.length > 0) user.kept('groups')
  if (email !== undefined) user.changed('email', 'it is not verified: the file does not say that it is')
  user.changed('sub', 'it is new: that of Authelia is in its database')
  const address = user.take('address')
  const has_address = isObject(address)
  if (has_address) user.kept('address')
  const members = {
    username: id,
    ...(user.flag('disabled') === true && { disabled: true }),
    ...password(user),
    claims: {
      ...keepTexts(user, { displayname: 'name', ...Object.fromEntries(CLAIMS.map((name) => [name, name])) }),
      ...(email !== undefined && { email }),
      ...(has_address && { address: postalAddress(address) }),
      ...(groups.length > 0 && { [groups_claim]: groups }),
    },
  }
  user.lose('add those that you want as custom claims', 'extra')
  user.finish()
  return { kind: 'user', place: `users.${id}`, id, members, notes }
}

function password(user: Members): { password_hash?: string } {
  const hash = user.text('password')
  if (hash === undefined) return {}
  if (isPasswordHash(hash)) {
    user.kept('password')
    return { password_hash: hash }
  }
  const [, kind = 'unknown'] = /^\$([\w-]+)\$/.exec(hash) ?? []
  user.lost(
    'password',
    `redmint does not verify ${kind === '6' ? 'sha512 crypt' : kind}: the user needs a new one`,
  )
  return {}
}

// Authelia has the names of OpenID Connect Core §5.1.1.
function postalAddress(address: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(address).filter(([, part]) => typeof part === 'string' && part !== ''),
  )
}
