// Status lists as an API reads them (draft-ietf-oauth-status-list §8.3).
import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { OAuthError } from '../../../../src/core/errors.ts'
import type { StatusRule } from '../../../../src/resource-server/status-lists.ts'
import { createVerifier } from '../../../../src/resource-server/verifier.ts'
import {
  type Handler,
  makeKey,
  signWith,
  startAuthorizationServer,
  status,
} from '../../../support/resource-server/authorization-server.ts'

const API = 'https://api.example.com'
const START = 1_800_000_000
const PATH = '/status/list'
/** §4.1, the example of one bit: of 16 tokens those with these indexes have ended. */
const EXAMPLE = Buffer.from([0xb9, 0xa3])
const ENDED = [0, 3, 4, 5, 7, 8, 9, 13, 15]

async function start(t: Test, rule: StatusRule = 'read') {
  const server = await startAuthorizationServer(t)
  const { issuer, state } = server
  const clock = { now: START * 1000 }
  const seconds = () => Math.floor(clock.now / 1000)
  const verify = createVerifier({ issuer, audience: [API], status_lists: rule, now: () => clock.now })
  const uri = issuer + PATH
  const [key = makeKey('none')] = state.keys
  const listClaims = (changes: object = {}, bytes: Uint8Array = EXAMPLE, bits: unknown = 1) => ({
    ...{ sub: uri, iat: seconds(), exp: seconds() + 60, ttl: 15 },
    status_list: { bits, lst: deflateSync(bytes).toString('base64url') },
    ...changes,
  })
  const signList = (claims: object, header: object = {}, by = key) =>
    signWith(by, claims, { typ: 'statuslist+jwt', ...header })
  const serve = (jwt: string): void => {
    const answer: Handler = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(jwt)
    state.instead.set(PATH, answer)
  }
  const token = (changes: object = {}) =>
    signWith(key, {
      ...{ iss: issuer, aud: API, sub: 'alice', client_id: 'app', scope: 'a', jti: 'jti' },
      ...{ iat: START, exp: START + 3600, status: { status_list: { idx: 1, uri } }, ...changes },
    })
  const at = (idx: unknown, of: unknown = uri) => token({ status: { status_list: { idx, uri: of } } })
  const outcome = (jwt: string): Promise<string | number> =>
    verify(jwt).then(
      (validation) => (validation.valid ? 'valid' : validation.reason),
      (error: OAuthError) => error.status,
    )
  const pass = (seconds: number) => {
    clock.now += seconds * 1000
  }
  serve(signList(listClaims()))
  return { ...server, uri, key, listClaims, signList, serve, token, at, outcome, pass, seconds }
}

t.test('a list says which tokens have ended, one request for all', async (t) => {
  const { at, outcome, count } = await start(t)
  for (let idx = 0; idx < 16; idx++)
    t.equal((await outcome(at(idx))) === 'valid', !ENDED.includes(idx), String(idx))
  t.equal(count(PATH), 1)
  await t.test('of more bits, any status but 0 ends it', async (t) => {
    const given = await start(t)
    const two = Buffer.from([0b11_10_01_00])
    given.serve(given.signList(given.listClaims({}, two, 2)))
    const found = []
    for (const idx of [0, 1, 2, 3]) found.push((await given.outcome(given.at(idx))) === 'valid')
    t.strictSame(found, [true, false, false, false])
  })
})

t.test('a list is asked for again after its ttl, and says nothing after twice that', async (t) => {
  const { at, outcome, count, serve, signList, listClaims, pass, state } = await start(t)
  t.equal(await outcome(at(1)), 'valid')
  pass(14)
  serve(signList(listClaims({}, Buffer.from([0xff, 0xff]))))
  t.equal(await outcome(at(1)), 'valid')
  pass(1)
  t.match(await outcome(at(1)), 'ended')
  t.equal(count(PATH), 2)
  state.instead.set(PATH, status(503))
  pass(16)
  t.match(await outcome(at(1)), 'ended', 'the last one counts while there is no other')
  pass(14)
  t.equal(await outcome(at(1)), 503, 'fail closed after twice the ttl')
  pass(2)
  serve(signList(listClaims()))
  t.equal(await outcome(at(1)), 'valid')
})

t.test('E8: a list that cannot be trusted says nothing', async (t) => {
  const given = await start(t)
  const { listClaims, signList, uri, key, issuer, seconds } = given
  const bomb = deflateSync(Buffer.alloc(2 ** 20 + 1)).toString('base64url')
  const other = makeKey('other')
  // Made when they are served: one from before is refused for its age alone.
  const BAD: Readonly<Record<string, () => string>> = {
    'a megabyte and a byte of zeros': () => signList(listClaims({ status_list: { bits: 1, lst: bomb } })),
    'no deflated bytes': () => signList(listClaims({ status_list: { bits: 1, lst: 'AAAA' } })),
    'the list of another address': () => signList(listClaims({ sub: `${uri}2` })),
    'no sub': () => signList(listClaims({ sub: undefined })),
    'of another issuer': () => signList(listClaims({ iss: 'https://other.example' })),
    'an expired list': () => signList(listClaims({ exp: START })),
    'an exp that is a text': () => signList(listClaims({ exp: String(seconds() + 60) })),
    'no iat': () => signList(listClaims({ iat: undefined })),
    'from the future': () => signList(listClaims({ iat: seconds() + 61 })),
    'a ttl that is a text': () => signList(listClaims({ ttl: '15' })),
    'bits that are not known': () => signList(listClaims({}, Buffer.from([0]), 3)),
    'bits as a text': () => signList(listClaims({}, Buffer.from([0]), '1')),
    'no list': () => signList(listClaims({ status_list: undefined })),
    'no lst': () => signList(listClaims({ status_list: { bits: 1 } })),
    'an access token': () => signList(listClaims({ iss: issuer }), { typ: 'at+jwt' }),
    'no type': () => signList(listClaims(), { typ: undefined }),
    'not signed': () => `${signList(listClaims(), { alg: 'none' }).replace(/[^.]*$/, '')}`,
    'another algorithm': () => signList(listClaims(), { alg: 'RS256' }),
    'a key that is not known': () => signList(listClaims(), {}, other),
    'a key of that name that is not known': () => signList(listClaims(), { kid: key.kid }, other),
    'no kid': () => signList(listClaims(), { kid: undefined }),
    'no JWT': () => '{}',
    'more than is read': () => `${signList(listClaims())}${'a'.repeat(300_000)}`,
  }
  for (const [name, bad] of Object.entries(BAD)) {
    given.serve(bad())
    t.equal(await given.outcome(given.at(1)), 503, name)
    given.pass(2)
    given.serve(signList(listClaims()))
    t.equal(await given.outcome(given.at(1)), 'valid', `then a good one`)
    given.pass(31)
  }
})

t.test(
  'E8: a token that names no good place is refused, and nothing is fetched from elsewhere',
  async (t) => {
    const { at, token, outcome, uri, issuer, count, state } = await start(t)
    t.equal(await outcome(at(1)), 'valid')
    const before = state.requests.length
    for (const idx of [16, 2 ** 40]) t.match(await outcome(at(idx)), 'no such index', String(idx))
    for (const idx of [-1, 1.5, '1', null, undefined])
      t.match(await outcome(at(idx)), 'not one of its issuer', String(idx))
    const other = 'http://127.0.0.1:1'
    for (const place of [`${other}${PATH}`, `${issuer}@${other.slice(7)}/`, PATH, '', 7, null])
      t.match(await outcome(at(1, place)), 'not one of its issuer', String(place))
    t.match(await outcome(token({ status: { status_list: 'x' } })), 'not one of its issuer')
    t.equal(state.requests.length, before)
    t.equal(await outcome(at(1, `${uri}/other`)), 503)
    t.equal(count(PATH), 1)
  },
)

t.test('an older list does not take the place of a newer one', async (t) => {
  const { at, outcome, serve, signList, listClaims, pass } = await start(t)
  const before = signList(listClaims({ iat: START - 5 }))
  serve(signList(listClaims({}, Buffer.from([0xff, 0xff]))))
  t.match(await outcome(at(1)), 'ended')
  serve(before)
  pass(16)
  t.match(await outcome(at(1)), 'ended')
  pass(16)
  t.equal(await outcome(at(1)), 503)
})

t.test('an expired list does not take the place of one that counts', async (t) => {
  const { at, outcome, serve, signList, listClaims, pass, seconds } = await start(t)
  t.equal(await outcome(at(1)), 'valid')
  pass(16)
  serve(signList(listClaims({ exp: seconds() })))
  t.equal(await outcome(at(1)), 'valid')
})

t.test('a token without a list passes, unless a list is required', async (t) => {
  for (const rule of ['ignore', 'read', 'require'] as const) {
    const { token, at, outcome, count } = await start(t, rule)
    for (const other of [undefined, 'active', {}])
      t.equal((await outcome(token({ status: other }))) === 'valid', rule !== 'require', rule)
    t.equal((await outcome(at(0))) === 'valid', rule === 'ignore', rule)
    t.equal(count(PATH), rule === 'ignore' ? 0 : 1, rule)
  }
})

t.test('for a token that is refused anyway no list is fetched', async (t) => {
  const { token, outcome, count } = await start(t)
  t.not(await outcome(token({ exp: START - 1 })), 'valid')
  t.not(await outcome(token({ aud: 'https://other.example' })), 'valid')
  t.equal(count(PATH), 0)
})
