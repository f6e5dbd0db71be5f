// What a request must bring: one token in the header, its scopes, and a sign-in that is strong and recent enough.
import t from 'tap'
import type { OAuthError } from '../../../../src/core/errors.ts'
import type { TokenFacts } from '../../../../src/resource-server/access-token.ts'
import { type ActingRule, checkAccess, type Needs } from '../../../../src/resource-server/check-access.ts'
import type { ApiRequest } from '../../../../src/resource-server/presented-token.ts'

const NOW = 1_800_000_000
const PLACE = { resource_metadata: 'https://api.example.com/.well-known/oauth-protected-resource' }
const START = `Bearer resource_metadata="${PLACE.resource_metadata}"`
const HEADERS = { authorization: 'Bearer good' }

const FACTS: TokenFacts = {
  client_id: 'app',
  subject: 'alice',
  scope: 'a b',
  expires_at: new Date(0),
  acr: 'password',
  auth_time: NOW - 100,
}

function check(request: ApiRequest, needs?: Needs, facts: Partial<TokenFacts> = {}, acting?: ActingRule) {
  const verify = async (token: string) =>
    token === 'good'
      ? ({ valid: true, token: { ...FACTS, ...facts } } as const)
      : ({ valid: false, reason: 'unknown' } as const)
  return checkAccess({ verify, acting, place: PLACE, now: () => NOW * 1000 }, request, needs)
}

/** The status and the challenge of a refusal, without its description. */
async function refusal(...given: Parameters<typeof check>): Promise<string> {
  const error = await check(...given).then(
    () => undefined,
    (error: OAuthError) => error,
  )
  if (error === undefined) return 'accepted'
  const challenge = String(error.headers['www-authenticate']).replace(START, '')
  return `${error.status}${challenge.replace(/, error_description="[^"]+"/, '')}`
}

t.test('the token is in one Authorization header and nowhere else (RFC 6750 §2)', async (t) => {
  const table: [refused: string, request: ApiRequest][] = [
    ['accepted', { headers: HEADERS }],
    [
      'accepted',
      { headers: HEADERS, url: '/x?a=b', rawHeaders: ['Host', 'x', 'Authorization', 'Bearer good'] },
    ],
    ['401', { headers: {} }],
    ['401', { headers: { authorization: 'Basic good' } }],
    ['401', { headers: {}, url: '/x?access_token=good' }],
    ['401, error="invalid_token"', { headers: { authorization: 'Bearer good, Bearer good' } }],
    ['401, error="invalid_token"', { headers: { authorization: 'Bearer good good' } }],
    ['400, error="invalid_request"', { headers: HEADERS, url: '/x?access_token=good' }],
    ['400, error="invalid_request"', { headers: HEADERS, url: '/x?a=b&access%5Ftoken=' }],
    [
      '400, error="invalid_request"',
      { headers: HEADERS, rawHeaders: ['authorization', 'x', 'AUTHORIZATION', ''] },
    ],
  ]
  for (const [refused, request] of table) t.equal(await refusal(request), refused, JSON.stringify(request))
})

t.test('all scopes of a route are needed, and the challenge names all of them', async (t) => {
  const scoped = (...scopes: string[]) => refusal({ headers: HEADERS }, { scopes })
  t.equal(await scoped(), 'accepted')
  t.equal(await scoped('a'), 'accepted')
  t.equal(await scoped('b', 'a'), 'accepted')
  t.equal(await scoped('a', 'c'), '403, error="insufficient_scope", scope="a c"')
  t.equal(await scoped('A'), '403, error="insufficient_scope", scope="A"', 'names are case-sensitive')
  t.equal(await refusal({ headers: {} }, { scopes: ['a', 'c'] }), '401, scope="a c"', 'also without a token')
  const bad = { headers: { authorization: 'Bearer expired' } }
  t.equal(
    await refusal(bad, { scopes: ['a'] }),
    '401, scope="a", error="invalid_token"',
    'also with a bad one',
  )
})

t.test('a sign-in must be strong and recent enough (RFC 9470 §3)', async (t) => {
  const step = (needs: Needs, facts: Partial<TokenFacts> = {}) => refusal({ headers: HEADERS }, needs, facts)
  const refused = '401, error="insufficient_user_authentication"'
  t.equal(await step({ max_age: 100 }), 'accepted')
  t.equal(await step({ max_age: 99 }), `${refused}, max_age="99"`)
  t.equal(await step({ max_age: 0 }, { auth_time: NOW }), 'accepted')
  t.equal(await step({ max_age: 99 }, { auth_time: undefined }), `${refused}, max_age="99"`)
  t.equal(await step({ acr_values: ['otp', 'password'] }), 'accepted', 'one of them')
  t.equal(await step({ acr_values: ['otp', 'key'] }), `${refused}, acr_values="otp key"`)
  t.equal(await step({ acr_values: ['otp'] }, { acr: undefined }), `${refused}, acr_values="otp"`)
  t.equal(
    await step({ acr_values: ['otp'], max_age: 5, scopes: ['a', 'c'] }),
    `${refused}, acr_values="otp", max_age="5", scope="a c"`,
    'one authorization request is enough for all',
  )
})

t.test('T22: a token with which somebody acts for a user passes only where that is allowed', async (t) => {
  const act = { sub: 'agent', client_id: 'agent', act: { sub: 'before' } }
  const ask = (acting: ActingRule | undefined, facts: Partial<TokenFacts> = { act }) =>
    refusal({ headers: HEADERS }, { scopes: ['a'] }, facts, acting)
  for (const rule of [undefined, 'refuse'] as const) {
    t.equal(await ask(rule), '401, error="invalid_token"', `${rule}`)
    t.equal(await ask(rule, {}), 'accepted', `${rule}, and nobody acts`)
  }
  t.equal(await ask('allow'), 'accepted')
  await t.rejects(check({ headers: HEADERS }, {}, { act }), {
    reason: 'token_acting',
    message: /acts for a user: .* acting/,
    received: { actors: 2 },
  })
})
