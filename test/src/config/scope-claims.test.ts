// Suite: unit
import t from 'tap'
import { readScopeClaims } from '../../../src/config/scope-claims.ts'

function read(text: string | undefined) {
  const problems: string[] = []
  return { claims: [...readScopeClaims(text, problems)], problems }
}

t.test('SCOPE_CLAIMS names the claims of each scope', async (t) => {
  t.strictSame(read(undefined), { claims: [], problems: [] })
  t.strictSame(read('groups=groups,roles; hr = employee_id, https://a.example/unit'), {
    claims: [
      ['groups', 'groups'],
      ['roles', 'groups'],
      ['employee_id', 'hr'],
      ['https://a.example/unit', 'hr'],
    ],
    problems: [],
  })
})

t.test('every mistake in SCOPE_CLAIMS is reported', async (t) => {
  const table: [text: string, problem: RegExp][] = [
    ['groups', /^SCOPE_CLAIMS must be scope=claim,claim/],
    ['groups=', /^SCOPE_CLAIMS must be/],
    ['groups=groups;', /^SCOPE_CLAIMS must be/],
    ['groups=groups,,roles', /^SCOPE_CLAIMS must be/],
    ['=groups', /^SCOPE_CLAIMS must be/],
    ['a=b=c', /^SCOPE_CLAIMS must be/],
    ['my scope=groups', /"my scope" is not a scope name/],
    ['profile=groups', /"profile" has its claims from OpenID Connect Core/],
    ['openid=groups', /"openid" has its claims/],
    ['groups=iss', /"iss" cannot be set as a claim/],
    ['groups=email', /"email" is a standard claim/],
    ['groups=gro ups', /"gro ups" is not a claim name/],
    ['a=groups;b=groups', /"groups" occurs twice: one scope releases a claim/],
  ]
  for (const [text, problem] of table) {
    const { problems } = read(text)
    t.equal(problems.length, 1, text)
    t.match(problems[0] ?? '', problem, text)
  }
  t.equal(read('profile=iss;openid=sub').problems.length, 4)
})
