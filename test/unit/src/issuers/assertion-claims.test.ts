import t from 'tap'
import { assertionProblem } from '../../../../src/issuers/assertion-claims.ts'
import { parseIssuer } from '../../../../src/issuers/issuer-record.ts'

const ISSUER = 'https://auth.example.com'
const NOW = 1_700_000_000

t.test('what the clock of its issuer may have made before the restore mark is refused', async (t) => {
  const parsed = parseIssuer('https://pods.example.com', { jwks_uri: 'https://pods.example.com/keys' })
  const [issuer] = parsed.ok ? [parsed.record] : []
  if (issuer === undefined) throw new Error('a malformed issuer')
  const problem = (iat: number | undefined, reusable = false) =>
    assertionProblem(
      {
        iss: issuer.issuer,
        sub: 'pod',
        aud: ISSUER,
        jti: 'an id',
        exp: NOW + 60,
        ...(iat !== undefined && { iat }),
      },
      { ...issuer, reusable },
      { own_issuer: ISSUER, not_before: NOW - 10, now: NOW * 1000 },
    )
  const refused = { text: 'from before the restore mark' }
  t.match(problem(NOW - 11 + issuer.clock_skew), refused, 'its clock may be ahead')
  t.equal(problem(NOW - 10 + issuer.clock_skew), undefined)
  t.match(problem(undefined), refused, 'nothing says when it was issued')
  t.equal(problem(NOW - 11, true), undefined, 'an assertion that may be used again is not counted')
})
