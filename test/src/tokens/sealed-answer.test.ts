// Suite: test, proofs
// A spent refresh token stores its successor encrypted; only the spent token itself decrypts it.
import t from 'tap'
import { newFamilyId, newToken, parseToken } from '../../../src/core/token-string.ts'
import { openSuccessor, sealSuccessor } from '../../../src/tokens/sealed-answer.ts'
import { refused } from '../../support/expect.ts'
import { type ClientName, onRedis, tokensOf } from '../../support/lifecycle.ts'

t.test('the spent token decrypts its successor', async (t) => {
  const grant = newFamilyId()
  const [spent, successor] = [newToken(grant), newToken(grant)]
  const sealed = sealSuccessor(spent, 'operation', successor)
  t.match(sealed, /^[\w-]{64}$/, 'small enough for a compact hash')
  t.equal(openSuccessor(spent, 'operation', sealed), successor)
  t.equal(
    sealSuccessor(spent, 'operation', successor),
    sealed,
    'the same attempt produces the same sealed value',
  )
  t.not(sealSuccessor(spent, 'another', successor), sealed)
  t.not(sealSuccessor(newToken(grant), 'operation', successor), sealed)
})

t.test('no other token or attempt decrypts the successor', async (t) => {
  const grant = newFamilyId()
  const [spent, successor] = [newToken(grant), newToken(grant)]
  const sealed = sealSuccessor(spent, 'operation', successor)
  const { secret = '' } = parseToken(spent) ?? {}
  for (const other of [newToken(grant), newToken(newFamilyId()), successor, `${grant}.`, secret, '']) {
    t.throws(() => openSuccessor(other, 'operation', sealed), 'a different token')
  }
  for (const operation of ['', 'Operation', 'operation ']) {
    t.throws(() => openSuccessor(spent, operation, sealed), 'a different attempt')
  }
  const bytes = Buffer.from(sealed, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    t.throws(() => openSuccessor(spent, 'operation', changed.toString('base64url')), `bit ${bit}`)
  }
  const broken = ['', 'A', sealed.slice(0, -4), sealed.slice(4), `${sealed}AAAA`, sealed.slice(-22)]
  for (const text of broken) t.throws(() => openSuccessor(spent, 'operation', text), text)
})

onRedis(
  'the record of a spent token does not contain its live successor in plain',
  async (t, start, redis) => {
    const service = await start()
    for (const client of ['app', 'web'] as ClientName[]) {
      const first = await service.signIn(client)
      const second = tokensOf(await service.refresh(client, first.refresh_token))
      const record = (await service.storage.families.findToken(first.refresh_token)) ?? {}
      const { spent_by = '', successor = '' } = record
      t.equal(
        openSuccessor(first.refresh_token, spent_by, successor),
        second.refresh_token,
        'the sealed successor is stored',
      )
      const live = [second.refresh_token, second.access_token, first.access_token]
      const secrets = live.map((token) => parseToken(token)?.secret ?? token)
      for (const [field, value] of Object.entries(record)) {
        for (const secret of secrets) t.notOk(value.includes(secret), `${field} contains no live token`)
        t.ok(value.length <= 64, `${field} is short enough for a compact hash`)
        // A store of digests would leave out the fields about the token itself.
        if (field !== 'jti')
          t.throws(() => openSuccessor(value, spent_by, successor), `${field} does not decrypt it`)
      }
      t.throws(() => openSuccessor(second.refresh_token, spent_by, successor))
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
