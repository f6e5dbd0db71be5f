import { verifiedAlg } from '../../core/algs.ts'
import type { FieldTable } from '../../core/field-table.ts'
import { isObject, parseObject } from '../../core/json.ts'
import { describeUnquoted } from '../../core/record-hash.ts'
import { invalidClientMetadata, invalidRedirectUri } from '../../core/registration-errors.ts'
import { isUrl } from '../../core/uri.ts'
import { isSecretKey } from '../../keys/key-set.ts'
import { keyProblems } from '../keys/key-problems.ts'
import { AUTH_METHODS, CLIENT_FIELDS } from '../record/client-fields.ts'
import { type Client, formatClient, parseClient } from '../record/client-record.ts'
import { keySetProblem, keySetUriProblem } from '../record/key-fields.ts'
import { isNativeRedirectUri, recipientOf } from '../record/redirect-uri.ts'
import { REQUEST_FIELDS } from '../record/request-fields.ts'
import { ENCRYPTED_ANSWERS } from '../record/signed-answer-fields.ts'
import {
  isTexts,
  type Metadata,
  type MetadataRules,
  metadataProblems,
  SIGNING_ALG_MEMBERS,
  uriProblems,
} from './metadata-checks.ts'

const TABLE: FieldTable = CLIENT_FIELDS
/** Members that say how answers to the client are encrypted. */
const ENCRYPTION_MEMBERS = ENCRYPTED_ANSWERS.flatMap(
  (what) => [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`] as const,
)
/** Algorithms of what the client signs: the record has one name for each. */
const SIGNED_BY_CLIENT = new Set(['token_endpoint_auth_signing_alg', 'request_object_signing_alg'])
const PAGES = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri'] as const
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
/** The fields of a record that come from client metadata. */
export const DESCRIBED_FIELDS: readonly string[] = [
  'client_id',
  'is_public',
  'client_secret_hash',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks',
  'jwks_uri',
  'redirect_uris',
  'allowed_scopes',
  'grant_types',
  'refresh_tokens',
  ...PAGES,
  ...SAME,
]
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const NONE = 'none'
const KEYS_METHOD = 'private_key_jwt'

const MAX_DESCRIPTION_LENGTH = 1000

/**
 * Returns the client that a JSON document of client metadata describes, with keys that can be used.
 * @throws as describeClient and demandUsableKeys
 */
export function readClientMetadata(document: unknown, rules: MetadataRules): Client {
  const client = describeClient(document, rules)
  demandUsableKeys(client)
  return client
}

/**
 * Checks that a client which described itself has the keys that it needs. Strangers choose them, and to import 20 of them
 * takes milliseconds.
 * @throws OAuthError `invalid_client_metadata`
 */
export function demandUsableKeys(client: Client): void {
  const problems = keyProblems(formatClient(client)).map(describeUnquoted)
  if (problems.length > 0) throw refusedMetadata(problems)
}

/**
 * Returns the client that a JSON document of client metadata describes (RFC 7591 §2); its keys are not imported. This is
 * all that such a client may have (docs/decisions/0055-clients-that-register-themselves.md): sign-ins of users with the
 * given scopes. It cannot act for itself, skip consent or introspect, and it does not choose its id, its secret or its
 * lifetimes. Members that are not understood are ignored (§2); the caller adds the fields that are its own.
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` that says what to correct (§3.2.2)
 */
export function describeClient(document: unknown, rules: MetadataRules): Client {
  if (!isObject(document))
    throw invalidClientMetadata('metadata_refused', 'The client metadata must be a JSON object.')
  // RFC 7592 §2.2: null is the same as absent.
  const metadata = new Map(Object.entries(document).filter(([, value]) => value !== null && value !== ''))
  const redirect_uris = readRedirectUris(metadata)
  const problems = metadataProblems(metadata, rules)
  const hash = {
    ...fieldsOf(metadata, SAME, problems),
    ...ownPages(metadata, rules.origin ?? onlyOrigin(redirect_uris), problems),
    ...authentication(metadata, rules, problems),
    ...keys(metadata, problems),
    ...grants(metadata, problems),
    ...applicationType(metadata, redirect_uris),
    redirect_uris: redirect_uris.join(' '),
    allowed_scopes: rules.scopes.join(' '),
  }
  if (problems.length > 0) throw refusedMetadata(problems)
  const client = parseClient(rules.client_id, hash)
  if (client.ok) return client.record
  throw refusedMetadata(client.problems.map(describeUnquoted))
}

/** Each problem begins with the member that it is about. */
const refusedMetadata = (problems: readonly string[]) =>
  invalidClientMetadata('metadata_refused', description(problems), {
    received: { members: [...new Set(problems.map((problem) => problem.split(' ')[0] ?? ''))] },
  })

/** @throws OAuthError `invalid_redirect_uri` */
function readRedirectUris(metadata: Metadata): readonly string[] {
  const uris = metadata.get('redirect_uris')
  const problems: string[] = []
  // RFC 7591 §2: clients of flows with redirection MUST register their redirect URIs.
  if (!isTexts(uris) || uris.length === 0) problems.push('redirect_uris must be an array of at least one URI')
  else problems.push(...uriProblems('redirect_uris', uris))
  if (problems.length > 0)
    throw invalidRedirectUri(description(problems), {
      received: { redirect_uris: isTexts(uris) ? uris : [] },
    })
  return [...new Set(uris as readonly string[])]
}

/** Returns the given members as the texts of the fields of the same names. */
function fieldsOf(
  metadata: Metadata,
  members: readonly string[],
  problems: string[],
): Record<string, string> {
  const hash: Record<string, string> = {}
  for (const member of members) {
    const sent = metadata.get(member)
    const given = SIGNED_BY_CLIENT.has(member) ? (verifiedAlg(sent) ?? sent) : sent
    const field = TABLE[member]
    if (given === undefined || field === undefined) continue
    // RFC 7591 §2: an array. Files of operators may also give the string of the record.
    const read =
      field.layout === 'line' || isTexts(given)
        ? field.fromJson(given)
        : { problem: 'must be an array of strings' }
    if ('text' in read) hash[member] = read.text
    else problems.push(`${member} ${read.problem}`)
  }
  return hash
}

/**
 * Returns the addresses of its pages and its logo. An address on an origin that is not proven to be the client's is left
 * out: the logo could be that of another service, and the links could lead anywhere (RFC 7591 §5).
 */
function ownPages(
  metadata: Metadata,
  origin: string | undefined,
  problems: string[],
): Record<string, string> {
  const pages = Object.entries(fieldsOf(metadata, PAGES, problems))
  const isOwn = (uri: string) => isUrl(uri) && new URL(uri).origin === origin
  return Object.fromEntries(pages.filter(([, uri]) => isOwn(uri)))
}

/**
 * Returns the https origin of all redirect URIs; undefined if there is not exactly one, or some program on the device can
 * get the code. To list an address proves nothing about its owner, but here nobody else gets what users allow.
 */
function onlyOrigin(redirect_uris: readonly string[]): string | undefined {
  const [origin, ...others] = new Set(redirect_uris.map(recipientOf))
  return others.length === 0 && origin?.startsWith('https:') ? origin : undefined
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
 * Returns where its keys are (RFC 7591 §2). Malformed keys are left out if it needs none to authenticate or for
 * encryption, so that it can register.
 */
function keys(metadata: Metadata, problems: string[]): Record<string, string> {
  const jwks = metadata.get('jwks')
  // Everybody can read a metadata document, and a reader of the private key could sign as the client.
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

/** RFC 7591 §2.1. Grant types that such a client cannot have are left out, so that it can register all the same. */
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

/** Native apps seldom send application_type, but without it they cannot use any port of localhost (RFC 8252 §7.3). */
function applicationType(metadata: Metadata, redirect_uris: readonly string[]): Record<string, string> {
  if (metadata.has('application_type')) return {}
  return { application_type: redirect_uris.some(isNativeRedirectUri) ? 'native' : 'web' }
}

/** RFC 7591 §3.2.2: the description is ASCII; the other characters that are left out are those of RFC 6749 §5.2. */
function description(problems: readonly string[]): string {
  const text = [...new Set(problems)].join('; ').replaceAll('§', 'section ').replaceAll('"', "'")
  return `${text.replace(/[^\x20-\x7E]|\\/g, '?').slice(0, MAX_DESCRIPTION_LENGTH)}.`
}
