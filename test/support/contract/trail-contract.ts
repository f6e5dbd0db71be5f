// The contract of the audit trail: what is in it together with which change, and what ends it.

import type { Test } from 'tap'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { INITIAL_ACCESS_TOKEN } from '../../../src/clients/registration/initial-access-token.ts'
import type { AuditEntries } from '../../../src/core/audit-entries.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { evidenceTag } from '../../../src/storage/evidence.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { signIn } from './family.ts'
import { expiryOf, keysOf } from './redis-subject.ts'
import { CODE, type Make } from './subject.ts'

const told = (...texts: string[]): AuditEntries => ({ entries: texts.map((text) => ({ text })), ttl: 60 })
const textsIn = async ({ trail }: Storage) => {
  await trail.collect()
  return (await trail.read({ limit: 100 })).map(({ text }) => text)
}
const USERS = { kind: USER, hash: { sub: 'sub' } }
/** Names that are in other slots, and names that Redis could take for hash tags. */
const NAMES = ['alice', 'bob', 'a{b}c', '}{', 'a}b', '{}', 'é\u{1f600}']

export async function trailContract(t: Test, make: Make): Promise<void> {
  await t.test('an entry is there with its change, whichever call makes it', async (t) => {
    const { storage, redis } = await make(t)
    const { records } = storage
    const expected: string[] = []
    for (const id of NAMES) {
      await records.create({ ...USERS, id, told: told(`${id} create`, `${id} more`) })
      await records.put({ ...USERS, id, told: told(`${id} put`) })
      await records.change(USER, id, { set: { name: 'A' }, told: told(`${id} change`) })
      await records.remove(USER, id, told(`${id} remove`))
      await records.put({ ...USERS, id })
      await records.take(USER, id, { ...USERS, id, told: told(`${id} take`) })
      const calls = ['create', 'more', 'put', 'change', 'remove', 'take']
      expected.push(...calls.map((call) => `${id} ${call}`))
    }
    t.same((await textsIn(storage)).sort(), [...expected].sort(), 'each once')
    if (redis !== undefined) {
      for (const key of await keysOf(redis)) {
        if (/^(user|names):/.test(key)) continue
        t.ok((await expiryOf(redis, key)) > 0, `${key} ends`)
      }
    }
    t.equal((await textsIn(storage)).length, expected.length, 'none is moved twice')
  })

  await t.test(
    'an entry is there with a step that writes more than a record, and with no other',
    async (t) => {
      const { storage } = await make(t)
      const { families, queue, bounded, evidence, registrations, signing_keys } = storage
      const expected: string[] = []
      const isTold = async (
        text: string,
        run: (told: AuditEntries) => Promise<unknown>,
        result: unknown = 'ok',
      ) => {
        t.strictSame((await run(told(text))) ?? 'ok', result, text)
        expected.push(text)
      }
      const isNotTold = async (
        text: string,
        run: (told: AuditEntries) => Promise<unknown>,
        result: unknown,
      ) => t.strictSame(await run(told(text)), result, text)

      const { client_id } = CODE
      const { access_token: access = '', refresh_token: refresh = '' } = await signIn(storage)
      await isTold('access token', (told) => families.revokeToken(access, client_id, told))
      await isNotTold('access token again', (told) => families.revokeToken(access, client_id, told), 'again')
      await isNotTold('of another', (told) => families.revokeToken(refresh, 'other', told), 'mismatch')
      await isNotTold(
        'no token',
        (told) => families.revokeToken(newToken(newFamilyId()), client_id, told),
        'missing',
      )
      await isTold('refresh token', (told) => families.revokeToken(refresh, client_id, told))
      await isNotTold(
        'refresh token again',
        (told) => families.revokeToken(refresh, undefined, told),
        'again',
      )
      const second = await signIn(storage)
      await isTold('family', (told) => families.revokeFamily(second.grant, told))
      await isNotTold('family again', (told) => families.revokeFamily(second.grant, told), 'again')
      await isNotTold(
        'its token',
        (told) => families.revokeToken(second.access_token ?? '', client_id, told),
        'again',
      )
      await isNotTold('no family', (told) => families.revokeFamily(newFamilyId(), told), 'missing')
      const third = await signIn(storage)
      await isTold('end', (told) => families.endFamily(third.grant, 60, told))
      await isNotTold('end again', (told) => families.endFamily(third.grant, 60, told), 'again')
      await isTold('end before its code', (told) => families.endFamily(newFamilyId(), 60, told))
      const once = {
        ...{ token: newToken(newFamilyId()), is_jwt: false, single_uses: [], client_id, scope: 'a' },
        ...{ access_token_ttl: 60, act: '{"sub":"operator"}' },
        user: {
          subject: 'alice',
          fields: { username: 'alice', acted_by: 'command' },
          lists: [{ list: 'grants-of-user', owner: 'alice', id: 'one', until: Date.now() + 60_000 }],
        },
      } as const
      await isTold('acting', (told) => families.grantOnce(once, told))
      t.match((await families.findTokenAndFamily(once.token)).token, { act: once.act, subject: 'alice' })
      t.equal(await storage.lists.count({ list: 'grants-of-user', owner: 'alice' }), 1)
      await isNotTold('acting, sent again', (told) => families.grantOnce(once, told), 'ok')
      const jwt = { token: newToken(newFamilyId()), fields: { type: 'access_token' } }
      const until = new Date(Date.now() + 60_000)
      await isTold('JWT', (told) => families.saveRevokedToken(jwt, until, told))
      await isNotTold('JWT again', (told) => families.saveRevokedToken(jwt, until, told), 'again')

      await isTold('queue', (told) => queue.add('endings', ['item'], told))
      await isNotTold('nothing queued', (told) => queue.add('endings', [], told), undefined)
      t.strictSame(await queue.list('endings', 9), ['item'])

      await bounded.put('memory', [{ name: 'name', text: 'text' }], { ttl: 60_000, max: 9 })
      await isTold('bounded list', (told) => bounded.drop('memory', 'name', told), true)
      await isNotTold('bounded list again', (told) => bounded.drop('memory', 'name', told), false)

      const kept = { purpose: 'p', step: '', browser: '', value: '', account_state: '', account: 'alice' }
      const times = { created_at: Date.now(), ends_at: Date.now() + 60_000 }
      await isTold('give', (told) => evidence.give('digest', { ...kept, ...times }, told))
      const tag = evidenceTag('alice')
      const other = { ...kept, value: 'other' }
      await isNotTold('take other', (told) => evidence.take(tag, 'digest', other, told), 'refused')
      await isTold('take', (told) => evidence.take(tag, 'digest', kept, told), 'taken')
      await isNotTold('take again', (told) => evidence.take(tag, 'digest', kept, told), 'missing')

      const client = (told: AuditEntries) => ({
        kind: CLIENT,
        id: registrations.newClientId('self-'),
        hash: { client_name: 'A' },
        ttl: 60,
        told,
      })
      const limits = { in_all: 1, of_address: 1, window: 60_000 }
      const register = async (told: AuditEntries) =>
        (await registrations.registerOpenly(client(told), 'address', limits)).outcome
      await isTold('registration', register)
      await isNotTold('too many', register, 'address')
      const invitation = '{clients}:digest'
      await storage.records.put({
        kind: INITIAL_ACCESS_TOKEN,
        id: invitation,
        hash: { uses_left: '1' },
        ttl: 60,
      })
      const invited = (told: AuditEntries) =>
        storage.records.use(INITIAL_ACCESS_TOKEN, invitation, 1, client(told))
      await isTold('by invitation', invited)
      await isNotTold('by invitation again', invited, 'missing')

      await isTold('keys', (told) => signing_keys.replace({}, { kid: 'a' }, told), true)
      await isNotTold('stale keys', (told) => signing_keys.replace({}, { kid: 'b' }, told), false)

      t.strictSame((await textsIn(storage)).sort(), expected.sort(), 'each once')
    },
  )

  await t.test('no entry without a change', async (t) => {
    const { storage } = await make(t)
    const { records } = storage
    await records.create({ ...USERS, id: 'alice' })
    t.equal(await records.create({ ...USERS, id: 'alice', told: told('create') }), 'exists')
    t.equal(await records.change(USER, 'bob', { set: { a: 'b' }, told: told('change') }), 'missing')
    const expected = { sub: 'other' }
    t.equal(await records.change(USER, 'alice', { set: {}, expected, told: told('change') }), 'missing')
    const whole = { set: {}, expected: {}, whole: true, told: told('whole') } as const
    t.equal(await records.change(USER, 'alice', whole), 'missing')
    t.equal(await records.remove(USER, 'bob', told('remove')), undefined)
    t.equal(await records.take(USER, 'bob', { ...USERS, id: 'bob', told: told('take') }), undefined)
    await t.rejects(records.put({ kind: CLIENT, id: 'app', hash: {}, told: told('put') }), TypeError)
    t.strictSame(await textsIn(storage), [])
  })

  await t.test('a batch is added once, in its order, with its signatures', async (t) => {
    const { trail } = (await make(t)).storage
    const batch = { entries: [{ text: 'one', mac: 'signature' }, { text: 'two' }], ttl: 60 }
    await trail.append('first', batch)
    await trail.append('first', batch)
    await trail.append('second', told('three'))
    const entries = await trail.read({ limit: 10 })
    t.match(entries, [{ text: 'one', mac: 'signature' }, { text: 'two', mac: undefined }, { text: 'three' }])
    t.equal(entries.length, 3)
    t.equal(await trail.size(), 3)
  })

  await t.test('it is read from both ends, in parts', async (t) => {
    const { trail } = (await make(t)).storage
    const texts = Array.from({ length: 25 }, (_, i) => String(i))
    await trail.append('batch', told(...texts))
    for (const is_reverse of [false, true]) {
      const found: string[] = []
      let at: string | undefined
      for (;;) {
        const page = await trail.read({ [is_reverse ? 'before' : 'after']: at, is_reverse, limit: 10 })
        found.push(...page.map(({ text }) => text))
        at = page.at(-1)?.id
        if (page.length < 10) break
      }
      t.strictSame(found, is_reverse ? [...texts].reverse() : texts)
    }
    const [first, second, third] = await trail.read({ limit: 3 })
    t.match(await trail.read({ after: first?.id, before: third?.id, limit: 10 }), [{ text: second?.text }])
  })

  await t.test('trimming deletes what is before an id, and says so once', async (t) => {
    const { storage } = await make(t)
    const { trail } = storage
    await trail.append('batch', told('0', '1', '2', '3'))
    const third = (await trail.read({ limit: 4 }))[2]?.id ?? ''
    const trims = await Promise.all([1, 2, 3].map(() => trail.trim(third, told('trimmed'))))
    t.strictSame(trims.sort(), [false, false, true])
    t.strictSame(await textsIn(storage), ['2', '3', 'trimmed'])
  })

  await t.test('trimming leaves the last block of the chain, for the next one to follow', async (t) => {
    const { trail } = (await make(t)).storage
    await trail.append('batch', told('0', '1'))
    await trail.seal(undefined, 'first', 60)
    const [first] = await trail.blocks({ limit: 1 })
    await trail.seal(first?.id, 'last', 60)
    t.equal(await trail.trim('9999999999999-0', told('trimmed')), true)
    const [last] = await trail.blocks({ is_reverse: true, limit: 1 })
    t.equal(last?.text, 'last')
    t.equal(await trail.seal(last?.id, 'next', 60), true)
  })

  await t.test('what is repeated is in a part of its own, which ends, too', async (t) => {
    const { storage, redis } = await make(t)
    const { trail } = storage
    await trail.append('batch', told('change'))
    await trail.repeated.append('batch', told('one', 'two', 'three'))
    await trail.repeated.append('batch', told('one', 'two', 'three'))
    await trail.repeated.seal(undefined, 'block', 60)
    t.equal(await trail.size(), 1)
    t.equal(await trail.repeated.size(), 3)
    t.strictSame(await trail.blocks({ limit: 9 }), [])
    const [, second] = await trail.repeated.read({ limit: 9 })
    t.equal(await trail.repeated.trim(second?.id ?? '', told('trimmed')), true)
    t.strictSame(await textsIn(storage), ['change'], 'no flood of it deletes a change')
    const left = await trail.repeated.read({ limit: 9 })
    t.strictSame(
      left.map(({ text }) => text),
      ['two', 'three', 'trimmed'],
    )
    for (const key of redis === undefined ? [] : await keysOf(redis))
      t.ok((await expiryOf(redis as never, key)) > 0, `${key} ends`)
  })

  await t.test('of many servers one adds the next block', async (t) => {
    const { trail } = (await make(t)).storage
    const firsts = await Promise.all(['a', 'b', 'c'].map((text) => trail.seal(undefined, text, 60)))
    t.strictSame(firsts.filter(Boolean), [true])
    const [first] = await trail.blocks({ is_reverse: true, limit: 1 })
    t.equal(await trail.seal(undefined, 'again', 60), false)
    t.equal(await trail.seal(first?.id, 'next', 60), true)
    t.equal(await trail.seal(first?.id, 'other', 60), false)
    t.strictSame((await trail.blocks({ limit: 9 })).map(({ text }) => text).slice(1), ['next'])
  })
}
