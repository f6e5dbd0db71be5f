import t from 'tap'
import { parseUser } from '../../../../src/users/user-record.ts'

const parse = (fields: Record<string, string>) => parseUser('alice', { sub: 's', ...fields })

t.test('fields claim:<name> are custom claims, as JSON', async (t) => {
  const parsed = parse({
    name: 'Alice',
    'claim:groups': '["admin"]',
    'claim:level': ' 3 ',
    'claim:empty': '',
    groups: 'ignored',
  })
  t.match(parsed, { ok: true })
  if (!parsed.ok) return
  t.strictSame(parsed.record.custom_claims, { groups: ['admin'], level: 3 })
  t.strictSame(parsed.record.claims, { name: 'Alice' })
})

t.test('a malformed custom claim makes the record malformed, and every one is named', async (t) => {
  const long = JSON.stringify('x'.repeat(4000))
  const named = Object.fromEntries(
    Array.from({ length: 64 }, (_, i) => [`claim:${`c${i}`.padEnd(128, 'x')}`, '1']),
  )
  // In a token each of these numbers has 16 digits.
  const short = JSON.stringify(Array.from({ length: 240 }, () => 0)).replaceAll('0', '1e15')
  const texts = (text: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, text]))
  const table: [fields: Record<string, string>, field: string, problem: RegExp][] = [
    [{ 'claim:department': 'Sales' }, 'claim:department', /must be JSON/],
    [{ 'claim:groups': 'null' }, 'claim:groups', /must be a text/],
    [{ 'claim:iss': '"x"' }, 'claim:iss', /cannot be set as a claim/],
    [{ 'claim:email': '"x"' }, 'claim:email', /standard claim/],
    [{ 'claim:': '"x"' }, 'claim:', /not a claim name/],
    [{ 'claim:__proto__': '{}' }, 'claim:__proto__', /not a claim name/],
    [{ 'claim:a': long, 'claim:b': long, 'claim:c': long }, 'claim:*', /at most 8192 bytes in all/],
    [named, 'claim:*', /at most 8192 bytes in all/],
    [{ 'claim:a': short, 'claim:b': short, 'claim:c': short }, 'claim:*', /at most 8192 bytes in all/],
    [
      texts('x'.repeat(2048), 'name', 'given_name', 'family_name', 'nickname'),
      'claims',
      /at most 8192 bytes/,
    ],
    [texts('漢'.repeat(2048), 'name', 'given_name'), 'claims', /at most 8192 bytes/],
    [texts('"'.repeat(2048), 'name', 'given_name'), 'claims', /at most 8192 bytes/],
  ]
  for (const [fields, field, problem] of table) {
    t.match(parse(fields), { ok: false, problems: [{ field, problem }] }, field)
  }
  const both = parse({ sub: '', 'claim:groups': 'x', 'claim:roles': 'y' })
  t.match(both, { problems: [{ field: 'sub' }, { field: 'claim:groups' }, { field: 'claim:roles' }] })
})
