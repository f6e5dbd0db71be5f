// Every reader of a time that comes from outside has a bound on both sides.
import t from 'tap'
import { objectProblem } from '../../../../src/authorize/request-object-claims.ts'
import { statedTimeFault } from '../../../../src/core/stated-time.ts'
import { verifyProof } from '../../../../src/dpop/proof.ts'
import { timeProblem } from '../../../../src/issuers/assertion-claims.ts'
import { idTokenTimeFault } from '../../../../src/providers/id-token-times.ts'
import { STANDARD_CLAIMS } from '../../../../src/users/standard-claims.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const YEAR = 365 * DAY

type Claims = Readonly<Record<string, unknown>>

const REQUEST = { method: 'POST', url: 'https://auth.example.com/oauth2/token', now: NOW * 1000 }
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Why a proof is refused, of which nothing but the times is right. */
function proofFault(times: Claims): string | undefined {
  const claims = { jti: 'a', htm: REQUEST.method, htu: REQUEST.url, ...times }
  // JSON has no Infinity: a number that is too long is read as one.
  const text = JSON.stringify(claims, (_, value) => (value === Infinity ? '#' : value)).replaceAll(
    '"#"',
    '1e999',
  )
  const body = Buffer.from(text).toString('base64url')
  const checked = verifyProof(`${part({ alg: 'ES256', typ: 'dpop+jwt' })}.${body}.AAAA`, REQUEST)
  return checked.ok || checked.refusal.fault !== 'clock' ? undefined : checked.refusal.text
}

const limits = { max_lifetime: 300, clock_skew: 30 }
const object = { iss: 'web', client_id: 'web', aud: 'https://auth.example.com' }
const expected = { client_id: 'web', issuer: 'https://auth.example.com', now: NOW }
const { fromJson } = STANDARD_CLAIMS.updated_at

/** Each reader: times that are right, which of them it reads, and what it says of times. */
const READERS: readonly [
  name: string,
  right: Claims,
  read: readonly string[],
  fault: (times: Claims) => unknown,
][] = [
  [
    'id_tokens of providers',
    { iat: NOW, exp: NOW + 300, nbf: NOW, auth_time: NOW - 7200 },
    ['iat', 'exp', 'nbf', 'auth_time'],
    (times) => idTokenTimeFault(times, NOW),
  ],
  [
    'assertions of clients and trusted issuers, and logout tokens of providers',
    { iat: NOW, exp: NOW + 300, nbf: NOW },
    ['iat', 'exp', 'nbf'],
    (times) => timeProblem(times, limits, NOW),
  ],
  [
    'signed requests, pushed or not',
    { iat: NOW, exp: NOW + 300, nbf: NOW },
    ['iat', 'exp', 'nbf'],
    (times) => objectProblem({ ...object, ...times }, expected),
  ],
  ['DPoP proofs', { iat: NOW, exp: NOW + 60, nbf: NOW }, ['iat', 'exp', 'nbf'], proofFault],
  [
    'updated_at of people',
    { updated_at: NOW },
    ['updated_at'],
    ({ updated_at }) => ('problem' in fromJson(updated_at) ? 'wrong' : undefined),
  ],
]

/** What no time can be, and the claims of which it is right. */
const NEVER: readonly [what: string, time: unknown, right?: readonly string[]][] = [
  ['a day ahead', NOW + DAY + 301, ['exp of id_tokens of providers', 'updated_at']],
  ['ten years ahead', NOW + 10 * YEAR, ['updated_at']],
  ['without an end', Number.POSITIVE_INFINITY],
  ['before 1970', -1],
  ['a text', 'now'],
  ['null', null],
  ['a list', [NOW]],
]

for (const [name, right, read, fault] of READERS)
  t.test(name, async (t) => {
    t.notOk(fault(right), 'right')
    for (const claim of read)
      for (const [what, time, except = []] of NEVER) {
        if (except.includes(claim) || except.includes(`${claim} of ${name}`)) continue
        t.ok(fault({ ...right, [claim]: time }), `${claim}: ${what}`)
      }
    // What says when something was made does not lie far back either.
    if (read.includes('iat')) t.ok(fault({ ...right, iat: NOW - 2 * DAY }), 'iat: two days ago')
    if (read.includes('exp')) t.ok(fault({ ...right, exp: NOW - DAY }), 'exp: a day ago')
  })

t.test('the bounds belong to the period', async (t) => {
  const period = { from: 10, to: 20 }
  for (const time of [10, 15.5, 20]) t.equal(statedTimeFault(time, period), undefined)
  t.equal(statedTimeFault(9.9, period), 'early')
  t.equal(statedTimeFault(20.1, period), 'late')
  for (const time of [undefined, null, '15', Number.NaN, Number.POSITIVE_INFINITY])
    t.equal(statedTimeFault(time, period), 'malformed')
})
