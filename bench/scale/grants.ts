// Grants like one that the storage has written: what is its own of each is put in its place.
import type { Redis } from 'ioredis'
import { newFamilyId, newToken } from '../../src/core/token-string.ts'
import { write } from '../../src/storage/records.ts'
import type { RedisKeys } from '../../src/storage/redis/keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { CODE } from '../../src/tokens/code-record.ts'
import { grantListings } from '../../src/tokens/grant-listings.ts'
import { redeemCode } from '../../src/tokens/token-families.ts'
import { newRefreshToken } from '../../test/support/contract/subject.ts'
import { clientIdOf, DAY, subOf, usernameOf } from './records.ts'
import { command, Template } from './wire.ts'

const REFRESH_TTL = 30 * 86_400

/** What is its own of each grant, each of a fixed length. */
export interface OwnOfGrant {
  readonly family: string
  readonly username: string
  readonly client_id: string
  readonly sub: string
  readonly started_at: string
  readonly sid: string
}

export const familyOfGrant = (grant: number) => String(grant).padStart(16, '0')
export const sidOfGrant = (grant: number) => `sid-${String(grant).padStart(18, '0')}`

/** What writes a grant. */
export interface GrantWriter {
  /** The latest end of its entries in lists, in milliseconds since 1970. */
  readonly until: number
  /** Writes the grant record. */
  grant(own: OwnOfGrant): string
  /** Writes its refresh token, and the index of its tokens. */
  refreshToken(own: OwnOfGrant): string
}

/**
 * Signs somebody in who is nobody else, by storage, and returns what writes the like.
 * @param started in milliseconds since 1970
 */
export async function grantWriter(
  storage: Pick<Storage, 'records' | 'families'>,
  redis: Redis,
  keys: RedisKeys,
  started: number,
): Promise<GrantWriter> {
  const family = newFamilyId()
  const own: OwnOfGrant = {
    family,
    username: usernameOf(9_999_999),
    client_id: clientIdOf(999_999),
    sub: subOf(9_999_999),
    started_at: String(started),
    sid: sidOfGrant(9_999_999_999),
  }
  const { username, client_id, sub: subject, sid } = own
  const [code, refresh_token, redirect_uri] = [
    newToken(family),
    newRefreshToken(family),
    'https://app.example/callback',
  ]
  const lists = grantListings({ family, client_id, username, started_at: started }, 60)
  const record = {
    ...{ client_id, redirect_uri, subject, username, sid },
    scope: 'openid profile offline_access',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    auth_time: Math.floor(started / 1000) - 1,
    ...{ amr: 'pwd', acr: '1', started_at: own.started_at, session_started_at: String(started - DAY) },
  }
  await storage.records.put(write(CODE, code, record, 60, lists))
  const { outcome } = await redeemCode(storage, code, {
    ...{ client_id, redirect_uri, code_challenge: record.code_challenge, refresh_token },
    operation: 'scale',
    access_token_ttl: 900,
    refresh_token_ttl: REFRESH_TTL,
  })
  if (outcome !== 'ok') throw new Error(`the code of the pattern is ${outcome}`)
  const [grant, token, index] = [keys.family(family), keys.token(refresh_token), keys.familyIndex(family)]
  const rewrite = async (key: string) =>
    command('HSET', key, ...Object.entries(await redis.hgetall(key)).flat()) + (await endOf(redis, key))
  const [member = '', score = ''] = await redis.zrangebyscore(index, '-inf', '+inf', 'WITHSCORES')
  const texts = {
    grant: await rewrite(grant),
    token: (await rewrite(token)) + command('ZADD', index, score, member) + (await endOf(redis, index)),
  }
  const lasts = await redis.pttl(grant)
  if (lasts <= 0) throw new Error('the grant of the pattern does not end')
  const until = Date.now() + lasts
  await redis.del([grant, token, index, keys.record(CODE, code), ...lists.map((list) => keys.list(list))])
  const parts = partsOf(own)
  const [of_grant, of_token] = [new Template(texts.grant, parts), new Template(texts.token, parts)]
  return {
    until,
    grant: (one) => of_grant.fill(partsOf(one)),
    refreshToken: (one) => of_token.fill(partsOf(one)),
  }
}

const partsOf = ({ family, username, client_id, sub, started_at, sid }: OwnOfGrant) => [
  ...[family, username, client_id, sub, started_at, sid],
]

/** The command that lets a key end when it ends. */
async function endOf(redis: Redis, key: string): Promise<string> {
  return command('PEXPIREAT', key, String(Date.now() + (await redis.pttl(key))))
}
