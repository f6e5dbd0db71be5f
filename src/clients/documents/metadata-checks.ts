import type { SigningAlg } from '../../core/algs.ts'
import { ENCRYPTION_ENCS } from '../../core/algs.ts'
import type { ClientId } from '../../core/ids.ts'
import { scopeNames } from '../../core/scope.ts'
import { visibleNameProblem } from '../../core/visible-text.ts'
import { newRedirectUriProblem, redirectUriProblem } from '../record/redirect-uri.ts'
import { ENCRYPTED_ANSWERS } from '../record/signed-answer-fields.ts'

/** What the server decides about a client that describes itself. */
export interface MetadataRules {
  readonly client_id: ClientId
  /** The digest of the secret that it gets unless it wants none; absent: it is a public client. */
  readonly client_secret_hash?: string
  /** The scope names that it may obtain, whatever it asks for. */
  readonly scopes: readonly string[]
  /** The algorithms that this server signs with. */
  readonly signing_algs: readonly SigningAlg[]
  /** Whether clients can send certificates here (RFC 8705). */
  readonly client_certificates: boolean
  /** The origin that is proven to be its own; absent: that of all its redirect URIs, if they have one. */
  readonly origin?: string
}

/** The metadata of a client as it sent them: own members only, unknown ones included. */
export type Metadata = ReadonlyMap<string, unknown>

/** Members that name the algorithm of something that the client gets signed. */
export const SIGNING_ALG_MEMBERS = [
  'id_token_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'userinfo_signed_response_alg',
] as const

const MAX_URIS = 20
const MAX_NAME_LENGTH = 100

/** Returns what is wrong with the members of a client that describes itself, as texts that begin with the member. */
export function metadataProblems(metadata: Metadata, rules: MetadataRules): string[] {
  return [
    ...nameProblems(metadata),
    ...scopeProblems(metadata, rules),
    ...logoutProblems(metadata),
    ...algProblems(metadata, rules),
    ...certificateProblems(metadata, rules),
    ...encryptionProblems(metadata),
  ]
}

/** Returns what is wrong with a list of redirect URIs in a member. */
export function uriProblems(member: string, uris: readonly string[]): string[] {
  if (uris.length > MAX_URIS) return [`${member} has ${uris.length} URIs: register at most ${MAX_URIS}`]
  return uris.flatMap((uri, index) => {
    const problem = redirectUriProblem(uri) ?? newRedirectUriProblem(uri)
    return problem === undefined ? [] : [`${member}[${index}] ${problem}`]
  })
}

/**
 * The client gets all scopes of the rules, whichever it names: otherwise a client that wants more later would register
 * again. So its request is refused only if it names none of them.
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
  const problem = visibleNameProblem(name)
  return problem === undefined ? [] : [`client_name ${problem}`]
}

function logoutProblems(metadata: Metadata): string[] {
  const uris = metadata.get('post_logout_redirect_uris')
  const notified = metadata.get('backchannel_logout_uri')
  return [
    ...(isTexts(uris) ? uriProblems('post_logout_redirect_uris', uris) : []),
    // Only an operator may name an address on loopback: it leads to the host of this server.
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

/** Answers are encrypted exactly as the client asks for, or it is refused (RFC 7591 §3.2.1). */
function encryptionProblems(metadata: Metadata): string[] {
  return ENCRYPTED_ANSWERS.flatMap((what) => {
    const [alg, enc] = [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`]
    const problems: string[] = []
    const is_supported = ENCRYPTION_ENCS.some((known) => known === metadata.get(enc))
    if (metadata.has(alg) && !is_supported) problems.push(`${enc} must be ${ENCRYPTION_ENCS.join(' or ')}`)
    // JARM §3, RFC 9701 §6, OpenID Connect Registration §2.
    if (metadata.has(enc) && !metadata.has(alg)) problems.push(`${enc} needs ${alg}`)
    return problems
  })
}

// RFC 8705 §3.4: without certificates here, the client could get no tokens.
function certificateProblems(metadata: Metadata, { client_certificates }: MetadataRules): string[] {
  const field = 'tls_client_certificate_bound_access_tokens'
  if (client_certificates || String(metadata.get(field)) !== 'true') return []
  return [`${field} must be false: this server takes no client certificates`]
}

/** Whether a member is an array of strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
