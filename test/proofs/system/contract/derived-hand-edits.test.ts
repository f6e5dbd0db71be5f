// What an operator changes with redis-cli ends what was derived from it (RFC 8693), and a broken record keeps none alive.

import t, { type Test } from 'tap'
import { newToken } from '../../../../src/core/token-string.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import {
  ACTOR,
  chainOf,
  derive,
  deriving,
  jwt,
  opaque,
  signInToDerive,
} from '../../../support/contract/deriving.ts'
import { grantKeysOf, keyOf, liveOf } from '../../../support/contract/family.ts'
import { onRedis as openRedis } from '../../../support/contract/on-redis.ts'
import { keysOf } from '../../../support/contract/redis-subject.ts'
import type { RedisSide } from '../../../support/contract/subject.ts'
import { issueClientToken } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'

const PAST = '2001-09-09T01:46:40.000Z'

/** What somebody does to the key of a token. */
const EDITS: Readonly<Record<string, (key: string) => string[]>> = {
  'it is revoked': (key) => ['HSET', key, 'revoked', 'true'],
  'it is revoked in another spelling': (key) => ['HSET', key, 'revoked', 'TRUE'],
  'it is deleted': (key) => ['DEL', key],
  'it expires': (key) => ['PEXPIREAT', key, '1'],
  'its end is in the past': (key) => ['HSET', key, 'expires_at', PAST],
  'its end is no instant': (key) => ['HSET', key, 'expires_at', 'never'],
  'it has no end': (key) => ['HDEL', key, 'expires_at'],
  'it does not say whether it is revoked': (key) => ['HDEL', key, 'revoked'],
}

const redis = await startRedis(t)
const make = openRedis({ kind: 'single', url: redis.url }, [redis])

function onRedis(name: string, run: (t: Test, storage: Storage, redis: RedisSide) => Promise<void>): void {
  t.test(name, async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) throw new TypeError('this is about Redis')
    await run(t, storage, redis)
  })
}

onRedis('whatever ends a token by hand ends what was derived from it', async (t, storage, redis) => {
  for (const [name, edit] of Object.entries(EDITS)) {
    const { subject } = await signInToDerive(storage)
    const chain = await chainOf(storage, subject, 3)
    for (const [depth, { token }] of chain.entries()) {
      if (depth === 2) await redis.cli(...edit(keyOf(redis, token)))
    }
    const [, first, , last] = chain
    t.strictSame(await liveOf(storage, [last?.token ?? '']), [], `${name}: what was derived from it`)
    t.equal(await storage.families.deriveToken(deriving(last ?? subject)), 'ended', name)
    t.strictSame(
      await liveOf(storage, [subject.token, first?.token ?? '']),
      [subject.token, first?.token],
      name,
    )
  }
})

onRedis('a JWT that is written as revoked ends what was derived from it', async (t, storage, redis) => {
  const { grant } = await signInToDerive(storage)
  const jti = newToken(grant)
  const { token } = await derive(storage, jwt(jti))
  await redis.cli('HSET', keyOf(redis, jti), 'revoked', 'true')
  await redis.cli('PEXPIRE', keyOf(redis, jti), '60000')
  t.strictSame(await liveOf(storage, [token]), [])
  t.equal(await storage.families.deriveToken(deriving(jwt(jti))), 'ended')
})

onRedis('a grant record that is ended or deleted ends what was derived', async (t, storage, redis) => {
  for (const edit of [(key: string) => ['HSET', key, 'status', 'revoked'], (key: string) => ['DEL', key]]) {
    const { grant, subject } = await signInToDerive(storage)
    const [, first, second] = await chainOf(storage, subject, 2)
    await redis.cli(...edit(grantKeysOf(redis, grant).grant))
    t.strictSame(await liveOf(storage, [first?.token ?? '', second?.token ?? '']), [])
    t.equal(await storage.families.deriveToken(deriving(subject)), 'ended')
    t.strictSame(await storage.families.readDerived(grant), [])
  }
})

onRedis('whatever ends the token of an actor by hand ends what it proved', async (t, storage, redis) => {
  for (const name of ['it is revoked', 'it is deleted', 'it does not say whether it is revoked']) {
    const { subject } = await signInToDerive(storage)
    const actor = await issueClientToken(storage, { client_id: ACTOR })
    const first = await derive(storage, subject, { actor_token: opaque(actor) })
    const second = await derive(storage, first)
    await redis.cli(...(EDITS[name]?.(keyOf(redis, actor)) ?? []))
    t.strictSame(await liveOf(storage, [first.token, second.token]), [], name)
  }
})

onRedis('a key of a wrong type fails the call, and nothing is written', async (t, storage, redis) => {
  const keys = new RedisKeys(redis.prefix)
  for (const broken of ['subject', 'origin', 'grant', 'index', 'derived', 'proof'] as const) {
    const { grant, subject } = await signInToDerive(storage)
    const first = await derive(storage, subject)
    const proof = { kind: 'proof', id: newToken(grant), ttl: 60 } as const
    const key = {
      subject: keyOf(redis, first.token),
      origin: keyOf(redis, subject.token),
      grant: keys.family(grant),
      index: keys.familyIndex(grant),
      derived: keys.derivedTokens(grant),
      proof: keys.record({ name: 'proof', slot: 'family' }, proof.id),
    }[broken]
    await redis.cli('SET', key, 'not ours', 'PX', '60000')
    const before = await keysOf(redis)
    const next = deriving(first, { single_uses: [proof] })
    await t.rejects(storage.families.deriveToken(next), { message: /WRONGTYPE/ }, broken)
    t.strictSame(await keysOf(redis), before, `${broken}: nothing is written`)
    t.equal(await redis.cli('GET', key), 'not ours')
  }
})

onRedis('one broken token does not keep the others from being ended', async (t, storage, redis) => {
  const { grant, subject } = await signInToDerive(storage)
  const chain = await chainOf(storage, subject, 3)
  await redis.cli('SET', keyOf(redis, chain[2]?.token ?? ''), 'not ours', 'PX', '60000')
  t.equal(await storage.families.endDerived(grant, ACTOR), 2)
  t.equal(await redis.cli('HGET', keyOf(redis, chain[1]?.token ?? ''), 'revoked'), 'true')
  t.equal(await redis.cli('HGET', keyOf(redis, chain[3]?.token ?? ''), 'revoked'), 'true')
})
