// Suite: test, weekly
// A spent refresh token stores the answer for a retry encrypted; only the spent token itself decrypts it.
import { decodeJwt } from 'jose'
import t from 'tap'
import { newFamilyId, newSuccessor, newToken, parseToken } from '../../../src/core/token-string.ts'
import { type Issued, openAnswer, sealAnswer } from '../../../src/tokens/sealed-answer.ts'
import { refused } from '../../support/expect.ts'
import { type ClientName, onRedis, tokensOf } from '../../support/lifecycle.ts'

const jtiOf = (token: string) => (token.split('.').length === 3 ? decodeJwt(token).jti : token)

function issue() {
  const grant = newFamilyId()
  const spent = newToken(grant)
  const issued: Issued = {
    format: 'jwt',
    jti: newToken(grant),
    issued_at: 1_795_000_000,
    access_token_ttl: 900,
  }
  return { grant, spent, answered: { refresh_token: newSuccessor(spent), issued } }
}

t.test('the spent token decrypts the answer', async (t) => {
  for (const format of ['jwt', 'opaque'] as const) {
    const { grant, spent, answered } = issue()
    answered.issued.format = format
    const sealed = sealAnswer(spent, 'operation', answered)
    for (const [field, value] of Object.entries(sealed)) {
      t.ok(value.length <= 64, `${field} is small enough for a compact hash`)
    }
    t.strictSame(openAnswer(spent, { operation: 'operation', sealed }), answered)
    t.strictSame(sealAnswer(spent, 'operation', answered), sealed, 'the same attempt seals the same')
    t.not(sealAnswer(spent, 'another', answered).successor, sealed.successor)
    t.not(sealAnswer(newToken(grant), 'operation', answered).access_token, sealed.access_token)
  }
})

t.test('no other token or attempt decrypts the answer', async (t) => {
  const { grant, spent, answered } = issue()
  const operation = 'operation'
  const sealed = sealAnswer(spent, operation, answered)
  const { refresh_token, issued } = answered
  const { secret = '' } = parseToken(spent) ?? {}
  const others = [
    newToken(grant),
    newToken(newFamilyId()),
    refresh_token,
    issued.jti,
    `${grant}.`,
    secret,
    '',
  ]
  for (const other of others) t.throws(() => openAnswer(other, { operation, sealed }), 'a different token')
  for (const operation of ['', 'Operation', 'operation ']) {
    t.throws(() => openAnswer(spent, { operation, sealed }), 'a different attempt')
  }
  for (const field of ['successor', 'access_token'] as const) {
    const bytes = Buffer.from(sealed[field], 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const other = { ...sealed, [field]: changed.toString('base64url') }
      t.throws(() => openAnswer(spent, { operation, sealed: other }), `${field}, bit ${bit}`)
    }
    const text = sealed[field]
    for (const broken of ['A', text.slice(0, -4), text.slice(4), `${text}AAAA`, text.slice(-22)]) {
      t.throws(() => openAnswer(spent, { operation, sealed: { ...sealed, [field]: broken } }), broken)
    }
  }
  for (const issued of ['opaque 1795000000 900', 'jwt 1795000001 900', 'jwt 1795000000 901', 'jwt']) {
    t.throws(() => openAnswer(spent, { operation, sealed: { ...sealed, issued } }), issued)
  }
  const swapped = { ...sealed, successor: sealed.access_token, access_token: sealed.successor }
  t.throws(() => openAnswer(spent, { operation, sealed: swapped }))
})

onRedis(
  'the record of a spent token does not contain its live successor in plain',
  async (t, start, redis) => {
    const service = await start()
    for (const client of ['app', 'web'] as ClientName[]) {
      const first = await service.signIn(client)
      const second = tokensOf(await service.refresh(client, first.refresh_token))
      const record = (await service.storage.families.findToken(first.refresh_token)) ?? {}
      const { spent_by: operation = '', successor = '', access_token = '', issued = '' } = record
      const spending = { operation, sealed: { successor, access_token, issued } }
      t.match(
        openAnswer(first.refresh_token, spending),
        { refresh_token: second.refresh_token, issued: { jti: jtiOf(second.access_token) } },
        'the sealed answer is stored',
      )
      const live = [second.refresh_token, second.access_token, first.access_token]
      const secrets = live.map((token) => parseToken(token)?.secret ?? token)
      for (const [field, value] of Object.entries(record)) {
        for (const secret of secrets) t.notOk(value.includes(secret), `${field} contains no live token`)
        t.ok(value.length <= 64, `${field} is short enough for a compact hash`)
        // A store of digests would leave out the fields about the token itself.
        if (field !== 'jti') t.throws(() => openAnswer(value, spending), `${field} does not decrypt it`)
      }
      t.throws(() => openAnswer(second.refresh_token, spending))
      const encoding = await redis.server.cli('OBJECT', 'ENCODING', redis.keys.token(first.refresh_token))
      t.match(encoding, /listpack|ziplist/)
    }
  },
)

onRedis('a damaged sealed successor yields no token', async (t, start, { server, keys }) => {
  const service = await start()
  const [one, other] = [await service.signIn(), await service.signIn()]
  const next = tokensOf(await service.refresh('app', one.refresh_token))
  await service.refresh('app', other.refresh_token)
  const foreign = (await service.storage.families.findToken(other.refresh_token)) ?? {}
  for (const successor of ['spoiled', 'A'.repeat(64), foreign.successor ?? '']) {
    await server.cli('HSET', keys.token(one.refresh_token), 'successor', successor)
    const { status, text } = await service.refresh('app', one.refresh_token)
    t.ok(status >= 400, `${status}`)
    t.notMatch(text, /access_token|refresh_token/)
  }
  t.equal((await service.refresh('app', next.refresh_token)).status, 200, 'the successor itself is accepted')
  await service.revoke('app', next.refresh_token)
  refused(t, await service.refresh('app', one.refresh_token), 'a revoked successor stays revoked')
})
