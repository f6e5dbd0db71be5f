// A malformed client record is refused, never treated as a more permissive client; the log names the field.

import t from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'
import { forEachStorage, watching } from '../../../../support/matrix.ts'
import { changeClient, createClient } from '../../../../support/records.ts'
import { basic, CLIENTS, REDIRECT_URI, SECRET, startService } from '../../../../support/service.ts'
import { until } from '../../../../support/until.ts'

const FORM = { grant_type: 'client_credentials' }
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
function malformed(client_id: string, field: string, value: string | undefined): Record<string, string> {
  const record: Record<string, string> = { ...formatClient({ ...CLIENTS.web, client_id }) }
  if (value === undefined) Reflect.deleteProperty(record, field)
  else if (value === 'is_public=true') record.is_public = 'true'
  else if (value === 'missing beside old_secret_hash') record.old_secret_hash = HASH
  else record[field] = value
  return record
}

forEachStorage(t, 'each malformed field refuses the client, and the log names it', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { token, authorize, log } = await startService(t, { storage })
  for (const [index, [field, value]] of MALFORMED.entries()) {
    const client_id = `malformed-${index}`
    await createClient(storage, client_id, malformed(client_id, field, value))
    const ways = {
      Basic: () => token(FORM, basic(client_id)),
      body: () => token({ ...FORM, client_id, client_secret: SECRET }),
      'no secret': () => token({ ...FORM, client_id }),
      'an empty secret': () => token(FORM, basic(client_id, '')),
    }
    for (const [way, ask] of Object.entries(ways)) {
      log.length = 0
      const { status, json } = await ask()
      t.equal(status, 401, `${field} "${value}", ${way}`)
      t.equal(json.error, 'invalid_client')
      const warnings = log.map((line) => JSON.parse(line)).filter((line) => line.level === 40)
      t.ok(
        warnings.some((line) => line.client_id === client_id && line.field === field),
        `the log names ${field}`,
      )
    }
    const { status, headers } = await authorize({ client_id })
    t.equal(status, 400, 'authorization requests are refused')
    t.equal(headers.location, undefined)
  }
})

forEachStorage(t, 'optional fields may be missing', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { token, authorize } = await startService(t, { storage })
  const { client_id: _, ...unnamed } = formatClient({ ...CLIENTS.web, client_id: 'x' })
  const records: [client_id: string, record: Record<string, string>][] = [
    ['without-id', unnamed],
    ['without-name', { ...unnamed, client_name: '' }],
    ['with-more', { ...unnamed, contact: 'somebody@example.com' }],
    ['enabled', { ...unnamed, disabled: 'false' }],
    ['with-format', { ...unnamed, access_token_format: 'jwt' }],
  ]
  for (const [client_id, record] of records) {
    await createClient(storage, client_id, record)
    t.equal((await token(FORM, basic(client_id))).status, 200, client_id)
    t.ok((await authorize({ client_id })).redirect.get('code'))
  }
  const { redirect_uris: __, allowed_scopes: ___, ...bare } = unnamed
  await createClient(storage, 'bare', bare)
  t.equal((await token(FORM, basic('bare'))).json.scope, '', 'no scopes')
  t.equal((await authorize({ client_id: 'bare' })).status, 400, 'no redirect_uris')
})

forEachStorage(t, 'a client that becomes malformed or disabled is refused', async (t, makeStorage) => {
  const { storage } = await makeStorage()
  const { token, authorize } = await startService(t, { storage })
  await watching(storage)
  const changes = [{ is_public: 'maybe' }, { disabled: 'true' }, { redirect_uris: `${REDIRECT_URI}#` }]
  for (const [index, set] of changes.entries()) {
    const client_id = `good-${index}`
    await createClient(storage, client_id, formatClient({ ...CLIENTS.web, client_id }))
    t.equal((await token(FORM, basic(client_id))).status, 200)
    t.equal((await authorize({ client_id })).status, 302)
    await changeClient(storage, client_id, { set, unset: [] })
    await until('the change is visible', async () => (await token(FORM, basic(client_id))).status === 401)
    t.equal((await authorize({ client_id })).status, 400, JSON.stringify(set))
  }
})
