// Checks the table of client fields against every command that uses fields.

import t, { type Test } from 'tap'
import { flagFields } from '../../../cli/field-flags.ts'
import { lintClient } from '../../../src/admin/clients/lint.ts'
import { CLIENT_FIELDS } from '../../../src/clients/record/client-fields.ts'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import type { FieldTable } from '../../../src/core/field-table.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { jsonOf, sampleOf } from '../../support/fields.ts'
import { readClient } from '../../support/records.ts'

const TABLE: FieldTable = CLIENT_FIELDS
const FLAGS = flagFields(TABLE)
/** A record to which each field can be added. */
const BASE = {
  client_id: 'c',
  is_public: false,
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://b.example/'],
  old_secret_ends_at: '2030-01-01T00:00:00.000Z',
}
/** They contradict the base, or nobody gives them: client-keys.test.ts, forward-auth.test.ts, previews.test.ts have them. */
const CONTRADICTING = ['profile', 'forward_auth_hosts', 'preview_of']
/** What the base needs besides for a field: an encryption has a key, and a date is that of a secret. */
const neededFor = (name: string): { jwks_uri?: string; client_secret?: string } => {
  if (name === 'client_secret_created_at') return { client_secret: 'x'.repeat(32) }
  return name.endsWith('_encrypted_response_alg') ? { jwks_uri: 'https://b.example/keys' } : {}
}

/** Returns the command on a storage with the imported client. */
async function imported(t: Test, client: object) {
  const cli = createCli({ now: () => 1_790_000_000_000 })
  const { code, stderr } = await cli.redmint(['client', 'import', '-'], JSON.stringify([client]))
  t.same([code, stderr], [0, ''], JSON.stringify(client))
  return cli
}

t.test('import takes every field in its JSON type and as a text; show and the parser have it', async (t) => {
  for (const [name, field] of Object.entries(TABLE)) {
    if (name === 'client_id' || CONTRADICTING.includes(name)) continue
    const sample = sampleOf(field)
    const shown = new Set<string>()
    for (const value of jsonOf(field, sample)) {
      const { storage, redmint } = await imported(t, { ...BASE, ...neededFor(name), [name]: value })
      const hash = (await readClient(storage, 'c')) ?? {}
      t.equal(hash[name], sample, name)
      const parsed = parseClient('c', hash)
      t.ok(parsed.ok && Object.hasOwn(parsed.record, name), `${name} is part of the client`)
      const unknown = lintClient('c', hash, {}).filter(({ problem }) =>
        problem.startsWith('is not a known field'),
      )
      t.strictSame(unknown, [], `lint knows ${name}`)
      shown.add((await redmint(['client', 'show', 'c'])).stdout)
    }
    t.equal(shown.size, 1)
    const before = await (await imported(t, BASE)).redmint(['client', 'show', 'c'])
    if (name === 'client_secret_hash') t.match(before.stdout, /^secret +set$/m)
    else t.notOk(shown.has(before.stdout), `show shows ${name} ${sample}`)
  }
})

t.test('records, flags, import and lint refuse a wildcard and an invalid host in each address', async (t) => {
  // With these, no answer is sent to an address.
  const links = [
    'initiate_login_uri',
    'client_uri',
    'logo_uri',
    'policy_uri',
    'tos_uri',
    'tls_client_auth_san_uri',
    'jwks_uri',
  ]
  const addresses = Object.entries(TABLE).filter(([name]) => /_uris?$/.test(name) && !links.includes(name))
  t.equal(addresses.length, 3)
  for (const [name] of addresses) {
    const { set = '' } = FLAGS.find((flag) => flag.name === name) ?? {}
    for (const uri of ['https://*.b.example/', 'https://b.example/*', 'a.b://[x]/cb', 'https://[x]/cb']) {
      const problem = /are not supported|is not a valid URL/
      const { storage, redmint } = await imported(t, BASE)
      t.match(await redmint(['client', 'update', 'c', `--${set}`, uri]), { code: 1, stderr: problem }, name)
      const added = ['client', 'add', 'd', '--redirect-uri', 'https://b.example/', `--${set}`, uri]
      t.match(await redmint(added), { code: 1, stderr: problem }, name)
      const file = JSON.stringify([{ ...BASE, client_id: 'd', [name]: uri }])
      t.match(await redmint(['client', 'import', '-'], file), { code: 1, stderr: problem }, name)
      const hash = { ...(await readClient(storage, 'c')), [name]: uri }
      t.match(parseClient('c', hash), { ok: false, problems: [{ field: name, problem }] })
      t.match(lintClient('c', hash, {}), [{ level: 'error', field: name, problem }])
    }
  }
})
