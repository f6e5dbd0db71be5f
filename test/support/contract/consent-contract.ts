// The contract of consents.

import type { Test } from 'tap'
import { CONSENT, consentId, saveConsent } from '../../../src/interaction/consent.ts'
import { recordOf } from '../../../src/storage/records.ts'
import { readConsent } from '../records.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { type Make, pass } from './subject.ts'

export async function consentContract(t: Test, make: Make): Promise<void> {
  await t.test('a consent is stored by user and client', async (t) => {
    const { storage } = await make(t)
    t.equal(await readConsent(storage, 'alice', 'app'), undefined)
    await saveConsent(
      { storage: storage, now: Date.now },
      { sub: 'alice', client_id: 'app', scope: 'openid email' },
      60,
    )
    t.equal(await readConsent(storage, 'alice', 'app'), 'openid email')
    t.equal(await readConsent(storage, 'alice', 'web'), undefined)
    t.equal(await readConsent(storage, 'bob', 'app'), undefined)
    await saveConsent(
      { storage: storage, now: Date.now },
      { sub: 'alice', client_id: 'app', scope: 'openid' },
      60,
    )
    t.equal(await readConsent(storage, 'alice', 'app'), 'openid', 'the latest consent is kept')
    await saveConsent({ storage: storage, now: Date.now }, { sub: 'alice', client_id: 'app', scope: '' }, 60)
    t.equal(await readConsent(storage, 'alice', 'app'), '', 'an empty scope is a consent, too')
  })

  await t.test(
    'a consent keeps what the client said about itself, until another one replaces it',
    async (t) => {
      const { storage } = await make(t)
      const context = { storage, now: Date.now }
      const consent = { sub: 'alice', client_id: 'https://tool.example.net/client.json', scope: 'openid' }
      const described = { description: '{"client_name":"Töol"}', described_since: '2026-11-22T08:00:00.000Z' }
      const stored = async () =>
        recordOf(await storage.records.read(CONSENT, consentId(consent.sub, consent.client_id)))
      await saveConsent(context, { ...consent, ...described }, 60)
      t.match(await stored(), { scope: 'openid', ...described })
      await saveConsent(context, consent, 60)
      t.strictSame(Object.keys((await stored()) ?? {}).sort(), ['given_at', 'scope'])
    },
  )

  await t.test('each pair of user and client has its own consent', async (t) => {
    const { storage } = await make(t)
    const pairs = [
      ['a', 'b:c'],
      ['a:b', 'c'],
      ['a%3Ab', 'c'],
      ['', 'a'],
      ['a', ''],
      ['__proto__', 'constructor'],
      ['{x}', '{y}'],
      ['é 🗝', '*'],
    ] as const
    for (const [sub, client_id] of pairs) t.equal(await readConsent(storage, sub, client_id), undefined)
    for (const [i, [sub, client_id]] of pairs.entries())
      await saveConsent(
        { storage: storage, now: Date.now },
        { sub: sub, client_id: client_id, scope: `${i}` },
        60,
      )
    for (const [i, [sub, client_id]] of pairs.entries()) {
      t.equal(await readConsent(storage, sub, client_id), `${i}`, `${sub}, ${client_id}`)
    }
  })

  await t.test('a consent expires', async (t) => {
    const subject = await make(t)
    const { storage } = subject
    await saveConsent(
      { storage: storage, now: Date.now },
      { sub: 'alice', client_id: 'app', scope: 'openid' },
      3600,
    )
    await saveConsent(
      { storage: storage, now: Date.now },
      { sub: 'alice', client_id: 'app', scope: 'openid' },
      0.2,
    )
    await pass(subject, 0.3, async () => (await readConsent(storage, 'alice', 'app')) === undefined)
    t.pass()
  })

  await t.test('in Redis a consent is one key with the time it was given', async (t) => {
    const { storage, redis } = await make(t)
    if (redis === undefined) return
    await saveConsent(
      { storage: storage, now: Date.now },
      { sub: 'a:b', client_id: 'app', scope: 'openid' },
      600,
    )
    const [key = ''] = (await keysOf(redis)).filter((found) => !found.startsWith('probe:'))
    t.equal(key, 'consent:a%3Ab:app')
    t.ok(Math.abs((await expiryOf(redis, key)) - Date.now() - 600_000) < 25_000)
    const given_at = await redis.cli('HGET', `${redis.prefix}${key}`, 'given_at')
    t.ok(Math.abs(Date.parse(given_at) - Date.now()) < 25_000, given_at)
  })
}
