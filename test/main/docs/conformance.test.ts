// Runs the commands of docs/conformance.md: they make the clients and the user that test/main/system/conformance/ works with.

import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { parseClient } from '../../../src/clients/record/client-record.ts'
import { parseUser } from '../../../src/users/user-record.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { CLAIMS, SUITE_CLIENTS } from '../../support/conformance/records.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { paste } from '../../support/paste.ts'
import { readClient, readUser } from '../../support/records.ts'

/** Each of them releases claims that the modules look for. */
const SUITE_CLAIM_SCOPES = ['openid', 'profile', 'email', 'address', 'phone']
const PAGE = await readText('docs/conformance.md')
// Replaces the command by one that prints its arguments: fields end with 0x1F, commands with 0x1E.
const SPELL_OUT = `redmint() { printf '%s\\x1f' "$@"; printf '\\x1e'; }`

t.test('the commands create and remove the records of the suite', async (t) => {
  const { storage, redmint } = createCli()
  const [claims = ''] = blocks(PAGE, 'json')
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256' }] })
  const directory = t.testdir({
    'certified.json': claims,
    'password.txt': 'a long password\n',
    'fapi-1.json': jwks,
    'fapi-2.json': jwks,
  })
  const run = async (lines: string) => {
    const shell = await paste(t, `cd "$directory"\n${SPELL_OUT}\n${lines}`, { directory })
    for (const command of shell.stdout.split('\x1e').slice(0, -1)) {
      const args = command.split('\x1f').slice(0, -1)
      const here = args.map((arg) => (arg === 'certified.json' ? `${directory}/${arg}` : arg))
      t.match(await redmint(here, 'a long password\n'), { code: 0 }, args.join(' '))
    }
  }
  const [make = '', remove = '', fapi = '', withdraw = ''] = blocks(PAGE, 'sh')
  await run(make)
  for (const { client_id, allowed_scopes, grant_types, require_pkce } of SUITE_CLIENTS.slice(0, 2)) {
    const expected = { allowed_scopes, grant_types, require_pkce, is_public: false }
    t.match(parseClient(client_id, (await readClient(storage, client_id)) ?? {}), { record: expected })
  }
  const uriOf = async (client_id: string) => (await readClient(storage, client_id))?.backchannel_logout_uri
  t.strictSame(
    [await uriOf('suite-1'), await uriOf('suite-2')],
    [undefined, undefined],
    'not in the RP-Initiated plan',
  )
  t.match(await uriOf('suite-backchannel'), /backchannel_logout$/)
  const user = parseUser('certified', (await readUser(storage, 'certified')) ?? {})
  t.match(user, { record: { claims: CLAIMS } }, 'every claim that the tests know')
  await run(remove)
  for (const client_id of ['suite-1', 'suite-2', 'suite-backchannel']) {
    t.equal(await readClient(storage, client_id), undefined)
  }
  t.equal(await readUser(storage, 'certified'), undefined)
  await run(fapi)
  for (const client_id of ['fapi-1', 'fapi-2']) {
    const record = parseClient(client_id, (await readClient(storage, client_id)) ?? {})
    t.match(record, { record: { profile: 'fapi2', is_public: false } })
    t.match(record, { record: { refresh_tokens: 'always', allowed_scopes: SUITE_CLAIM_SCOPES } })
    t.match(await redmint(['client', 'lint', client_id]), { code: 0, stdout: /: 0 errors/ })
  }
  t.match(withdraw, 'redmint user withdraw-consent certified $client')
})

t.test('the test files that the page names exist', async (t) => {
  for (const [path] of PAGE.matchAll(/test\/[\w/-]+\.test\.ts/g)) t.ok(await readText(path), path)
})
