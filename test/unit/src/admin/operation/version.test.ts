// The ETag of a record tells nothing of a secret in it.
import t from 'tap'
import { versionOf } from '../../../../../src/admin/operation/version.ts'
import { CLIENT_FIELDS } from '../../../../../src/clients/record/client-fields.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'

const client = { client_id: 'shop', is_public: 'false', client_secret_created_at: '2026-11-28T00:00:00.000Z' }

t.test('no digest of a secret is in it, so that nobody can try secrets', async (t) => {
  const digests = [...Object.keys(CLIENT_FIELDS).filter((name) => name.endsWith('_hash')), 'password_hash']
  t.ok(digests.length >= 3)
  for (const name of digests) {
    const of = (secret: string) => versionOf({ ...client, [name]: secretHash(secret) })
    t.equal(of('summer-2026'), of('winter-2026'), name)
    t.not(of('summer-2026'), versionOf(client), `${name}: whether there is one is shown, too`)
    t.not(of('summer-2026'), versionOf({ ...client, [name]: '' }), `${name}: an empty one is none`)
  }
})

t.test('every other field is in it, in any order', async (t) => {
  const { is_public, ...others } = client
  t.equal(versionOf({ is_public, ...others }), versionOf(client))
  t.not(versionOf({ ...client, client_name: 'Shop' }), versionOf(client))
  t.not(versionOf({ ...client, client_secret_created_at: '2026-11-28T00:00:00.001Z' }), versionOf(client))
  t.match(versionOf(client), /^"[\w-]{22}"$/)
})
