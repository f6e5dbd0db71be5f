import { ENCRYPTION_ENCS } from '../core/encryption-algs.ts'
import type { FieldTable } from '../core/field-table.ts'
import type { ClientId } from '../core/ids.ts'
import { isObject, parseObject } from '../core/json.ts'
import { invalidClientMetadata, invalidRedirectUri } from '../core/registration-errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import { isSecretKey } from '../keys/key-set.ts'
import { AUTH_METHODS, CLIENT_FIELDS } from './client-fields.ts'
import { type Client, parseClient } from './client-record.ts'
import { keySetProblem, keySetUriProblem } from './key-fields.ts'
import { commaProblem, isNativeRedirectUri, plainHttpProblem, redirectUriProblem } from './redirect-uri.ts'
import { REQUEST_FIELDS } from './request-fields.ts'
import { ENCRYPTED_ANSWERS } from './signed-answer-fields.ts'

/** What the server decides about a client that describes itself. */
export interface MetadataRules {
  readonly client_id: ClientId
  /** The digest of the secret that it gets unless it wants none; absent: it is a public client. */
  readonly client_secret_hash?: string
  /** The scope names that it may obtain, whatever it asks for. */
  readonly scopes: readonly string[]
  /** The algorithms that sign here. */
  readonly signing_algs: readonly SigningAlg[]
  /** Whether clients can send certificates here (RFC 8705). */
  readonly client_certificates: boolean
  /** An origin that is known to be its own, besides those of its redirect URIs. */
  readonly origin?: string
}

/** The metadata of a client as it sent them: own members only, unknown ones included. */
type Metadata = ReadonlyMap<string, unknown>

const TABLE: FieldTable = CLIENT_FIELDS
/** Members that name the algorithm of something that the client gets signed. */
const SIGNING_ALG_MEMBERS = [
  'id_token_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'userinfo_signed_response_alg',
] as const
/** Members that say how answers to the client are encrypted. */
const ENCRYPTION_MEMBERS = ENCRYPTED_ANSWERS.flatMap(
  (what) => [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`] as const,
)
/** The fields of a record that come of client metadata. */
export const DESCRIBED_FIELDS = [
  ...[
    'client_id',
    'client_name',
    'client_uri',
    'logo_uri',
    'policy_uri',
    'tos_uri',
    'is_public',
    'client_secret_hash',
  ],
  ...['token_endpoint_auth_method', 'redirect_uris', 'application_type', 'allowed_scopes', 'grant_types'],
  ...['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg'],
  ...[
    'refresh_tokens',
    ...SIGNING_ALG_MEMBERS,
    ...ENCRYPTION_MEMBERS,
    'post_logout_redirect_uris',
    'backchannel_logout_uri',
  ],
  ...['contacts', 'software_id', 'software_version', 'dpop_bound_access_tokens'],
  ...Object.keys(REQUEST_FIELDS),
  'tls_client_certificate_bound_access_tokens',
]

/** Members that are fields of the record under the same name. Those of its requests can only make it stricter. */
const SAME = [
  'client_name',
  'application_type',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  ...SIGNING_ALG_MEMBERS,
  ...ENCRYPTION_MEMBERS,
  'contacts',
  'software_id',
  'software_version',
  'dpop_bound_access_tokens',
  ...Object.keys(REQUEST_FIELDS),
  'tls_client_certificate_bound_access_tokens',
] as const
const PAGES = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri'] as const
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const NONE = 'none'
const KEYS_METHOD = 'private_key_jwt'

const MAX_URIS = 20
const MAX_NAME_LENGTH = 100
const MAX_DESCRIPTION_LENGTH = 1000

/**
 * Returns the client that a JSON document of client metadata describes (RFC 7591 §2). This is all that such a client may
 * have (docs/decisions/0055-clients-that-register-themselves.md): sign-ins of users with the given scopes. It cannot act
 * for itself, skip consent or introspect, and it does not choose its id, its secret or its lifetimes. Members that are
 * not understood are ignored (§2); the caller adds the fields that are its own.
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` that says what to correct (§3.2.2)
 */
export function readClientMetadata(document: unknown, rules: MetadataRules): Client {
  if (!isObject(document)) throw invalidClientMetadata('The client metadata must be a JSON object.')
  // RFC 7592 §2.2: null is the same as absent.
  const metadata = new Map(Object.entries(document).filter(([, value]) => value !== null && value !== ''))
  const redirect_uris = readRedirectUris(metadata)
  const problems = [
    ...nameProblems(metadata),
    ...scopeProblems(metadata, rules),
    ...logoutProblems(metadata),
    ...algProblems(metadata, rules),
    ...certificateProblems(metadata, rules),
    ...encryptionProblems(metadata),
  ]
  const known = [...redirect_uris, ...(rules.origin === undefined ? [] : [rules.origin])]
  const hash = {
    ...fieldsOf(metadata, SAME, problems),
    ...ownPages(metadata, known, problems),
    ...authentication(metadata, rules, problems),
    ...keys(metadata, problems),
    ...grants(metadata, problems),
    ...applicationType(metadata, redirect_uris),
    redirect_uris: redirect_uris.join(' '),
    allowed_scopes: rules.scopes.join(' '),
  }
  if (problems.length > 0) throw invalidClientMetadata(description(problems))
  const client = parseClient(rules.client_id, hash)
  if (client.ok) return client.record
  throw invalidClientMetadata(
    description(client.problems.map(({ field, problem }) => joined(field, problem))),
  )
}

/** @throws OAuthError `invalid_redirect_uri` */
function readRedirectUris(metadata: Metadata): readonly string[] {
  const uris = metadata.get('redirect_uris')
  const problems: string[] = []
  // RFC 7591 §2: clients of flows with redirection MUST register their redirect URIs.
  if (!isTexts(uris) || uris.length === 0) problems.push('redirect_uris must be an array of at least one URI')
  else problems.push(...uriProblems('redirect_uris', uris))
  if (problems.length > 0) throw invalidRedirectUri(description(problems))
  return [...new Set(uris as readonly string[])]
}

function uriProblems(member: string, uris: readonly string[]): string[] {
  if (uris.length > MAX_URIS) return [`${member} has ${uris.length} URIs: register at most ${MAX_URIS}`]
  return uris.flatMap((uri, index) => {
    const problem = redirectUriProblem(uri) ?? commaProblem(uri) ?? plainHttpProblem(uri)
    return problem === undefined ? [] : [`${member}[${index}] ${problem}`]
  })
}

/** Returns the given members as the texts of the fields of the same names. */
function fieldsOf(
  metadata: Metadata,
  members: readonly string[],
  problems: string[],
): Record<string, string> {
  const hash: Record<string, string> = {}
  for (const member of members) {
    const given = metadata.get(member)
    const read = given === undefined ? undefined : TABLE[member]?.fromJson(given)
    if (read === undefined) continue
    if ('text' in read) hash[member] = read.text
    else problems.push(`${member} ${read.problem}`)
  }
  return hash
}

/**
 * Returns its page addresses. One on a host that is not known to be the client's is left out: its logo could be that of
 * another service, and its links could lead to anybody (RFC 7591 §5).
 */
function ownPages(metadata: Metadata, known: readonly string[], problems: string[]): Record<string, string> {
  const origins = new Set(known.filter((uri) => uri.startsWith('https:')).map((uri) => new URL(uri).origin))
  const pages = Object.entries(fieldsOf(metadata, PAGES, problems))
  const isOwn = (uri: string) => URL.canParse(uri) && origins.has(new URL(uri).origin)
  return Object.fromEntries(pages.filter(([, uri]) => isOwn(uri)))
}

/** RFC 7591 §2, token_endpoint_auth_method. A secret that the client sends is ignored: the server makes it. */
function authentication(
  metadata: Metadata,
  { client_secret_hash }: MetadataRules,
  problems: string[],
): Record<string, string> {
  const method = metadata.get('token_endpoint_auth_method')
  const choices: readonly unknown[] =
    client_secret_hash === undefined ? [NONE, KEYS_METHOD] : [NONE, ...AUTH_METHODS]
  if (method !== undefined && !choices.includes(method)) {
    problems.push(`token_endpoint_auth_method must be ${choices.join(' or ')}`)
  }
  if (method === KEYS_METHOD) return { is_public: 'false', token_endpoint_auth_method: method }
  if (client_secret_hash === undefined || method === NONE) return { is_public: 'true' }
  return {
    is_public: 'false',
    client_secret_hash,
    ...(typeof method === 'string' && { token_endpoint_auth_method: method }),
  }
}

/**
 * Returns where its keys are (RFC 7591 §2). Malformed ones that it does not need, to authenticate or for
 * encryption, are left out, so that it can register.
 */
function keys(metadata: Metadata, problems: string[]): Record<string, string> {
  const jwks = metadata.get('jwks')
  // Everybody can read a document, and whoever has read the request can sign as the client.
  if (isObject(jwks) && Array.isArray(jwks.keys) && jwks.keys.some(isSecretKey)) {
    problems.push('jwks must not have private or symmetric keys')
    return {}
  }
  if (metadata.get('token_endpoint_auth_method') === KEYS_METHOD) {
    return fieldsOf(metadata, ['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg'], problems)
  }
  const encrypts = ENCRYPTED_ANSWERS.some((what) => metadata.has(`${what}_encrypted_response_alg`))
  if (encrypts) return fieldsOf(metadata, ['jwks', 'jwks_uri'], problems)
  const found = fieldsOf(metadata, ['jwks', 'jwks_uri'], [])
  if (found.jwks !== undefined && keySetProblem(parseObject(found.jwks)) === undefined) {
    return { jwks: found.jwks }
  }
  const { jwks_uri } = found
  return jwks_uri === undefined || keySetUriProblem(jwks_uri) !== undefined ? {} : { jwks_uri }
}

/** RFC 7591 §2.1. Types that such a client cannot have are left out, so that one that lists many can register. */
function grants(metadata: Metadata, problems: string[]): Record<string, string> {
  const grant_types = metadata.get('grant_types') ?? ['authorization_code']
  const response_types = metadata.get('response_types') ?? ['code']
  if (!isTexts(grant_types) || !grant_types.includes('authorization_code')) {
    problems.push(
      'grant_types must be an array with authorization_code: there is no other grant for this client',
    )
    return { grant_types: 'authorization_code' }
  }
  if (!isTexts(response_types) || !response_types.includes('code')) {
    problems.push('response_types must be an array with code: there is no other response type')
  }
  return {
    grant_types: GRANT_TYPES.filter((type) => grant_types.includes(type)).join(' '),
    refresh_tokens: grant_types.includes('refresh_token') ? 'always' : 'never',
  }
}

/** Apps that register seldom say what they are; without it, their system chooses no port of localhost (RFC 8252 §7.3). */
function applicationType(metadata: Metadata, redirect_uris: readonly string[]): Record<string, string> {
  if (metadata.has('application_type')) return {}
  return { application_type: redirect_uris.some(isNativeRedirectUri) ? 'native' : 'web' }
}

/**
 * The client gets all scopes of the rules, whichever it names: one that wants more later would only register again. So
 * its request is refused only if it could use none of them.
 */
function scopeProblems(metadata: Metadata, { scopes }: MetadataRules): string[] {
  const scope = metadata.get('scope')
  if (scope === undefined) return []
  if (typeof scope !== 'string') return ['scope must be a string']
  const names = scopeNames(scope)
  if (names.length === 0 || names.some((name) => scopes.includes(name))) return []
  return [`scope has no name that this client may obtain: it may obtain ${scopes.join(' ') || 'none'}`]
}

function nameProblems(metadata: Metadata): string[] {
  const name = metadata.get('client_name')
  if (typeof name !== 'string') return []
  if (name.length > MAX_NAME_LENGTH) return [`client_name must have at most ${MAX_NAME_LENGTH} characters`]
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) ? ['client_name must not have control characters'] : []
}

function logoutProblems(metadata: Metadata): string[] {
  const uris = metadata.get('post_logout_redirect_uris')
  const notified = metadata.get('backchannel_logout_uri')
  return [
    ...(isTexts(uris) ? uriProblems('post_logout_redirect_uris', uris) : []),
    // The operator may name an address on loopback, which is then that of the server.
    ...(typeof notified === 'string' && !notified.startsWith('https:')
      ? ['backchannel_logout_uri must be an https URL']
      : []),
  ]
}

function algProblems(metadata: Metadata, { signing_algs }: MetadataRules): string[] {
  return SIGNING_ALG_MEMBERS.flatMap((member) => {
    const alg = metadata.get(member)
    if (alg === undefined || signing_algs.some((known) => known === alg)) return []
    return [`${member} must be one of ${signing_algs.join(', ')}`]
  })
}

/** An answer must not be less protected, or otherwise, than the client was told (RFC 7591 §3.2.1). */
function encryptionProblems(metadata: Metadata): string[] {
  return ENCRYPTED_ANSWERS.flatMap((what) => {
    const [alg, enc] = [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`]
    const problems: string[] = []
    const is_supported = ENCRYPTION_ENCS.some((known) => known === metadata.get(enc))
    if (metadata.has(alg) && !is_supported) problems.push(`${enc} must be ${ENCRYPTION_ENCS.join(' or ')}`)
    // JARM §3, RFC 9701 §6, OpenID Connect Registration §2.
    if (metadata.has(enc) && !metadata.has(alg)) problems.push(`${enc} needs ${alg}`)
    if (metadata.has(alg) && !metadata.has('jwks') && !metadata.has('jwks_uri')) {
      problems.push(`${alg} needs jwks or jwks_uri, with a key whose use is enc`)
    }
    return problems
  })
}

// RFC 8705 §3.4: without certificates here, the client could get no tokens.
function certificateProblems(metadata: Metadata, { client_certificates }: MetadataRules): string[] {
  const field = 'tls_client_certificate_bound_access_tokens'
  if (client_certificates || String(metadata.get(field)) !== 'true') return []
  return [`${field} must be false: this server takes no client certificates`]
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function joined(field: string, problem: string): string {
  return problem.startsWith(':') ? `${field}${problem}` : `${field} ${problem}`
}

/** RFC 7591 §3.2.2: the description is ASCII; the other characters that are left out are those of RFC 6749 §5.2. */
function description(problems: readonly string[]): string {
  const text = [...new Set(problems)].join('; ').replaceAll('§', 'section ').replaceAll('"', "'")
  return `${text.replace(/[^\x20-\x7E]|\\/g, '?').slice(0, MAX_DESCRIPTION_LENGTH)}.`
}
