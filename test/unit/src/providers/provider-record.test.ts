import t from 'tap'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { parseProvider } from '../../../../src/providers/provider-record.ts'

const ISSUER = 'https://login.acme.example'

t.test('what cannot be a provider', async (t) => {
  const parse = (name: string, more: Hash = {}) =>
    parseProvider(name, { issuer: ISSUER, client_id: 'x', ...more })
  for (const name of ['acme', 'constructor']) t.match(parse(name), { ok: true }, name)
  for (const name of ['Acme', 'a/b', '..', '1st', 'a'.repeat(24), ' a', 'a_b'])
    t.match(parse(name), { problems: [{ field: 'provider', problem: /begin with a letter/ }] }, name)
  const apple = { kind: 'apple', issuer: 'https://appleid.apple.com', scope: 'openid name email' }
  for (const [more, field, problem] of [
    [{ issuer: 'http://login.acme.example' }, 'issuer', /must be an https URL/],
    [{ scope: 'email' }, 'scope', /must contain openid/],
    [{ kind: 'microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer', /one tenant/],
    [{ team_id: 'TEAM123456' }, 'team_id', /only for the kind apple/],
    [{ ...apple, key_id: 'KEY1234567' }, 'team_id', /is missing/],
  ] as const)
    t.match(parse('acme', more), { problems: [{ field, problem }] }, JSON.stringify(more))
})
