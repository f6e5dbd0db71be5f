// Ending everything from before a time, on a Redis that also holds keys of others.

import t from 'tap'
import { endAllBefore } from '../../../../../../src/sessions/session-store.ts'
import { evidenceTag } from '../../../../../../src/storage/evidence.ts'
import { RedisKeys } from '../../../../../../src/storage/redis/keys.ts'
import { redeemCode } from '../../../../../../src/tokens/token-families.ts'
import { signIn } from '../../../../../support/contract/family.ts'
import { CODE, issueCode } from '../../../../../support/contract/subject.ts'
import { startRedis } from '../../../../../support/redis-server.ts'
import { redisStorage } from '../../../../../support/redis-storage.ts'

const redis = await startRedis(t)
const LATER = CODE.auth_time + 1

function open(prefix: string, at_rest: 'plain' | 'hashed' = 'plain') {
  const keys = new RedisKeys(prefix, at_rest)
  const storage = redisStorage(t, redis, keys)
  return { storage, keys }
}

t.test('tokens that are hashed at rest are revoked, too', async (t) => {
  const { storage } = open('hashed:', 'hashed')
  const { grant, access_token, refresh_token } = await signIn(storage)
  const { code, attempt } = await issueCode(storage)
  t.strictSame(await endAllBefore(storage, LATER), { sessions: 0, grants: 1, codes: 1, tokens: 0 })
  for (const token of [access_token, refresh_token]) {
    t.match(await storage.families.findToken(token), { jti: token, revoked: 'true' })
  }
  t.match(await storage.families.findFamily(grant), { status: 'revoked' })
  t.strictSame(await redeemCode(storage, code, attempt('late')), { outcome: 'missing' })
})

t.test('a family that cannot be ended fails the call, and all others are ended', async (t) => {
  const { storage, keys } = open('spoiled:')
  const families = await Promise.all(Array.from({ length: 8 }, () => signIn(storage)))
  const [spoiled = families[0], ...others] = families
  await redis.cli('DEL', keys.familyIndex(spoiled?.grant ?? ''))
  await redis.cli('SET', keys.familyIndex(spoiled?.grant ?? ''), 'not ours')
  await t.rejects(endAllBefore(storage, LATER), { message: /WRONGTYPE/ })
  for (const { grant, access_token, refresh_token } of others) {
    t.match(await storage.families.findFamily(grant), { status: 'revoked' })
    for (const token of [access_token, refresh_token]) {
      t.match(await storage.families.findToken(token), { revoked: 'true' })
    }
  }
})

t.test('keys whose names are not token strings are left alone', async (t) => {
  const { storage } = open('odd:')
  const names = ['odd:token:abc', 'odd:token:{short}.x', 'odd:grant:', 'odd:code:{}', 'odder:grant:{x}']
  for (const name of names) {
    await redis.cli('HSET', name, 'auth_time', '1', 'status', 'active', 'revoked', 'false')
  }
  t.strictSame(await endAllBefore(storage, LATER), { sessions: 0, grants: 0, codes: 0, tokens: 0 })
  for (const name of names) {
    t.strictSame(await redis.cli('HMGET', name, 'status', 'revoked'), 'active\nfalse', name)
  }
})

t.test('evidence that was written by hand and cannot be read ends, and keeps no other', async (t) => {
  const { storage, keys } = open('by-hand:')
  const key = keys.evidence(evidenceTag('alice'))
  const now = Date.now()
  await redis.cli(
    'HSET',
    key,
    'broken',
    '{',
    'without a time',
    '{}',
    'new',
    JSON.stringify({ created_at: now }),
  )
  t.equal(await storage.evidence.endMadeBefore(now), 2)
  t.equal(await redis.cli('HKEYS', key), 'new')
})
