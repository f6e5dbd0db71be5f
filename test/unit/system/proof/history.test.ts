// The checker itself: example histories that violate one rule each, and valid ones that look similar.
import t from 'tap'
import { type Action, type By, History, type Outcome } from '../../../support/proof/history.ts'
import { check, describe, RULE_NAMES } from '../../../support/proof/history-check.ts'

type Step = [action: Action, outcome: Outcome, by?: Partial<By>]

const GRANT = 'a-grant-16-chars'
const CODE = `${GRANT}.code`
const [REFRESH, NEXT, OTHER] = [`${GRANT}.refresh`, `${GRANT}.next`, `${GRANT}.other`]
const [ACCESS, ACCESS_2, ACCESS_3] = [`${GRANT}.access`, `${GRANT}.access2`, `${GRANT}.access3`]
const jwt = (jti: string, signature = 'signature') =>
  `e30.${Buffer.from(JSON.stringify({ jti: `${GRANT}.${jti}` })).toString('base64url')}.${signature}`
const JWT = jwt('jti')

const REFUSED: Outcome = { status: 400, error: 'invalid_grant' }
const UNAVAILABLE: Outcome = { status: 503, retry_after: '1' }
const DONE: Outcome = { status: 200 }
const tokens = (access_token: string, refresh_token: string): Outcome => ({
  status: 200,
  access_token,
  refresh_token,
})
const redeem: Action = { kind: 'redeem', code: CODE }
const refresh: Action = { kind: 'refresh', refresh_token: REFRESH }
const revoke = (token: string): Action => ({ kind: 'revoke', token })
const use = (token: string): Action => ({ kind: 'use', token, place: 'api' })
const accepted = { status: 200, accepted: true }
const refused = { status: 401, accepted: false }
const thief = { honest: false }
const again = { request: 1000 }
const signIn: Step = [redeem, tokens(ACCESS, REFRESH)]
const assert: Action = { kind: 'assertion', assertion: 'assertion' }
const asserted = (access_token: string): Step => [assert, { status: 200, access_token }]
const byInvitation: Action = { kind: 'register', allowance: { invitation: 'invitation', clients: 1 } }
const register: Action = { kind: 'register', allowance: { invitation: 'for two', clients: 2 } }
const anybody: Action = { kind: 'register', allowance: { clients: 1 } }
const registered = (client_id: string, action = byInvitation): Step => [action, { status: 201, client_id }]
const byRequestUri: Action = { kind: 'authorize', request_uri: 'request_uri' }
const coded = (code: string): Outcome => ({ status: 302, code })
const INVALID: Outcome = { status: 400 }
const UNKNOWN: Outcome = { status: 401, error: 'invalid_client' }
const push: Action = { kind: 'push' }
const own: Action = { kind: 'client_credentials' }
const pushed: Outcome = { status: 201, request_uri: 'request_uri' }
const byAssertion = { once: { client_assertion: 'client assertion' } }
const byProof = { once: { proof: 'proof' } }
const forA = { resource: 'a' }
const late: Step = [use(ACCESS), { gave_up: true }, { ...thief, ...again }]
const refreshed: Step = [refresh, tokens(ACCESS_2, NEXT)]
const refreshedNext: Step = [{ kind: 'refresh', refresh_token: NEXT }, tokens(ACCESS_3, OTHER)]

/** A history of consecutive steps, each a request of its own unless it says otherwise. */
async function tell(steps: Step[], history = new History()): Promise<History> {
  for (const [action, outcome, by] of steps) {
    const request = history.newRequest()
    await history.record(action, { server: 'one', honest: true, request, ...by }, async () => outcome)
  }
  return history
}

const BAD: Record<string, [rule: string, steps: Step[]][]> = {
  'a second redemption succeeds': [
    ['a code succeeds once', [signIn, [redeem, tokens(ACCESS_2, NEXT), thief]]],
  ],
  'an assertion is accepted twice': [
    [
      'an assertion succeeds once',
      [asserted(ACCESS), [assert, { status: 200, access_token: ACCESS_2 }, thief]],
    ],
  ],
  'a request_uri yields two codes': [
    [
      'a request_uri yields one code',
      [
        [byRequestUri, coded('a')],
        [byRequestUri, coded('b'), thief],
      ],
    ],
    [
      'a request_uri yields one code',
      [
        [byRequestUri, UNAVAILABLE, again],
        [byRequestUri, coded('a'), again],
        [byRequestUri, coded('a'), again],
      ],
    ],
  ],
  'an assertion authenticates its client twice': [
    [
      'an assertion succeeds once',
      [
        [push, pushed, byAssertion],
        [redeem, tokens(ACCESS, REFRESH), { ...thief, ...byAssertion }],
      ],
    ],
    [
      'an assertion succeeds once',
      [
        [use(ACCESS), UNKNOWN, { ...thief, ...byAssertion }],
        [push, pushed, { ...thief, ...byAssertion }],
        [revoke('unknown'), DONE, { ...thief, ...byAssertion }],
      ],
    ],
  ],
  'a proof is accepted twice': [
    [
      'a proof succeeds once',
      [
        [use(ACCESS), accepted, byProof],
        [use(ACCESS), accepted, { ...thief, ...byProof }],
      ],
    ],
    [
      'a proof succeeds once',
      [
        [redeem, tokens(ACCESS, REFRESH), byProof],
        [refresh, tokens(ACCESS_2, NEXT), byProof],
      ],
    ],
    [
      'a proof succeeds once',
      [
        [own, { status: 200, access_token: ACCESS }, byProof],
        [own, { status: 200, access_token: ACCESS_2 }, { ...thief, ...byProof }],
      ],
    ],
  ],
  'more clients register than may': [
    ['no more clients register than may', [registered('a'), registered('b')]],
    [
      'no more clients register than may',
      [
        registered('a', register),
        [register, UNAVAILABLE, again],
        [register, REFUSED, again],
        registered('b', register),
        registered('c', register),
      ],
    ],
    ['no more clients register than may', [registered('a', anybody), registered('b', anybody)]],
  ],
  'two clients get one client_id': [
    ['a client_id is issued once', [registered('a', anybody), registered('a')]],
  ],
  'a token is for another resource, or for none': [
    [
      'a token is for the resource of its client',
      [[redeem, { ...tokens(JWT, REFRESH), audience: 'b' }, forA]],
    ],
    ['a token is for the resource of its client', [[use(ACCESS), { ...accepted, audience: '' }, forA]]],
  ],
  'two requests get the same token': [
    ['a token is issued once', [signIn, [refresh, tokens(ACCESS, NEXT)]]],
    [
      'a token is issued once',
      [signIn, refreshed, [{ kind: 'redeem', code: `${GRANT}.code2` }, tokens(ACCESS_3, NEXT)]],
    ],
  ],
  'a retry gets another successor': [
    ['a refresh token has one successor', [signIn, refreshed, [refresh, tokens(ACCESS_2, OTHER)]]],
  ],
  'a retry gets another access token': [
    ['a retry gets the same access token', [signIn, refreshed, [refresh, tokens(ACCESS_3, NEXT)]]],
    [
      'a retry gets the same access token',
      [signIn, [refresh, tokens(jwt('jti'), NEXT)], [refresh, tokens(jwt('other'), NEXT)]],
    ],
  ],
  'a spent token is answered although its successor was presented': [
    [
      'a superseded refresh token is refused',
      [signIn, refreshed, refreshedNext, [refresh, tokens(ACCESS_2, NEXT)]],
    ],
  ],
  'a token is accepted after its end': [
    ['what has ended stays ended', [signIn, [revoke(ACCESS), DONE], [use(ACCESS), accepted]]],
    ['what has ended stays ended', [signIn, [revoke(REFRESH), DONE], [use(ACCESS), accepted]]],
    ['what has ended stays ended', [signIn, [revoke(REFRESH), DONE], refreshed]],
    [
      'what has ended stays ended',
      [
        [redeem, tokens(JWT, REFRESH)],
        [revoke(REFRESH), DONE],
        [use(JWT), accepted],
      ],
    ],
    ['what has ended stays ended', [signIn, [redeem, REFUSED, thief], [use(ACCESS), accepted]]],
    ['what has ended stays ended', [signIn, refreshed, [refresh, REFUSED, thief], [use(ACCESS_2), accepted]]],
  ],
  'a server error, an incomplete 503 or no response': [
    ['no 5xx but 503', [[use(ACCESS), { status: 500 }, thief]]],
    ['503 says when to come again', [[use(ACCESS), { status: 503 }, thief]]],
    ['a living server answers', [[use(ACCESS), {}, thief]]],
    ['nobody waits in vain', [late, late, late]],
  ],
  'an honest client is refused': [
    [
      'an honest client is not refused',
      [
        [redeem, UNAVAILABLE, again],
        [redeem, REFUSED, again],
      ],
    ],
    ['an honest client is not refused', [signIn, [use(ACCESS), refused]]],
    ['an honest client is not refused', [signIn, [revoke(ACCESS_2), DONE], [use(ACCESS), refused]]],
    ['an honest client is not refused', [signIn, [refresh, REFUSED]]],
  ],
  'a pushed request that was never presented is refused': [
    ['an honest client is not refused', [[byRequestUri, INVALID]]],
    [
      'an honest client is not refused',
      [
        [{ kind: 'authorize', request_uri: 'another' }, UNAVAILABLE, again],
        [{ kind: 'authorize', request_uri: 'another' }, coded('a'), again],
        [byRequestUri, INVALID],
      ],
    ],
  ],
  'a registration is refused although one is left': [
    ['an honest client is not refused', [registered('a', register), [register, REFUSED]]],
    ['an honest client is not refused', [registered('a'), [anybody, { status: 429 }]]],
  ],
  'an honest client gives up': [['an honest client goes on', [signIn, [refresh, UNAVAILABLE]]]],
}

for (const [what, cases] of Object.entries(BAD)) {
  t.test(what, async (t) => {
    for (const [rule, steps] of cases) {
      const found = check(await tell(steps))
      t.same(
        found.map((violation) => violation.rule),
        [rule],
      )
      for (const violation of found) {
        t.ok(describe(violation).startsWith(`${rule}: `))
        t.notOk(describe(violation).includes(GRANT), 'no token is shown')
      }
    }
  })
}

t.test('each rule has a history that violates it', async (t) => {
  const broken = new Set(Object.values(BAD).flatMap((cases) => cases.map(([rule]) => rule)))
  t.same([...broken].sort(), RULE_NAMES.toSorted())
})

const GOOD: Record<string, Step[]> = {
  'a client that gives up twice, and is answered then': [
    late,
    late,
    [use(ACCESS), refused, { ...thief, ...again }],
    late,
    late,
  ],
  'a family without faults': [
    signIn,
    [use(ACCESS), accepted],
    refreshed,
    [revoke(NEXT), DONE],
    [use(ACCESS_2), refused, thief],
  ],
  'an assertion is refused when it is presented again': [asserted(ACCESS), [assert, REFUSED, thief]],
  'what was accepted once is refused': [
    [push, pushed, byAssertion],
    [own, UNKNOWN, { ...thief, ...byAssertion }],
    [byRequestUri, coded(CODE)],
    [byRequestUri, INVALID, thief],
    [redeem, tokens(ACCESS, REFRESH), byProof],
    [refresh, { status: 400, error: 'invalid_dpop_proof' }, { ...thief, ...byProof }],
  ],
  'what was refused is accepted once': [
    [push, UNAVAILABLE, { ...again, ...byAssertion }],
    [push, pushed, { ...again, ...byAssertion }],
    [use(ACCESS), refused, { ...thief, ...byProof }],
    [use(ACCESS), accepted, byProof],
  ],
  'a pushed request without an answer may have been spent': [
    [byRequestUri, UNAVAILABLE, again],
    [byRequestUri, INVALID, again],
  ],
  'a proof is accepted for each of two families': [
    [redeem, tokens(ACCESS, REFRESH), byProof],
    [{ kind: 'redeem', code: 'another-16-chars.code' }, tokens('b.access', 'b.refresh'), byProof],
  ],
  'registrations are refused when all that may be are answered': [
    registered('a', register),
    registered('b', register),
    [register, REFUSED],
  ],
  'a registration without an answer may have been the last one': [
    registered('a', register),
    [register, UNAVAILABLE, again],
    [register, REFUSED, again],
  ],
  'tokens for a resource': [
    [redeem, { ...tokens(ACCESS, REFRESH) }, forA],
    [use(ACCESS), { ...accepted, audience: 'a' }, forA],
  ],
  'a retry gets the same tokens': [signIn, refreshed, refreshed],
  'a retry gets a JWT with the same claims': [
    signIn,
    [refresh, tokens(jwt('jti', 'one'), NEXT)],
    [refresh, tokens(jwt('jti', 'other'), NEXT)],
  ],
  'a retry signs a JWT again that was revoked': [
    signIn,
    [refresh, tokens(jwt('jti', 'one'), NEXT)],
    [revoke(jwt('jti', 'one')), DONE],
    [refresh, tokens(jwt('jti', 'other'), NEXT)],
    [use(jwt('jti', 'other')), refused],
  ],
  'a client retries until it gets a response': [
    [redeem, UNAVAILABLE, again],
    [redeem, tokens(ACCESS, REFRESH), again],
  ],
  'a refresh token without rotation': [
    signIn,
    [refresh, tokens(ACCESS_2, REFRESH)],
    [refresh, tokens(ACCESS_3, REFRESH)],
  ],
  'an unacknowledged revocation may have taken effect or not': [
    signIn,
    [revoke(REFRESH), UNAVAILABLE, thief],
    [use(ACCESS), refused],
    refreshed,
  ],
  'the revocation of an access token ends no other token': [
    signIn,
    refreshed,
    [revoke(ACCESS), DONE],
    [use(ACCESS_2), accepted],
  ],
  'a replay ends the family of an honest client': [
    signIn,
    [redeem, REFUSED, thief],
    [use(ACCESS), refused],
    [refresh, REFUSED],
  ],
  'a replay without a response may have revoked the family': [
    signIn,
    [redeem, UNAVAILABLE, thief],
    [use(ACCESS), refused],
  ],
}
for (const [what, steps] of Object.entries(GOOD)) {
  t.test(what, async (t) => t.same(check(await tell(steps)).map(describe), []))
}

t.test('a request in progress may be accepted when its token is revoked', async (t) => {
  const history = await tell([signIn])
  const by = { server: 'one', honest: true, request: history.newRequest() }
  const use: Action = { kind: 'use', token: ACCESS, place: 'userinfo' }
  await history.record(use, by, async () => {
    await tell([[revoke(ACCESS), DONE]], history)
    return accepted
  })
  t.same(check(history), [])
})

t.test('a killed server may leave requests unanswered and lose its codes', async (t) => {
  const steps: Step[] = [
    [redeem, {}, again],
    [redeem, REFUSED, { ...again, server: 'two' }],
  ]
  const history = new History()
  const back = history.killing('one')
  await tell(steps, history)
  back()
  t.same(check(history), [])
  const rules = (other: History) => check(other).map(({ rule }) => rule)
  await tell([[use(ACCESS), {}, thief]], history)
  t.same(rules(history), ['a living server answers'], 'when it is back')
  const innocent = new History()
  innocent.killing('two')
  await tell(steps, innocent)
  t.same(rules(innocent), ['a living server answers', 'an honest client is not refused'], 'another one')
})
