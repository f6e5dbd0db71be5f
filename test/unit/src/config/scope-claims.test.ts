import t from 'tap'
import { readVariable } from '../../../../src/config/option-form.ts'
import { SCOPE_CLAIMS } from '../../../../src/config/scope-claims.ts'

function read(text: string | undefined) {
  const problems: string[] = []
  return { claims: [...(readVariable(SCOPE_CLAIMS, 'SCOPE_CLAIMS', text, problems) ?? [])], problems }
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
    ['my scope=groups', /"my scope", which is not a scope name/],
    ['profile=groups', /"profile", which has its claims from OpenID Connect Core/],
    ['openid=groups', /"openid", which has its claims/],
    ['groups=iss', /"iss", which cannot be set as a claim/],
    ['groups=email', /"email", which is a standard claim/],
    ['groups=gro ups', /"gro ups", which is not a claim name/],
    ['a=groups;b=groups', /"groups" twice: one scope releases a claim/],
  ]
  for (const [text, problem] of table) {
    const { problems } = read(text)
    t.equal(problems.length, 1, text)
    t.match(problems[0] ?? '', problem, text)
  }
  t.equal(read('profile=iss;openid=sub').problems.length, 4)
})
