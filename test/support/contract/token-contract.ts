// The contract of tokens and grants.

import type { Test } from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { MAX_LIVE_TOKENS } from '../../../src/storage/families.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { issueClientToken, type TokenFields } from '../records.ts'
import { addAccessToken, liveOf, refreshing, signIn } from './family.ts'
import { issueCode, type Make, pass, readToken } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

const TOKEN: TokenFields = {
  type: 'access_token',
  client_id: 'service',
  subject: '',
  scope: 'api.read api.write',
}

export async function tokenContract(t: Test, make: Make): Promise<void> {
  await t.test(
    'the token of a client can be read, is written once, and revoked like any other',
    async (t) => {
      const subject = await make(t)
      const { storage } = subject
      const { client_id, scope } = TOKEN
      const token = newToken(newFamilyId())
      const save = (token: string, ttl: number) =>
        storage.families.saveClientToken({ token, client_id, scope }, ttl)
      t.equal(await storage.families.findToken(token), undefined)
      const since = Date.now()
      await save(token, 900)
      const found = await readToken(storage, token)
      t.match(found, { ...TOKEN, jti: token, revoked: false })
      t.equal(await storage.families.findFamily(token.slice(0, 16)), undefined, 'it has no grant record')
      const lifetime = Number(found?.expires_at) - since
      t.ok(lifetime >= 899_999 && lifetime < 905_000)
      t.equal(await storage.families.revokeToken(token, client_id), 'ok')
      await save(token, 7200)
      const repeated = await readToken(storage, token)
      t.match(repeated, { revoked: true, expires_at: found?.expires_at }, 'a repetition undoes nothing')
      const short = newToken(newFamilyId())
      await save(short, 1)
      await pass(subject, 2, async () => (await storage.families.findToken(short)) === undefined)
      await t.rejects(save('token', 900), TypeError)
    },
  )

  await t.test(
    'tokens of clients that are written at the same time are each as they were given',
    async (t) => {
      const { storage } = await make(t)
      const given = Array.from({ length: 70 }, (_, i) => ({
        // Some ask storage for their family, as grants do.
        token: newToken(i % 4 === 0 ? newFamilyId() : storage.families.newClientFamily()),
        client_id: `client-${i}`,
        scope: `scope-${i}`,
        ...(i % 3 === 0 && { audience: `https://api.example.com/${i}` }),
        ...(i % 5 === 0 && { confirmation: { jkt: `key-${i}` } }),
      }))
      t.equal(
        new Set(given.map(({ token }) => token.slice(0, 16))).size,
        given.length,
        'each has its own family',
      )
      const since = Date.now()
      await Promise.all(
        given.map((token, i) => storage.families.saveClientToken(token, 1000 + 100 * (i % 7))),
      )
      for (const [i, { token, audience, confirmation, ...fields }] of given.entries()) {
        const { expires_at, ...record } = (await storage.families.findToken(token)) ?? {}
        t.strictSame(record, {
          jti: token,
          type: 'access_token',
          subject: '',
          revoked: 'false',
          ...fields,
          ...(audience && { audience }),
          ...confirmation,
        })
        const lifetime = Date.parse(expires_at ?? '') - since - 1000 * (1000 + 100 * (i % 7))
        t.ok(lifetime >= -1 && lifetime < 60_000, `token ${i} expires at ${expires_at}`)
      }
    },
  )

  await t.test('a string that is not a token string is not found', async (t) => {
    const { storage } = await make(t)
    const token = await issueClientToken(storage)
    for (const other of ['', 'token', `${token} `, token.slice(1), `${token}\n`, '__proto__', `{${token}}`]) {
      t.equal(await storage.families.findToken(other), undefined)
      t.equal(await storage.families.revokeToken(other), 'missing')
    }
    for (const grant of ['', '{}', '}{', '__proto__', '*', 'a'.repeat(16)]) {
      t.equal(await storage.families.findFamily(grant), undefined)
      t.equal(await storage.families.revokeFamily(grant), 'missing')
    }
    t.match(await readToken(storage, token), { revoked: false })
  })

  await t.test('revoking a token does not affect others', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const { access_token, refresh_token, ...rest } = attempt('one')
    await redeemCode(storage, code, { access_token, refresh_token, ...rest })
    const before = await storage.families.findToken(access_token)
    t.equal(await storage.families.revokeToken(access_token), 'ok')
    t.strictSame(await storage.families.findToken(access_token), { ...before, revoked: 'true' })
    t.equal(await storage.families.revokeToken(access_token), 'again', 'repeating succeeds')
    t.match(await readToken(storage, refresh_token), { revoked: false })
    t.match(await storage.families.findFamily(grant), { status: 'active' })
    const unknown = newToken(grant)
    t.equal(await storage.families.revokeToken(unknown), 'missing')
    t.equal(await storage.families.findToken(unknown), undefined, 'revoking an unknown token creates nothing')
  })

  await t.test('revoking a family revokes every token of it', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    t.equal(await storage.families.revokeFamily(grant), 'missing', 'a code alone has no grant record')
    const first = attempt('one')
    await redeemCode(storage, code, first)
    const later = await addAccessToken(storage, first.refresh_token)
    t.match(await readToken(storage, later), { revoked: false })
    t.equal(await storage.families.revokeFamily(grant), 'ok')
    t.match(await storage.families.findFamily(grant), { status: 'revoked', client_id: 'app' })
    for (const token of [first.access_token, first.refresh_token, later]) {
      t.match(await readToken(storage, token), { revoked: true })
    }
    t.equal(await storage.families.revokeFamily(grant), 'again', 'repeating succeeds')
  })

  await t.test('one live token too many ends the access token that expires first', async (t) => {
    const { storage, sizeOf } = await make(t)
    const { grant, refresh_token, access_token } = await signIn(storage, { access_token_ttl: 800 })
    const add = () => addAccessToken(storage, refresh_token, 7200)
    const tokens = await Promise.all(Array.from({ length: MAX_LIVE_TOKENS - 2 }, add))
    t.equal(await sizeOf(grant), MAX_LIVE_TOKENS)
    t.match(await readToken(storage, access_token), { revoked: false })
    const one = await add()
    t.equal(await storage.families.findToken(access_token), undefined, 'it is gone')
    const next = refreshing(grant, 'next')
    t.match(await useRefreshToken(storage, refresh_token, next), { outcome: 'ok' })
    t.equal(await sizeOf(grant), MAX_LIVE_TOKENS)
    t.equal(
      await storage.families.findToken(next.access_token),
      undefined,
      'the first to expire, whichever it is',
    )
    t.match(await readToken(storage, next.successor), { revoked: false }, 'the refresh token is in use')
    t.equal((await liveOf(storage, [...tokens, one])).length, tokens.length + 1)
  })

  await t.test('tokens without a grant record are revoked one by one', async (t) => {
    const { storage } = await make(t)
    const token = await issueClientToken(storage)
    t.equal(await storage.families.revokeFamily(token.slice(0, 16)), 'missing')
    t.match(await readToken(storage, token), { revoked: false })
  })

  await t.test('an expired token is not found', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const token = await issueClientToken(storage, { ttl: 1 })
    const longer = await issueClientToken(storage, { ttl: 60 })
    await storage.families.revokeToken(token)
    t.match(await readToken(storage, token), { revoked: true })
    await pass(subject, 2, async () => (await storage.families.findToken(token)) === undefined)
    t.equal(await storage.families.revokeToken(token), 'missing')
    t.equal(await storage.families.findToken(token), undefined, 'revoking it late does not restore it')
    t.match(await readToken(storage, longer), { revoked: false })
  })

  await t.test('an access token that outlives the refresh token is revoked with its family', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    const { grant, code, attempt } = await issueCode(storage)
    const first = { ...attempt('one'), access_token_ttl: 1, refresh_token_ttl: 1 }
    await redeemCode(storage, code, first)
    const later = await addAccessToken(storage, first.refresh_token, 60)
    await pass(subject, 2, async () => (await storage.families.findToken(first.refresh_token)) === undefined)
    t.equal(await storage.families.revokeFamily(grant), 'ok')
    t.match(await readToken(storage, later), { revoked: true })
  })

  await t.test('returned values are copies', async (t) => {
    const { storage } = await make(t)
    const { grant, code, attempt } = await issueCode(storage)
    const first = attempt('one')
    await redeemCode(storage, code, first)
    const spoil = (hash: unknown) => Object.assign(hash as object, { revoked: 'x', status: 'x' })
    spoil(await storage.families.findToken(first.access_token))
    spoil(await storage.families.findFamily(grant))
    t.match(await readToken(storage, first.access_token), { revoked: false })
    t.match(await storage.families.findFamily(grant), { status: 'active' })
  })
}
