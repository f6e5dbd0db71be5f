import { present } from '../../core/present.ts'
import type { Client } from '../record/client-record.ts'
import { redirectGrants } from '../record/grant-types.ts'
import { previewUriProblem } from './preview-uri.ts'

/** What a client proves or reads with keys of its own, which a preview does not have: such a client has no previews. */
const WITH_KEYS = [
  'profile',
  'require_signed_request_object',
  'tls_client_certificate_bound_access_tokens',
  'id_token_encrypted_response_alg',
  'authorization_encrypted_response_alg',
  'userinfo_encrypted_response_alg',
] as const satisfies readonly (keyof Client)[]

/** Returns why there are no previews of a client, as a part of a sentence; undefined: there may be. */
export function noPreviewsOf(client: Client): string | undefined {
  if (client.preview_of !== undefined) return 'it is a preview itself'
  if (client.document_host !== undefined || client.registered_at !== undefined)
    return 'no operator registered it'
  if (redirectGrants(client.grant_types).length === 0) return 'nobody signs in at it'
  const field = WITH_KEYS.find((name) => client[name] !== undefined && client[name] !== false)
  if (field !== undefined) return `${field} demands keys, which previews do not have`
  return (client.preview_hosts ?? []).length === 0 ? 'it has no preview_hosts' : undefined
}

/**
 * Returns a preview as its original is now: what the original may not do, or may do no more, its previews may not.
 * @param original absent: it is gone, disabled or malformed
 * @param now milliseconds since 1970
 * @returns undefined: the preview is refused, or has lapsed
 */
export function previewAsOf(preview: Client, original: Client | undefined, now: number): Client | undefined {
  // Storage does not report at once that a record expired, and one that was written by hand may never.
  if (!(now < Date.parse(preview.lapses_at ?? ''))) return undefined
  if (original === undefined || noPreviewsOf(original) !== undefined) return undefined
  if (previewUriProblem(original, preview.redirect_uris[0] ?? '') !== undefined) return undefined
  const { allowed_groups: _, required_acr: __, grants_end_before: own_mark = 0, ...own } = preview
  const { allowed_groups, required_acr, authorization_details_types = [] } = original
  const mark = Math.max(own_mark, original.grants_end_before ?? 0)
  return {
    ...own,
    allowed_scopes: own.allowed_scopes.filter((name) => original.allowed_scopes.includes(name)),
    authorization_details_types: (own.authorization_details_types ?? []).filter((name) =>
      authorization_details_types.includes(name),
    ),
    refresh_tokens: weaker(own.refresh_tokens, original.refresh_tokens),
    dpop_bound_access_tokens:
      own.dpop_bound_access_tokens === true || original.dpop_bound_access_tokens === true,
    require_pushed_authorization_requests:
      own.require_pushed_authorization_requests === true ||
      original.require_pushed_authorization_requests === true,
    ...present({ allowed_groups, required_acr, grants_end_before: mark > 0 ? mark : undefined }),
  }
}

const REFRESH_TOKENS = [
  'never',
  'offline_access',
  'always',
] as const satisfies readonly Client['refresh_tokens'][]

/** Returns the one of two rules about refresh tokens that gives fewer. */
const weaker = (one: Client['refresh_tokens'], other: Client['refresh_tokens']): Client['refresh_tokens'] =>
  REFRESH_TOKENS.find((name) => name === one || name === other) ?? 'never'

/**
 * Returns when a preview ends, in seconds since 1970, rounded up: none of its tokens outlives it. Infinity for a client that
 * is no preview.
 */
export function endOfPreview({
  preview_of,
  lapses_at = '',
}: Pick<Client, 'preview_of' | 'lapses_at'>): number {
  return preview_of === undefined ? Number.POSITIVE_INFINITY : Math.ceil(Date.parse(lapses_at) / 1000)
}
