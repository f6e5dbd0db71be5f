// A malformed client record is refused, never treated as a more permissive client; the log names the field.

import t from 'tap'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { watching } from '../../../../support/matrix.ts'
import { changeClient, createClient } from '../../../../support/records.ts'
import { basic, CLIENTS, REDIRECT_URI, SECRET, startService } from '../../../../support/service.ts'
import { until } from '../../../../support/until.ts'

const FORM = { grant_type: 'client_credentials' }

/** One of each kind: test/unit/src/clients/record/client-record.test.ts has them all. */
const MALFORMED: Record<string, string> = {
  client_id: 'somebody-else',
  client_secret_hash: SECRET,
  is_public: 'no',
  grant_types: '*',
  allowed_scopes: 'api.read  api.write',
  redirect_uris: `${REDIRECT_URI}#`,
  require_pkce: 'no',
  disabled: 'yes',
}

t.test('each malformed field refuses the client, and the log names it', async (t) => {
  const { token, authorize, log, storage } = await startService(t)
  for (const [field, value] of Object.entries(MALFORMED)) {
    const client_id = `malformed-${field}`
    await createClient(storage, client_id, { ...formatClient({ ...CLIENTS.web, client_id }), [field]: value })
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

t.test('optional fields may be missing', async (t) => {
  const { token, authorize, storage } = await startService(t)
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

t.test('a client that becomes malformed or disabled is refused', async (t) => {
  const { token, authorize, storage } = await startService(t)
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
