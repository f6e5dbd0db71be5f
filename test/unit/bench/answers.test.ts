// A wrong answer ends a measurement, so that a server that errs quickly does not win.
import t from 'tap'
import { introspectionOf, TokenCheck, WrongAnswer } from '../../../bench/answers.ts'
import { type Answer, headerOf, parseAnswer } from '../../../bench/connection.ts'
import { patiently } from '../../../bench/patience.ts'
import type { Settings } from '../../../bench/row.ts'
import { SignedRequests } from '../../../bench/signed-requests.ts'

const OPAQUE: Settings = { auth: 'basic', format: 'opaque', alg: 'ES256', id_alg: 'ES256' }
const JWT: Settings = { ...OPAQUE, format: 'jwt' }
const DPOP: Settings = { ...OPAQUE, dpop: true }

const answered = (members: object, status = 200): Answer => ({
  status,
  headers: '\r\n',
  body: JSON.stringify(members),
})
const jwt = (alg: string, signature = 'x'.repeat(86)) =>
  `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.${signature}`

const bearer = (token_type: string) => ({ access_token: 'a'.repeat(43), token_type })

t.test('a token check accepts distinct tokens of the right form', async (t) => {
  const opaque = new TokenCheck(OPAQUE)
  t.equal(opaque.access(answered({ access_token: 'a'.repeat(43) })), 'a'.repeat(43))
  t.equal(opaque.access(answered({ access_token: 'b'.repeat(43) })), 'b'.repeat(43))
  t.equal(new TokenCheck(DPOP).access(answered(bearer('DPoP'))), 'a'.repeat(43))
  t.equal(new TokenCheck(JWT).access(answered({ access_token: jwt('ES256') })), jwt('ES256'))
})

t.test('a token check refuses', async (t) => {
  const wrong: [string, Settings, Answer, RegExp][] = [
    [
      'an error',
      OPAQUE,
      answered({ error: 'invalid_client' }, 401),
      /expected status 200: the answer is 401/,
    ],
    [
      'a status 200 without a token',
      OPAQUE,
      answered({ error: 'invalid_client' }),
      /expected an access_token/,
    ],
    ['a page', OPAQUE, { status: 200, headers: '\r\n', body: '<!doctype html>' }, /expected a JSON object/],
    ['a JWT for an opaque token', OPAQUE, answered({ access_token: jwt('ES256') }), /expected an opaque/],
    ['an opaque token for a JWT', JWT, answered({ access_token: 'a'.repeat(43) }), /by ES256, found nothing/],
    ['another algorithm', JWT, answered({ access_token: jwt('RS256') }), /by ES256, found RS256/],
    ['a token that is not bound', DPOP, answered(bearer('Bearer')), /a wrong token_type/],
    ['a token that is bound', OPAQUE, answered(bearer('DPoP')), /a wrong token_type/],
    ['no signature', JWT, answered({ access_token: jwt('ES256', '') }), /a cut signature/],
  ]
  for (const [what, settings, answer, message] of wrong) {
    t.throws(() => new TokenCheck(settings).access(answer), message, what)
  }
})

t.test('a token check refuses the same token twice', async (t) => {
  const tokens = new TokenCheck(OPAQUE)
  const answer = answered({ access_token: 'a'.repeat(43) })
  tokens.access(answer)
  t.throws(() => tokens.access(answer), /issued before/)
})

t.test('a signed introspection answer is read', async (t) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (claims: object, alg = 'ES256', signature = 'x'.repeat(86), status = 200): Answer => ({
    status,
    headers: '\r\n',
    body: `${part({ alg })}.${part(claims)}.${signature}`,
  })
  const claims = { token_introspection: { active: true } }
  t.same(introspectionOf(signed(claims)), { active: true })
  t.throws(() => introspectionOf(signed(claims, 'ES256', 'x'.repeat(86), 401)), /expected status 200/)
  t.throws(() => introspectionOf(signed(claims, 'RS256')), /expected a JWT signed by ES256/)
  t.throws(() => introspectionOf(signed(claims, 'ES256', '')), /a cut signature/)
  t.throws(() => introspectionOf(signed({ active: true })), /expected a JSON object/)
  t.throws(() => introspectionOf(answered({ active: true })), /expected a JWT/)
})

t.test('a signed request is given once, and made before the round', async (t) => {
  const signed = new SignedRequests()
  let made = 0
  const make = () => `request ${++made}`
  const first = signed.prepare(make)
  const given = Array.from({ length: 8 }, first)
  const next = signed.prepare(make)
  t.equal(made, 18, 'a quarter more than were needed')
  given.push(...Array.from({ length: 10 }, next))
  t.equal(made, 18, 'none is made in the round')
  given.push(next())
  t.equal(made, 19, 'but one that is missing')
  t.equal(new Set(given).size, given.length)
})

t.test('a round is repeated while the server is unavailable, and only then', async (t) => {
  let rounds = 0
  const round = (status: number, bad: number) => async () => {
    rounds += 1
    if (rounds <= bad) throw new WrongAnswer('expected status 200', answered({}, status))
    return rounds
  }
  t.equal(await patiently('row', round(503, 2)), 3)
  rounds = 0
  await t.rejects(patiently('row', round(503, 99)), /row: expected status 200: the answer is 503/)
  t.equal(rounds, 10)
  rounds = 0
  await t.rejects(patiently('row', round(401, 1)), /the answer is 401/)
  t.equal(rounds, 1)
})

t.test('an answer is read when all of it has arrived', async (t) => {
  const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nLocation:  /there \r\n\r\n{}'
  const chunked = 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n3\r\n[1]\r\n0\r\n\r\n'
  for (const text of [plain, chunked]) {
    for (let length = 0; length < text.length; length += 1) {
      t.equal(parseAnswer(text.slice(0, length)), undefined, `${length} bytes`)
    }
  }
  const answer = parseAnswer(plain)
  t.match(answer, { status: 200, body: '{}' })
  t.equal(answer && headerOf(answer, 'location'), '/there')
  t.match(parseAnswer(chunked), { status: 201, body: '{}[1]' })
  t.match(parseAnswer('HTTP/1.1 204 No Content\r\n\r\n'), { status: 204, body: '' })
})
