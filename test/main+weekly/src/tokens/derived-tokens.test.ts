// A refresh derives its tokens from the spent token and its operation: neither of them yields the tokens alone.
import { createHmac } from 'node:crypto'
import { decodeJwt } from 'jose'
import t from 'tap'
import { newFamilyId, newToken, parseToken } from '../../../../src/core/token-string.ts'
import {
  answeredText,
  answerOf,
  derivedJti,
  derivedSuccessor,
  newOperation,
} from '../../../../src/tokens/derived-tokens.ts'
import { refused } from '../../../support/expect.ts'
import { type ClientName, onRedis, tokensOf } from '../../../support/lifecycle.ts'

const jtiOf = (token: string) => (token.split('.').length === 3 ? decodeJwt(token).jti : token)

const SPENT = 'AAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBCCCCCCCCCCCCCCCCCCCCCC'
const OPERATION = 'DDDDDDDDDDDDDDDDDDDDDD'

t.test('the derivation is an HMAC with a label for each token', async (t) => {
  const hmac = (text: string) => createHmac('sha256', SPENT).update(text).digest('base64url')
  const own = hmac(`redmint successor ${OPERATION}`).slice(21)
  t.equal(derivedSuccessor(SPENT, OPERATION), `AAAAAAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBB${own}`)
  t.equal(derivedJti(SPENT, OPERATION), `AAAAAAAAAAAAAAAA.${hmac(`redmint access token ${OPERATION}`)}`)
  // Other replicas and the next version must derive the same.
  t.equal(own, 'ud3H5J86bXseG2l1ZGCNqs')
  t.equal(derivedJti(SPENT, OPERATION).slice(17), 'N7nKzH_2VjGENUjzCLXKxUvuHj00p32cjupRXN0OeE0')
})

t.test('another token or another operation derives other tokens', async (t) => {
  const grant = newFamilyId()
  const spent = newToken(grant)
  const operations = [newOperation(), newOperation(), '']
  const derived = [spent, newToken(grant), newToken(newFamilyId())].flatMap((token) =>
    operations.flatMap((operation) => [derivedSuccessor(token, operation), derivedJti(token, operation)]),
  )
  t.equal(new Set(derived).size, derived.length)
  t.equal(newOperation().length, 22)
  for (const text of ['', `${grant}.`, 'token']) {
    t.throws(() => derivedSuccessor(text, OPERATION), TypeError)
    t.throws(() => derivedJti(text, OPERATION), TypeError)
  }
})

t.test('a retry reads how the access token was issued', async (t) => {
  const spent = newToken(newFamilyId())
  const [operation, facts] = [newOperation(), { issued_at: 1_795_000_000, access_token_ttl: 900 }]
  for (const format of ['jwt', 'opaque'] as const) {
    const answered = answeredText({ format, ...facts })
    t.strictSame(answerOf(spent, { operation, answered }), {
      refresh_token: derivedSuccessor(spent, operation),
      issued: { format, ...facts, jti: derivedJti(spent, operation) },
    })
  }
  for (const answered of [
    '',
    'jwt',
    'saml 1 2',
    'jwt 1',
    'jwt 1 2 3',
    'jwt x 900',
    'jwt -1 900',
    'jwt 1 1e9',
  ]) {
    t.throws(() => answerOf(spent, { operation, answered }), /malformed/, answered)
  }
})

onRedis('Redis has what a retry needs, but no token that could be used', async (t, start, redis) => {
  const service = await start()
  for (const client of ['app', 'web'] as ClientName[]) {
    const first = await service.signIn(client)
    const second = tokensOf(await service.refresh(client, first.refresh_token))
    const grant = first.refresh_token.slice(0, 16)
    const record = (await service.storage.families.findFamily(grant)) ?? {}
    const { spent_by: operation = '', answered = '' } = record
    t.match(
      answerOf(first.refresh_token, { operation, answered }),
      { refresh_token: second.refresh_token, issued: { jti: jtiOf(second.access_token) } },
      'the spent token derives the answer',
    )
    const live = [second.access_token, first.access_token]
    const secrets = live.map((token) => parseToken(token)?.secret ?? token)
    for (const [field, value] of Object.entries(record)) {
      for (const secret of secrets) t.notOk(value.includes(secret), `${field} contains no access token`)
      t.ok(value.length <= 64, `${field} is short enough for a compact hash`)
    }
    t.match(await redis.server.cli('OBJECT', 'ENCODING', redis.keys.family(grant)), /listpack|ziplist/)
  }
})

onRedis('a damaged record of a spending yields no token', async (t, start, { server, keys }) => {
  const service = await start()
  const one = await service.signIn()
  const next = tokensOf(await service.refresh('app', one.refresh_token))
  const grant = one.refresh_token.slice(0, 16)
  for (const answered of ['spoiled', 'jwt 1 x']) {
    await server.cli('HSET', keys.family(grant), 'answered', answered)
    const { status, text } = await service.refresh('app', one.refresh_token)
    t.ok(status >= 400, `${status}`)
    t.notMatch(text, /access_token|refresh_token/)
  }
  t.equal((await service.refresh('app', next.refresh_token)).status, 200, 'the successor itself is accepted')
  await service.revoke('app', next.refresh_token)
  refused(t, await service.refresh('app', one.refresh_token), 'a revoked family stays revoked')
})
