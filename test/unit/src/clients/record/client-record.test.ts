// Each malformed field of a client record is a problem that names it.

import t from 'tap'
import { formatClient, parseClient } from '../../../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'
import { CLIENTS, REDIRECT_URI, SECRET } from '../../../../support/service.ts'

const HASH = secretHash(SECRET)
const HEX = Buffer.from(HASH, 'base64').toString('hex')

const MALFORMED: [field: string, value: string | undefined][] = [
  ['client_id', 'somebody-else'],
  ['client_id', ' web'],
  ['client_secret_hash', undefined],
  ['client_secret_hash', ''],
  ['client_secret_hash', SECRET],
  ['client_secret_hash', secretHash('')],
  ['client_secret_hash', HEX],
  ['client_secret_hash', HASH.slice(0, -1)],
  ['client_secret_hash', HASH.slice(0, 40)],
  ['client_secret_hash', `${HASH} `],
  ['client_secret_hash', ` ${HASH}`],
  ['client_secret_hash', `${HASH}=`],
  ['client_secret_hash', `{SHA256}${HASH}`],
  ['client_secret_hash', Buffer.alloc(31).toString('base64')],
  ['client_secret_hash', Buffer.alloc(33).toString('base64')],
  ['client_secret_hash', Buffer.alloc(32, 0xff).toString('base64url')],
  // An old secret without an end would be accepted for ever.
  ['old_secret_ends_at', 'missing beside old_secret_hash'],
  ['old_secret_hash', secretHash('')],
  ['old_secret_ends_at', 'tomorrow'],
  ['client_secret_created_at', '2026-11-22'],
  ['is_public', undefined],
  ['is_public', ''],
  ['is_public', 'False'],
  ['is_public', 'no'],
  ['is_public', '0'],
  ['is_public', 'false '],
  ['is_public', 'null'],
  // A public client must not have a secret.
  ['client_secret_hash', 'is_public=true'],
  ['grant_types', undefined],
  ['grant_types', ''],
  ['grant_types', ' '],
  ['grant_types', '*'],
  ['grant_types', 'password'],
  ['grant_types', 'client_credentials implicit'],
  ['grant_types', 'client_credentials,authorization_code'],
  ['grant_types', 'Client_Credentials'],
  ['grant_types', 'client_credentials  authorization_code'],
  ['grant_types', 'client_credentials\tauthorization_code'],
  ['grant_types', ' client_credentials'],
  ['grant_types', 'client_credentials '],
  ['grant_types', '["client_credentials"]'],
  ['allowed_scopes', 'api.read  api.write'],
  ['allowed_scopes', ' api.read'],
  ['allowed_scopes', 'api.read '],
  ['allowed_scopes', 'api.read\tapi.write'],
  ['allowed_scopes', 'api.read\u00a0api.write'],
  ['allowed_scopes', '"api.read"'],
  ['allowed_scopes', 'api\\read'],
  ['allowed_scopes', 'äpi.read'],
  ['allowed_scopes', '["api.read"]'],
  ['redirect_uris', `${REDIRECT_URI}  https://b.example.com/`],
  ['redirect_uris', ` ${REDIRECT_URI}`],
  ['redirect_uris', `${REDIRECT_URI} `],
  ['redirect_uris', `${REDIRECT_URI}\thttps://b.example.com/`],
  ['redirect_uris', `${REDIRECT_URI}\n`],
  ['redirect_uris', `${REDIRECT_URI} /callback`],
  ['redirect_uris', `${REDIRECT_URI} callback`],
  ['redirect_uris', `${REDIRECT_URI} //b.example.com/callback`],
  ['redirect_uris', `${REDIRECT_URI} https:///callback`],
  ['redirect_uris', `${REDIRECT_URI} https:callback`],
  ['redirect_uris', `${REDIRECT_URI} https://`],
  ['redirect_uris', `${REDIRECT_URI}#`],
  ['redirect_uris', `${REDIRECT_URI}#fragment`],
  ['redirect_uris', `${REDIRECT_URI} javascript:alert(1)`],
  ['redirect_uris', `${REDIRECT_URI} JavaScript:alert(1)`],
  ['redirect_uris', `${REDIRECT_URI} data:text/html,x`],
  ['redirect_uris', `${REDIRECT_URI} vbscript:x`],
  ['redirect_uris', `${REDIRECT_URI} file:///etc/passwd`],
  ['redirect_uris', `${REDIRECT_URI} blob:https://app.example.com/x`],
  ['redirect_uris', `${REDIRECT_URI} myapp:/callback`],
  ['redirect_uris', `${REDIRECT_URI} https://user:password@app.example.com/`],
  ['redirect_uris', `${REDIRECT_URI} https://user@app.example.com/`],
  ['redirect_uris', `${REDIRECT_URI} https://app.example.com\\callback`],
  ['redirect_uris', `${REDIRECT_URI} https://äpp.example.com/`],
  ['redirect_uris', `${REDIRECT_URI} https://app.example.com/"x"`],
  ['redirect_uris', `${REDIRECT_URI} https://app.example.com:99999/`],
  ['redirect_uris', `${REDIRECT_URI} https://[::1/`],
  ['redirect_uris', `["${REDIRECT_URI}"]`],
  ['redirect_uris', `${REDIRECT_URI},https://b.example.com/#x`],
  ['access_token_format', 'JWT'],
  ['access_token_format', 'none'],
  ['access_token_format', 'opaque '],
  ['disabled', 'True'],
  ['disabled', '1'],
  ['disabled', 'yes'],
  ['disabled', 'no'],
  ['require_pkce', 'no'],
  ['require_pkce', 'False'],
  ['require_pkce', ' false'],
  ['first_party', 'yes'],
  ['first_party', 'TRUE'],
  ['first_party', '1'],
  ['subject_type', 'private'],
  ['subject_type', 'Pairwise'],
  ['sector_identifier', 'https://example.com/uris.json'],
  ['sector_identifier', 'Example.com'],
  ['sector_identifier', 'example.com '],
  ['id_token_signed_response_alg', 'none'],
  ['id_token_signed_response_alg', 'HS256'],
  ['id_token_signed_response_alg', 'rs256'],
  ['id_token_signed_response_alg', 'RS256 ES256'],
  ['post_logout_redirect_uris', '/bye'],
  ['post_logout_redirect_uris', `${REDIRECT_URI} `],
  ['post_logout_redirect_uris', 'javascript:alert(1)'],
  ['post_logout_redirect_uris', `${REDIRECT_URI}#bye`],
  ['backchannel_logout_uri', '/logout'],
  ['backchannel_logout_uri', 'http://app.example.com/logout'],
  ['backchannel_logout_uri', 'file:///logout'],
  ['backchannel_logout_uri', 'https://app.example.com/logout#x'],
  ['backchannel_logout_uri', 'https://user:password@app.example.com/logout'],
  ['backchannel_logout_uri', 'https://app.example.com/a https://app.example.com/b'],
  ['client_uri', 'javascript:alert(1)'],
  ['logo_uri', 'data:image/svg+xml,<svg/>'],
  ['logo_uri', 'http://app.example.com/logo.png'],
  ['logo_uri', '/logo.png'],
  ['logo_uri', "https://app.example.com';script-src/"],
  ['policy_uri', 'https://user@app.example.com/'],
  ['tos_uri', 'https://app.example.com/a b'],
  ['logout_ends_tokens', 'on'],
  ['logout_ends_tokens', 'true '],
]

/** The record of a confidential client with both grants and one malformed field. */
function malformed(field: string, value: string | undefined): Record<string, string> {
  const record: Record<string, string> = { ...formatClient(CLIENTS.web) }
  if (value === undefined) Reflect.deleteProperty(record, field)
  else if (value === 'is_public=true') record.is_public = 'true'
  else if (value === 'missing beside old_secret_hash') record.old_secret_hash = HASH
  else record[field] = value
  return record
}

t.test('each malformed field is a problem of the record', async (t) => {
  t.match(parseClient('web', formatClient(CLIENTS.web)), { ok: true })
  for (const [field, value] of MALFORMED) {
    const parsed = parseClient('web', malformed(field, value))
    const fields = parsed.ok ? [] : parsed.problems.map((problem) => problem.field)
    t.equal(fields[0], field, `${field} "${value}"`)
  }
})
