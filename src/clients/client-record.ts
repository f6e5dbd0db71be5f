import { createHash } from 'node:crypto'
import {
  ACCESS_TOKEN_FORMATS,
  type AccessTokenFormat,
  MAX_REFRESH_TOKEN_TTL,
  MAX_SIGNED_TOKEN_TTL,
} from '../config/environment.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { isScopeToken } from '../core/scope.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/signing-algs.ts'
import { isLoopbackHost } from '../core/uri.ts'
import { redirectUriProblem } from './redirect-uri.ts'

export const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token'] as const
export type GrantType = (typeof GRANT_TYPES)[number]

export const SUBJECT_TYPES = ['public', 'pairwise'] as const
export type SubjectType = (typeof SUBJECT_TYPES)[number]

/** A registered client: the seven fields of spec 2.1 and our optional ones. */
export interface Client {
  readonly client_id: string
  /** SHA-256 of the secret in base64; absent for a public client. */
  readonly client_secret_hash?: string
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly allowed_scopes: readonly string[]
  readonly grant_types: readonly GrantType[]
  readonly is_public: boolean
  /** What this client's access tokens are; absent: the server's ACCESS_TOKEN_FORMAT. */
  readonly access_token_format?: AccessTokenFormat
  /** Lifetimes of its tokens in seconds; absent: the server's. */
  readonly access_token_ttl?: number
  readonly id_token_ttl?: number
  readonly refresh_token_ttl?: number
  /** Whether its refresh tokens are spent when they are used; those of public clients always are. */
  readonly refresh_token_rotation: boolean
  /** Whether it may introspect tokens that were issued to others, as a resource server does. */
  readonly can_introspect: boolean
  /** Whether a code needs a PKCE challenge; only a confidential client can do without (RFC 9700 §2.1.1). */
  readonly require_pkce: boolean
  /** Whether it belongs to the operator, so that nobody is asked for consent. */
  readonly first_party: boolean
  /** Whether it knows users by their sub, or by one of its own (OpenID Connect Core §8). */
  readonly subject_type: SubjectType
  /** The host that its pairwise subjects are for, where its redirect URIs have several (OpenID Connect Core §8.1). */
  readonly sector_identifier?: string
  /** What its id_tokens and logout tokens are signed with; absent: the server's ID_TOKEN_ALG. */
  readonly id_token_signed_response_alg?: SigningAlg
  /** Where a browser may be sent after a logout (OpenID Connect RP-Initiated Logout §3.1). */
  readonly post_logout_redirect_uris: readonly string[]
  /** Where logout tokens are sent (OpenID Connect Back-Channel Logout §2.2). */
  readonly backchannel_logout_uri?: string
  /** Whether its tokens of a session end with that. */
  readonly logout_ends_tokens: boolean
  /** A disabled client authenticates nowhere and starts nothing. */
  readonly disabled: boolean
}

type WithDefault =
  | 'refresh_token_rotation'
  | 'can_introspect'
  | 'require_pkce'
  | 'first_party'
  | 'subject_type'
  | 'post_logout_redirect_uris'
  | 'logout_ends_tokens'
  | 'disabled'

/** A client to be written: what has a default may be left out. */
export type ClientDefinition = Omit<Client, WithDefault> & Partial<Pick<Client, WithDefault>>

/** Every field that a client record may have; a field beside these is a slip of the pen. */
export const CLIENT_FIELDS = [
  'client_id',
  'client_secret_hash',
  'client_name',
  'redirect_uris',
  'allowed_scopes',
  'grant_types',
  'is_public',
  'access_token_format',
  'access_token_ttl',
  'id_token_ttl',
  'refresh_token_ttl',
  'refresh_token_rotation',
  'can_introspect',
  'require_pkce',
  'first_party',
  'subject_type',
  'sector_identifier',
  'id_token_signed_response_alg',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'logout_ends_tokens',
  'disabled',
] as const

// RFC 6749 Appendix A.1: printable ASCII; 255 characters are ours.
const CLIENT_ID = /^[\x20-\x7E]{1,255}$/

/** Whether a string can be a client_id at all (RFC 6749 Appendix A.1). */
export function isClientId(value: string): boolean {
  return CLIENT_ID.test(value)
}

/** Reads a client record as it stands in storage. Whatever is doubtful makes the whole record unusable. */
export function parseClient(client_id: string, hash: Hash): Parsed<Client> {
  const fields = new FieldReader(hash)
  if ((fields.optional('client_id') ?? client_id) !== client_id) {
    fields.fail('client_id', 'differs from the name in the key')
  }
  const is_public = fields.boolean('is_public')
  const client_secret_hash = parseSecretHash(fields, is_public)
  const grant_types = fields.list('grant_types', (name) =>
    GRANT_TYPES.some((known) => known === name) ? undefined : 'is no grant type that redmint has',
  )
  if (grant_types.length === 0) fields.required('grant_types')
  const redirect_uris = fields.list('redirect_uris', redirectUriProblem)
  const allowed_scopes = fields.list('allowed_scopes', (name) =>
    isScopeToken(name) ? undefined : 'is no scope name (RFC 6749 §3.3)',
  )
  const access_token_format = fields.oneOf('access_token_format', ACCESS_TOKEN_FORMATS)
  const access_token_ttl = parseSeconds(fields, 'access_token_ttl', MAX_SIGNED_TOKEN_TTL)
  const id_token_ttl = parseSeconds(fields, 'id_token_ttl', MAX_SIGNED_TOKEN_TTL)
  const refresh_token_ttl = parseSeconds(fields, 'refresh_token_ttl', MAX_REFRESH_TOKEN_TTL)
  const refresh_token_rotation = fields.boolean('refresh_token_rotation', true)
  const can_introspect = fields.boolean('can_introspect', false)
  const require_pkce = fields.boolean('require_pkce', true)
  if (is_public && !require_pkce) fields.fail('require_pkce', 'must be true, because is_public is true')
  const first_party = fields.boolean('first_party', false)
  const subject_type = fields.oneOf('subject_type', SUBJECT_TYPES) ?? 'public'
  const sector_identifier = parseSector(fields, subject_type, redirect_uris)
  const id_token_signed_response_alg = fields.oneOf('id_token_signed_response_alg', SIGNING_ALGS)
  const post_logout_redirect_uris = fields.list('post_logout_redirect_uris', redirectUriProblem)
  const backchannel_logout_uri = parseLogoutUri(fields)
  const logout_ends_tokens = fields.boolean('logout_ends_tokens', false)
  const disabled = fields.boolean('disabled', false)
  if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
  return {
    ok: true,
    record: {
      client_id,
      ...(client_secret_hash === undefined ? {} : { client_secret_hash }),
      client_name: fields.optional('client_name') ?? client_id,
      redirect_uris,
      allowed_scopes,
      grant_types: grant_types as GrantType[],
      is_public,
      ...(access_token_format === undefined ? {} : { access_token_format }),
      ...(access_token_ttl === undefined ? {} : { access_token_ttl }),
      ...(id_token_ttl === undefined ? {} : { id_token_ttl }),
      ...(refresh_token_ttl === undefined ? {} : { refresh_token_ttl }),
      refresh_token_rotation,
      can_introspect,
      require_pkce,
      first_party,
      subject_type,
      ...(sector_identifier === undefined ? {} : { sector_identifier }),
      ...(id_token_signed_response_alg === undefined ? {} : { id_token_signed_response_alg }),
      post_logout_redirect_uris,
      ...(backchannel_logout_uri === undefined ? {} : { backchannel_logout_uri }),
      logout_ends_tokens,
      disabled,
    },
  }
}

function parseSeconds(fields: FieldReader, field: string, max: number): number | undefined {
  const value = fields.optional(field)
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(value) || Number(value) > max) {
    fields.fail(field, `must be a whole number of seconds from 1 to ${max}`)
  }
  return Number(value)
}

function parseSecretHash(fields: FieldReader, is_public: boolean): string | undefined {
  const field = 'client_secret_hash'
  const value = fields.optional(field)
  if (is_public) {
    if (value !== undefined) fields.fail(field, 'must be absent, because is_public is true')
    return undefined
  }
  if (value === undefined) fields.fail(field, 'is missing, and is_public is false')
  else if (!isSha256Base64(value)) fields.fail(field, 'is no SHA-256 digest in base64 (44 characters)')
  return value
}

// OpenID Connect Core §8.1: one host, or it has to be said which one counts.
function parseSector(
  fields: FieldReader,
  subject_type: SubjectType,
  redirect_uris: readonly string[],
): string | undefined {
  const sector = fields.optional('sector_identifier')
  if (sector !== undefined && !/^[a-z0-9.-]+$/.test(sector)) {
    fields.fail('sector_identifier', 'is no host name in lower case')
  }
  if (sector !== undefined || subject_type === 'public') return sector
  const hosts = new Set(redirect_uris.flatMap((uri) => (URL.canParse(uri) ? [new URL(uri).hostname] : [])))
  if (hosts.size === 1 && !hosts.has('')) return [...hosts][0]
  fields.fail('sector_identifier', 'is missing: the redirect_uris of a pairwise client have not one host')
  return undefined
}

// OpenID Connect Back-Channel Logout §2.2.
function parseLogoutUri(fields: FieldReader): string | undefined {
  const field = 'backchannel_logout_uri'
  const uri = fields.optional(field)
  if (uri === undefined) return undefined
  const url = redirectUriProblem(uri) === undefined ? new URL(uri) : undefined
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    fields.fail(field, 'must be an https URL without fragment and credentials, or http on loopback')
  }
  return uri
}

/** What storage keeps of a client's secret (spec 5.1): its SHA-256 in base64. */
export function secretHash(client_secret: string): string {
  return createHash('sha256').update(client_secret).digest('base64')
}

function isSha256Base64(value: string): boolean {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === 32 && bytes.toString('base64') === value
}

/** The hash that stands for a client in storage. */
export function formatClient(client: ClientDefinition): Hash {
  const hash: Record<string, string> = {
    client_id: client.client_id,
    client_secret_hash: client.client_secret_hash ?? '',
    client_name: client.client_name,
    redirect_uris: client.redirect_uris.join(' '),
    allowed_scopes: client.allowed_scopes.join(' '),
    grant_types: client.grant_types.join(' '),
    is_public: String(client.is_public),
  }
  if (client.access_token_format) hash.access_token_format = client.access_token_format
  for (const field of ['access_token_ttl', 'id_token_ttl', 'refresh_token_ttl'] as const) {
    if (client[field] !== undefined) hash[field] = String(client[field])
  }
  if (client.refresh_token_rotation === false) hash.refresh_token_rotation = 'false'
  if (client.can_introspect) hash.can_introspect = 'true'
  if (client.require_pkce === false) hash.require_pkce = 'false'
  if (client.first_party) hash.first_party = 'true'
  if (client.subject_type === 'pairwise') hash.subject_type = 'pairwise'
  if (client.sector_identifier) hash.sector_identifier = client.sector_identifier
  if (client.id_token_signed_response_alg) {
    hash.id_token_signed_response_alg = client.id_token_signed_response_alg
  }
  if (client.post_logout_redirect_uris?.length) {
    hash.post_logout_redirect_uris = client.post_logout_redirect_uris.join(' ')
  }
  if (client.backchannel_logout_uri) hash.backchannel_logout_uri = client.backchannel_logout_uri
  if (client.logout_ends_tokens) hash.logout_ends_tokens = 'true'
  if (client.disabled) hash.disabled = 'true'
  return hash
}
