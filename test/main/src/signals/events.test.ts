import t from 'tap'
import { versionOf } from '../../../../src/admin/operation/version.ts'
import { AuditRecorder } from '../../../../src/audit/recorder.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { MAX_MUTED } from '../../../../src/signals/bounds.ts'
import { STREAM } from '../../../../src/signals/stream-record.ts'
import { mutedSubjects } from '../../../../src/signals/subjects.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { recorderOn } from '../../../support/audited.ts'
import { logoutUrl } from '../../../support/logout/leavers.ts'
import { eventIn, kindsOf, SET_EVENT, withStreams } from '../../../support/receivers.ts'
import { ISSUER } from '../../../support/service.ts'

t.test('a sign-out is told to who was used, with the session', async (t) => {
  const { use, visitor, told, polled, streams } = await withStreams(t)
  const browser = visitor()
  const { id_token = '', claims } = await use(browser)
  await browser.open(logoutUrl({ id_token_hint: id_token }))
  const [set] = await told()
  const { jti, iat, txn, ...rest } = set ?? {}
  t.match(jti, /^[\w-]{22}$/)
  t.match(txn, /^[\w-]{22}$/)
  t.type(iat, 'number')
  t.strictSame(rest, {
    iss: ISSUER,
    aud: 'payroll',
    sub_id: {
      format: 'complex',
      user: { format: 'iss_sub', iss: ISSUER, sub: claims.sub },
      session: { format: 'opaque', id: claims.sid },
    },
    events: {
      [SET_EVENT.session_revoked]: {
        event_timestamp: iat,
        initiating_entity: 'user',
        reason_admin: { en: 'A user signed out.' },
      },
    },
  })
  t.strictSame(await polled('masked', streams.masked), [], 'E2: nobody else hears of it')
})

t.test('what an operator does to an account', async (t) => {
  const { use, visitor, told, take, operator, settled } = await withStreams(t)
  const { claims } = await use(visitor())
  const params = { username: 'alice' }
  const user = { format: 'iss_sub', iss: ISSUER, sub: claims.sub }
  const steps = [
    ['end_sessions', ['session-revoked']],
    ['end_user', ['session-revoked']],
    ['disable_user', ['account-disabled', 'session-revoked']],
    ['enable_user', ['account-enabled']],
    ['end_grants_of_user', ['session-revoked']],
  ] as const
  for (const [name, kinds] of steps) {
    await operator(name, { params })
    const sets = await told('payroll', kinds.length)
    t.strictSame(kindsOf(sets), kinds, name)
    for (const { sub_id } of sets) t.strictSame(sub_id, user)
    t.equal(new Set(sets.map(({ txn }) => txn)).size, 1, 'one cause')
    t.equal(new Set(sets.map(({ jti }) => jti)).size, sets.length)
    await settled()
    await take()
  }
  await operator('delete_user', { params })
  const sets = await told('payroll', 3)
  t.strictSame(kindsOf(sets), ['account-disabled', 'session-revoked', 'account-purged'])
  t.strictSame(eventIn(sets[2]), {})
})

t.test('E2: nobody hears of people who never used it', async (t) => {
  const { as, use, visitor, told, streams, polled, operator, settled } = await withStreams(t)
  await use(visitor(), 'payroll', 'alice')
  await use(visitor(), 'masked', 'bob')
  const { ask } = as('payroll')
  const subjects = ['sub-of-alice', 'sub-of-bob', 'nobody'].map((sub) => ({
    ...{ stream_id: streams.payroll },
    subject: { format: 'iss_sub', iss: ISSUER, sub },
  }))
  for (const [path, status] of [
    ['remove', 204],
    ['add', 200],
  ] as const) {
    const answers = await Promise.all(
      subjects.map(async (one) => {
        const { status, text, headers } = await ask('POST', `/ssf/subjects/${path}`, one)
        return { status, text, type: headers['content-type'], length: headers['content-length'] }
      }),
    )
    t.equal(answers[0]?.status, status)
    for (const answer of answers) t.strictSame(answer, answers[0], path)
  }
  for (const username of ['alice', 'bob']) await operator('end_user', { params: { username } })
  await told()
  await settled()
  const [alice, ...others] = await polled('payroll', streams.payroll)
  t.match(alice?.sub_id, { sub: 'sub-of-alice' })
  t.strictSame(others, [])
  const [bob, ...more] = await polled('masked', streams.masked)
  t.match(bob?.sub_id, { sub: /^[\w-]{43}$/ }, 'by the sub that it has for him')
  t.not(bob?.txn, alice?.txn)
  t.strictSame(more, [])
})

t.test('subjects that are removed are not told of until they are added again', async (t) => {
  const { as, use, visitor, told, take, streams, polled, operator, settled } = await withStreams(t)
  const { claims } = await use(visitor(), 'masked')
  const { ask } = as('masked')
  const subject = { format: 'iss_sub', iss: ISSUER, sub: claims.sub }
  const given = { stream_id: streams.masked, subject }
  t.equal((await ask('POST', '/ssf/subjects/remove', given)).status, 204)
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.strictSame(await polled('masked', streams.masked), [])
  t.equal((await ask('POST', '/ssf/subjects/add', given)).status, 200)
  await operator('end_user', { params: { username: 'alice' } })
  t.match((await told('masked'))[0]?.sub_id, { sub: claims.sub })
  await take('masked')
  for (const wrong of [
    undefined,
    'alice',
    { format: 'email', email: 'alice@example.com' },
    { ...subject, iss: 'https://other.example.com' },
    { ...subject, sub: '' },
    { ...subject, sub: 7 },
    { ...subject, sub: 'a'.repeat(256) },
  ])
    for (const path of ['add', 'remove'])
      t.equal((await ask('POST', `/ssf/subjects/${path}`, { ...given, subject: wrong })).status, 400)
})

t.test('a receiver takes a bounded number of people off its stream', async (t) => {
  const { as, streams, storage } = await withStreams(t)
  const key = mutedSubjects('payroll')
  const until = Date.now() + 3600_000
  await storage.lists.add(...Array.from({ length: MAX_MUTED }, (_, i) => ({ ...key, id: `sub-${i}`, until })))
  const subject = { format: 'iss_sub', iss: ISSUER, sub: 'one-more' }
  const one_more = await as('payroll').ask('POST', '/ssf/subjects/remove', {
    stream_id: streams.payroll,
    subject,
  })
  t.match(one_more, { status: 429, headers: { 'retry-after': '3600' } })
})

t.test('claims that changed are told as far as the receiver may have them', async (t) => {
  const { use, visitor, told, operator, user, settled, polled, streams } = await withStreams(t)
  await use(visitor(), 'payroll', 'alice', 'openid email')
  await use(visitor(), 'masked', 'alice', 'openid')
  await operator('change_user', {
    params: { username: 'alice' },
    body: { claims: { email: 'new@example.com', name: 'Alice Other' } },
    version: versionOf((await user()) ?? {}),
  })
  const [set] = await told()
  t.match(eventIn(set), { claims: { email: 'new@example.com' } })
  t.strictSame(Object.keys(eventIn(set).claims as object), ['email'], 'no name without the scope profile')
  await settled()
  t.strictSame(await polled('masked', streams.masked), [], 'nor anything without a scope')
})

t.test('credentials that changed, and how strongly somebody can sign in', async (t) => {
  const { use, visitor, told, take, makePasskey, passkeys, operator, storage, settled } = await withStreams(t)
  await use(visitor())
  const { recorder } = recorderOn(storage)
  const tell = async (event: SecurityEvent) => {
    await storage.trail.append(
      JSON.stringify(event),
      recorder.entriesOf([event], { sub: 'sub-of-alice' }, {}),
    )
  }
  await tell({ event: 'password_changed', username: 'alice' })
  t.match(eventIn((await told())[0]), { credential_type: 'password', change_type: 'update' })
  await settled()
  await take()
  await makePasskey()
  const added = await told('payroll', 2)
  t.match(added.map(eventIn), [
    { credential_type: 'fido2-platform', change_type: 'create', initiating_entity: 'user' },
    { namespace: 'acr', current_level: 'phr', previous_level: '1', change_direction: 'increase' },
  ])
  await settled()
  await take()
  t.equal((await passkeys()).length, 1)
  await operator('reset_factors', { params: { username: 'alice' }, query: { only: 'passkeys' } })
  const reset = await told('payroll', 3)
  t.strictSame(kindsOf(reset), ['credential-change', 'assurance-level-change', 'session-revoked'])
  t.match(eventIn(reset[1]), { current_level: '1', previous_level: 'phr', change_direction: 'decrease' })
})

t.test('a person who changes the address is named by the former one', async (t) => {
  const { use, visitor, told, storage, setFields, settled } = await withStreams(t)
  await use(visitor(), 'payroll', 'alice', 'openid email')
  await use(visitor(), 'masked', 'alice', 'openid')
  const { recorder } = recorderOn(storage)
  const tell = async (event: SecurityEvent) => {
    await storage.trail.append(
      JSON.stringify(event),
      recorder.entriesOf([event], { sub: 'sub-of-alice' }, {}),
    )
    await settled()
  }
  await tell({ event: 'address_change_asked', username: 'alice' })
  await setFields('alice', { email: 'new@example.com' })
  await tell({ event: 'address_changed', username: 'alice' })
  const sets = await told('payroll', 2)
  t.strictSame(kindsOf(sets), ['token-claims-change', 'identifier-changed'])
  t.strictSame(sets[1]?.sub_id, { format: 'email', email: 'alice@example.com' })
  t.strictSame(eventIn(sets[1]), { 'new-value': 'new@example.com' })
})

t.test('what each event means', async (t) => {
  const { use, visitor, polled, streams, take, storage, settled } = await withStreams(t)
  await use(visitor())
  const { recorder } = recorderOn(storage)
  const username = 'alice'
  const about = { sub: 'sub-of-alice' }
  const cases: readonly (readonly [SecurityEvent, readonly string[]])[] = [
    [{ event: 'signed_out', username, sub: about.sub, by: 'user' }, ['session-revoked']],
    [{ event: 'session_ended', username, sub: about.sub }, ['session-revoked']],
    [{ event: 'password_reset', username }, ['credential-change', 'session-revoked']],
    [{ event: 'second_step_removed', username }, ['credential-change', 'assurance-level-change']],
    [{ event: 'passkey_removed', username }, ['credential-change', 'assurance-level-change']],
    [
      { event: 'change_disowned', username, change: 'second_step_added', removed: ['password', 'app'] },
      ['credential-change', 'credential-change', 'session-revoked', 'assurance-level-change'],
    ],
    [{ event: 'all_sessions_ended' }, ['session-revoked']],
    [{ event: 'user_changed', username, fields: ['email'] }, ['token-claims-change']],
    [{ event: 'grants_ended', username, client_id: 'masked', count: 1 }, []],
    [{ event: 'grants_ended', client_id: 'payroll', count: 1 }, []],
    [{ event: 'user_changed', username, fields: ['groups'] }, []],
    [{ event: 'consent_withdrawn', username, sub: about.sub, client_id: 'payroll' }, []],
    [{ event: 'grants_ended', username, client_id: 'payroll', grant: 'a', count: 1 }, ['session-revoked']],
  ]
  for (const [event, kinds] of cases) {
    const entries = recorder.entriesOf([event], 'username' in event ? about : {}, {})
    await storage.trail.append(JSON.stringify(event), entries)
    await settled()
    t.strictSame(kindsOf(await polled('payroll', streams.payroll)), kinds, event.event)
    await take()
  }
})

t.test('who took the access of a client back is told of no more, until it is used again', async (t) => {
  const { use, visitor, told, take, operator, storage, settled, polled, streams } = await withStreams(t)
  await use(visitor())
  const { recorder } = recorderOn(storage)
  const event = { event: 'grants_ended', username: 'alice', client_id: 'payroll' } as const
  await storage.trail.append('a', recorder.entriesOf([event], { sub: 'sub-of-alice' }, {}))
  t.strictSame(kindsOf(await told()), ['session-revoked'])
  await settled()
  await take()
  await operator('end_user', { params: { username: 'alice' } })
  await settled()
  t.strictSame(await polled('payroll', streams.payroll), [])
  await use(visitor())
  await operator('end_user', { params: { username: 'alice' } })
  t.strictSame(kindsOf(await told()), ['session-revoked'])
})

t.test('a stream that is removed with its client', async (t) => {
  const { use, visitor, told, operator, storage, settled } = await withStreams(t)
  await use(visitor())
  await operator('end_user', { params: { username: 'alice' } })
  await told()
  await operator('delete_client', { params: { client_id: 'payroll' } })
  await settled()
  t.equal(await storage.outboxes.size('payroll'), 0)
  t.equal(await storage.records.read(STREAM, 'payroll'), undefined)
})

t.test('E10: a sign-out is in the step of its change, however often somebody signs out', async (t) => {
  const entriesOf = (shared_signals: 'on' | 'off') => {
    const recorder = new AuditRecorder({
      storage: new MemoryStorage(),
      settings: { audit_days: 90, shared_signals },
      log: SILENT,
      audit_lost: { trail: 0 },
      now: Date.now,
    })
    const event = () => ({ event: 'signed_out', username: 'alice', sub: 'sub-of-alice', by: 'user' }) as const
    return Array.from({ length: 15 }, () => recorder.entriesOf([event()], {}, {}).entries.length)
  }
  t.equal(entriesOf('on').filter((count) => count === 1).length, 15)
  t.equal(entriesOf('off').filter((count) => count === 1).length, 10)
})
