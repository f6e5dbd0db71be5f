import type { Settings } from '../../config/settings.ts'
import { isAdminScope } from '../../core/admin-scopes.ts'
import type { ClientId } from '../../core/ids.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { type Client, formatClient } from '../record/client-record.ts'
import { browserGrants } from '../record/grant-types.ts'
import { MAX_PREVIEW_REFRESH } from '../record/preview-fields.ts'
import { labelOf, pathOf } from './preview-uri.ts'

/** What a preview has as its original has it: nothing of it is a right of its own, and no secret. */
const SAME = [
  ...(['logo_uri', 'policy_uri', 'tos_uri', 'contacts', 'authorization_details_types'] as const),
  ...(['access_token_format', 'access_token_signed_response_alg', 'access_token_ttl'] as const),
  ...(['id_token_ttl', 'id_token_signed_response_alg', 'userinfo_signed_response_alg'] as const),
  ...(['authorization_signed_response_alg', 'refresh_tokens', 'scope_claims_in_id_token'] as const),
  ...(['custom_claims_in_access_token', 'multiple_audiences', 'dpop_bound_access_tokens'] as const),
  ...(['require_pushed_authorization_requests', 'required_acr', 'allowed_groups', 'everybody'] as const),
  ...(['provider', 'subject_type', 'logout_ends_tokens', 'status_list'] as const),
] as const satisfies readonly (keyof Client)[]

/** What is said of a preview that is made, or made again. */
interface NewPreview {
  readonly client_id: ClientId
  readonly redirect_uri: string
  /** Milliseconds since 1970. */
  readonly ends: number
}

/**
 * Returns the record of a preview: a public client that signs people in as its original does, and nothing more. Its
 * pairwise subs are its own, as its host is.
 */
export function previewRecord(
  original: Client,
  { client_id, redirect_uri, ends }: NewPreview,
  settings: Pick<Settings, 'refresh_token_ttl'>,
): Hash {
  const same = Object.fromEntries(SAME.map((name) => [name, original[name]]))
  const { allowed_scopes, grant_types, refresh_token_ttl = settings.refresh_token_ttl } = original
  return formatClient({
    ...present(same),
    client_id,
    client_name: `${original.client_name} (${labelOf(redirect_uri)})`,
    is_public: true,
    redirect_uris: [redirect_uri],
    post_logout_redirect_uris: afterLogout(original, redirect_uri),
    allowed_scopes: allowed_scopes.filter((name) => !isAdminScope(name)),
    grant_types: browserGrants(grant_types),
    refresh_token_ttl: Math.min(refresh_token_ttl, MAX_PREVIEW_REFRESH),
    preview_of: original.client_id,
    lapses_at: new Date(ends).toISOString(),
  })
}

/** Returns the fields that a preview can have of its original, of which one that is made again loses those that went. */
export const fieldsOfOriginal = (): readonly string[] => [...SAME, 'post_logout_redirect_uris']

/** Where people go after signing out of the original, at the host of the preview. */
function afterLogout(original: Client, redirect_uri: string): string[] {
  const path = pathOf(redirect_uri)
  const origins = original.redirect_uris
    .filter((uri) => pathOf(uri) === path)
    .map((uri) => new URL(uri).origin)
  const { origin } = new URL(redirect_uri)
  return original.post_logout_redirect_uris.flatMap((uri) => {
    const rest = pathOf(uri)
    return rest !== undefined && origins.includes(new URL(uri).origin) ? [origin + rest] : []
  })
}
