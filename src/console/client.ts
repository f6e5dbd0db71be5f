import { type Client, parseClient } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { ACT_AS, ADMIN_SCOPES } from '../core/admin-scopes.ts'
import { callbackOf, consolePlace } from './place.ts'

/** The client_id of the console. */
export const CONSOLE_CLIENT = 'redmint-console'
/** What the console asks for: each operator gets the part of it that the account has. */
export const CONSOLE_SCOPE = `redmint:read redmint:write ${ACT_AS}`
/** How long an operator stays signed in at most, in seconds. */
export const CONSOLE_TTL = 28_800

/** Returns the client that the console is: a public one with PKCE, of which no record is in storage. */
export function consoleClient(
  settings: Pick<Settings, 'issuer' | 'console_origin' | 'proxy_strips_path'>,
): Client {
  const parsed = parseClient(CONSOLE_CLIENT, {
    client_id: CONSOLE_CLIENT,
    client_name: 'Console',
    redirect_uris: callbackOf(consolePlace(settings)),
    // An operator with a part of a sum is granted that part.
    allowed_scopes: ADMIN_SCOPES.join(' '),
    grant_types: 'authorization_code',
    is_public: 'true',
    first_party: 'true',
    access_token_format: 'opaque',
    access_token_ttl: String(CONSOLE_TTL),
    refresh_tokens: 'never',
  })
  if (!parsed.ok) throw new Error(`The client of the console is malformed: ${parsed.problems[0]?.problem}`)
  return parsed.record
}
