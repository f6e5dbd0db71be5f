// The part of the contract that is visible in Redis only.

import type { Test } from 'tap'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { createClient, createUser, issueClientToken } from '../records.ts'
import { addAccessToken } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { issueCode, type Make, type RedisSide, readToken } from './subject.ts'

// The server reads its clock once per command.
const TOLERANCE_MS = 500

export async function redisContract(t: Test, make: Make): Promise<void> {
  await t.test('all keys with a lifetime expire, and no other keys remain', async (t) => {
    const { storage, redis } = await subject(t, make)
    await createClient(storage, 'app', { client_name: 'App' })
    await createUser(storage, 'alice', { sub: 'alice' })
    await storage.signing_keys.replace({}, { kid: 'key' })
    await storage.sealing_keys.replace({}, { kid: 'key' })
    const { grant, code, attempt } = await issueCode(storage)
    const first = attempt('one')
    await redeemCode(storage, code, first)
    const later = await addAccessToken(storage, first.refresh_token, 7200)
    await redeemCode(storage, code, attempt('two'))
    const unspent = await issueCode(storage)
    await redeemCode(storage, unspent.code, { ...unspent.attempt('wrong'), client_id: 'other' })
    const service = await issueClientToken(storage)
    await storage.families.revokeToken(service)
    await storage.families.revokeFamily(grant)

    const keys = await keysOf(redis)
    const tagged = (token: string) => token.replace(/^(.{16})\./, '{$1}.')
    t.strictSame(
      // In a Cluster lists are added apart.
      keys.filter((key) => !/^(probe:|grants-of-)/.test(key)),
      [
        'client:app',
        `code:${tagged(code)}`,
        `code:${tagged(unspent.code)}`,
        `grant:{${grant}}`,
        'names:client',
        'names:user',
        'sealing-keys',
        'signing-keys',
        ...[first.access_token, first.refresh_token, later, service].map((token) => `token:${tagged(token)}`),
        'user:alice',
        'words:client',
        'words:user',
      ].sort(),
      'the keys of the keyspace; a token without a family is a single key',
    )
    for (const key of keys) {
      const lasting = /^(client:|user:|names:|words:|(signing|sealing)-keys$)/.test(key)
      const expiry = await expiryOf(redis, key)
      t.ok(lasting ? expiry === -1 : expiry > Date.now(), `${key} has the right expiry`)
    }
    for (const token of [first.access_token, first.refresh_token, later, service]) {
      const { expires_at } = (await readToken(storage, token)) ?? {}
      near(
        t,
        await expiryOf(redis, `token:${tagged(token)}`),
        Number(expires_at),
        'expires_at agrees with the TTL',
      )
    }
    const end = Number((await readToken(storage, later))?.expires_at)
    t.ok((await expiryOf(redis, `grant:{${grant}}`)) >= end, 'a grant outlives its tokens')
  })

  await t.test('a spent code expires after ten minutes, and nothing changes the expiry', async (t) => {
    const { storage, redis } = await subject(t, make)
    const { grant, code, attempt } = await issueCode(storage)
    const first = attempt('one')
    const key = `code:{${grant}}.${code.slice(17)}`
    const ends = () =>
      Promise.all([key, `grant:{${grant}}`, `grant-tokens:{${grant}}`].map((k) => expiryOf(redis, k)))
    await redeemCode(storage, code, first)
    const redeemed = Date.now()
    const before = await ends()
    const refresh = await readToken(storage, first.refresh_token)
    const last = Number(refresh?.expires_at) + first.access_token_ttl * 1000
    const [code_ends = 0, ...family_ends] = before
    near(t, code_ends, redeemed + 600_000, 'from then on its family recognises a replay')
    for (const end of family_ends)
      near(t, end, last, 'both expire with the last access token that can be issued')
    await redeemCode(storage, code, first)
    await addAccessToken(storage, first.refresh_token, 60)
    for (const [i, end] of (await ends()).entries()) near(t, end, before[i] ?? 0, 'unchanged')
    await redeemCode(storage, code, attempt('two'))
    for (const [i, end] of (await ends()).slice(0, 2).entries()) near(t, end, before[i] ?? 0, 'unchanged')
  })

  await t.test('a code with an unknown status is "missing"', async (t) => {
    const { storage, redis } = await subject(t, make)
    const { grant, code, attempt } = await issueCode(storage)
    await redis.cli('HSET', `${redis.prefix}code:{${grant}}.${code.slice(17)}`, 'status', 'disabled')
    t.strictSame(await redeemCode(storage, code, attempt('one')), { outcome: 'missing' })
    t.equal(await storage.families.findFamily(grant), undefined)
  })

  await t.test('a token revoked or removed with redis-cli stays revoked or missing', async (t) => {
    const { storage, redis } = await subject(t, make)
    const { grant, code, attempt } = await issueCode(storage)
    const first = attempt('one')
    await redeemCode(storage, code, first)
    const key = (token: string) => `${redis.prefix}token:{${grant}}.${token.slice(17)}`
    await redis.cli('HSET', key(first.access_token), 'revoked', 'true')
    t.match(await readToken(storage, first.access_token), { revoked: true })
    await redis.cli('DEL', key(first.refresh_token))
    t.equal(await storage.families.revokeFamily(grant), 'ok')
    t.equal(await storage.families.findToken(first.refresh_token), undefined)
    t.equal(await redis.cli('EXISTS', key(first.refresh_token)), '0')
  })

  await t.test('storage works after SCRIPT FLUSH', async (t) => {
    const { storage, redis } = await subject(t, make)
    for (const round of ['one', 'two']) {
      const { code, attempt } = await issueCode(storage)
      await redis.all('SCRIPT', 'FLUSH')
      t.match(await redeemCode(storage, code, attempt(round)), { outcome: 'ok' })
      await redis.all('SCRIPT', 'FLUSH')
      t.equal(await createClient(storage, `app-${round}`, { client_name: 'App' }), 'ok')
    }
  })
}

async function subject(t: Test, make: Make): Promise<{ storage: Storage; redis: RedisSide }> {
  const { storage, redis } = await make(t)
  if (redis === undefined) throw new TypeError('this contract is about Redis')
  return { storage, redis }
}

function near(t: Test, found: number, wanted: number, message: string): void {
  t.ok(Math.abs(found - wanted) <= TOLERANCE_MS, `${message} (${found - wanted} ms)`)
}
