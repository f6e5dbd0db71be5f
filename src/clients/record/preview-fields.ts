import { isAdminScope } from '../../core/admin-scopes.ts'
import { text, uris, words } from '../../core/field-kinds.ts'
import type { FieldTable, RecordOf } from '../../core/field-table.ts'
import type { FieldReader } from '../../core/record-hash.ts'
import { randomText } from '../../core/token-string.ts'
import { browserGrants } from './grant-types.ts'

/** The longest lifetime of the refresh tokens of a preview, in seconds. */
export const MAX_PREVIEW_REFRESH = 3600

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(?=.{1,190}$)${LABEL}(?:\\.${LABEL})+$`)

// Hosts below which anybody gets a label: whoever takes the right one would be a preview.
const OPEN_HOSTS = new Set(
  'amplifyapp.com azurecontainerapps.io azurestaticapps.net azurewebsites.net cloudfront.net deno.dev firebaseapp.com fly.dev github.io gitlab.io glitch.me herokuapp.com loca.lt netlify.app ngrok-free.app ngrok.app ngrok.io nip.io onrender.com pages.dev railway.app replit.app run.app sslip.io surge.sh trycloudflare.com up.railway.app vercel.app web.app workers.dev'.split(
    ' ',
  ),
)

/** The fields about previews: what an original says of those that may be made of it, and what makes a client one. */
export const PREVIEW_FIELDS = {
  /** Below which hosts the redirect URIs of its previews lie; absent: it has no previews. */
  preview_hosts: words({
    label: 'Hosts of its previews',
    check: hostProblem,
    flag: {
      group: 'sign_in',
      name: 'preview-host',
      value: 'host',
      help: 'the host one label below which its [previews](previews.md) lie, such as `preview.example.com`; repeatable',
      clear: 'let nobody make previews of it',
    },
    docs: 'the hosts, separated by single spaces, one label below which [previews](previews.md) of it lie: `preview.example.com` for `https://pr-12.preview.example.com`; default: it has no previews',
  }),
  /** The clients that may make previews of it by the right to do that alone. */
  preview_makers: uris({
    label: 'Applications that make its previews',
    check: (value) => (/^[\x21-\x7E]{1,255}$/.test(value) ? undefined : 'is not a client_id'),
    flag: {
      group: 'sign_in',
      name: 'preview-maker',
      value: 'client_id',
      help: 'a client that may make [previews](previews.md) of it, such as that of a CI job; repeatable',
      clear: 'let no client make previews of it',
    },
    docs: 'the client_ids, separated by single spaces, of clients that may make [previews](previews.md) of it with the scope `redmint:previews:write` alone; default: none',
  }),
  /** The client that it is a preview of; absent: it is none. */
  preview_of: text({
    label: 'Preview of',
    setBy: 'client for-preview',
    docs: 'the client_id of the client that it is a [preview](previews.md) of; it then has an `lapses_at`, and what it may do is at most what that one may do now; missing: it is no preview',
  }),
} satisfies FieldTable

const ID_PREFIX = 'preview-'
const ID_BYTES = 16

/** Whether a client_id is of the form of previews, which no other client can have. */
export function isPreviewId(client_id: string): boolean {
  return /^preview-[A-Za-z0-9_-]{22}$/.test(client_id)
}

/** Returns the client_id of a new preview: 128 random bits, so that none is given twice. */
export const newPreviewId = (): string => ID_PREFIX + randomText(ID_BYTES)

function hostProblem(host: string): string | undefined {
  if (host.includes('*')) return 'has a "*": name the host itself, previews are one label below it'
  if (!HOST.test(host) || /^[\d.]+$/.test(host))
    return 'is not a host name of two labels or more, in lower case, without port and dot at its end'
  return /(?:^|\.)xn--/.test(host) ? 'has a label in Punycode, which can look like another one' : undefined
}

/**
 * Returns why a host is not registered for previews now, or undefined. A record that has it already stays valid, and gets
 * no new previews.
 */
export function openHostProblem(host: string): string | undefined {
  return OPEN_HOSTS.has(host)
    ? 'gives a label below it to anybody, who could then be a preview: use a domain of your own for previews'
    : undefined
}

type Fields = RecordOf<typeof PREVIEW_FIELDS> & {
  readonly client_id: string
  readonly is_public: boolean
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly allowed_scopes: readonly string[]
  readonly refresh_token_ttl?: number
}

/** What a preview never has: each of it is more than to sign people in, or outlives it. */
const NEVER = [
  ...[
    'first_party',
    'can_introspect',
    'exchange_mode',
    'asks_people',
    'backchannel_client_notification_endpoint',
    'registered_at',
    'registration_token_hash',
    'demo',
  ],
  ...['profile', 'preview_hosts', 'preview_makers', 'forward_auth_hosts', 'backchannel_logout_uri'],
  ...['managed_by', 'sector_identifier', 'jwks', 'jwks_uri'],
]

/** Reports each field of a preview that lets it do more than a preview may, and each other client with the id of one. */
export function checkPreview(client: Partial<Fields>, fields: FieldReader): void {
  const { client_id = '', preview_of, redirect_uris = [], grant_types = [], allowed_scopes = [] } = client
  if (preview_of === undefined) {
    if (isPreviewId(client_id))
      fields.fail('client_id', 'has the form of those of previews, which redmint alone makes')
    return
  }
  const because = 'because it is a preview'
  if (!isPreviewId(client_id))
    fields.fail('preview_of', 'must be absent: the client_id is not that of a preview')
  if (isPreviewId(preview_of)) fields.fail('preview_of', 'is a preview itself')
  if (client.is_public === false) fields.fail('is_public', `must be true, ${because}`)
  if (redirect_uris.length !== 1 || !redirect_uris[0]?.startsWith('https://'))
    fields.fail('redirect_uris', `must be one https URL, ${because}`)
  if (fields.optional('lapses_at') === undefined)
    fields.fail('lapses_at', `is missing, and needed ${because}`)
  if (!((client.refresh_token_ttl ?? Number.POSITIVE_INFINITY) <= MAX_PREVIEW_REFRESH))
    fields.fail('refresh_token_ttl', `must be at most ${MAX_PREVIEW_REFRESH}, ${because}`)
  if (browserGrants(grant_types).length < grant_types.length)
    fields.fail('grant_types', `must be authorization_code, with refresh_token or without, ${because}`)
  if (allowed_scopes.some(isAdminScope))
    fields.fail('allowed_scopes', `must have no right at the admin API, ${because}`)
  for (const field of NEVER) {
    const value = fields.optional(field)
    if (value !== undefined && value !== 'false') fields.fail(field, `must be absent, ${because}`)
  }
}
