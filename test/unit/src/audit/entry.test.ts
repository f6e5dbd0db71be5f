// An entry of the audit trail: who caused it, what it is about, what differs, and what is not said of a person.
import t from 'tap'
import { entryText, readEntry } from '../../../../src/audit/entry.ts'
import { afterIn, beforeIn, placeOf, shownId } from '../../../../src/audit/parts.ts'
import type { About, Origin } from '../../../../src/core/audit-entries.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')

const made = (event: object, about: About = {}, origin: Origin = {}, sub?: string) =>
  readEntry('1-2', entryText(event as SecurityEvent, sub, about, origin, NOW), 'changes')

t.test('who tries to sign in is not taken for the one whose name was typed', async (t) => {
  const tried = { username: 'alice', sub: 'sub-7' }
  t.strictSame(made({ event: 'sign_in_failed', reason: 'wrong_password', ...tried })?.actor, {
    kind: 'user',
    via: 'server',
  })
  t.strictSame(made({ event: 'sign_in_succeeded', ...tried })?.actor, {
    ...{ kind: 'user', id: 'sub-7', via: 'server' },
  })
  t.strictSame(made({ event: 'token_revoked', client_id: 'web', sub: 'sub-7' })?.actor, {
    ...{ kind: 'client', id: 'web', via: 'server' },
  })
  t.strictSame(made({ event: 'keys_rotated', client_id: 'web' })?.actor, { kind: 'system', via: 'server' })
  const actor = { kind: 'operator', id: 'sub-of-root', via: 'api' } as const
  t.strictSame(made({ event: 'sign_in_succeeded', ...tried }, {}, { actor })?.actor, actor)
})

t.test('a sub that was found counts before that of the event, and an empty name is no target', async (t) => {
  const event = { event: 'session_ended', username: 'alice', sub: 'old', client_id: '' }
  t.strictSame(made(event, {}, {}, 'new')?.targets, [{ kind: 'user', id: 'new' }])
  t.strictSame(made(event)?.targets, [{ kind: 'user', id: 'old' }])
})

t.test('what differs is said of records, and of a person the names of fields alone', async (t) => {
  const changes = [
    { field: 'name', from: 'Ada', to: 'Eve' },
    { field: 'scopes', to: 'a' },
  ]
  const rights = { username: 'alice', from: 'redmint:read', to: '' }
  const given = made({ event: 'rights_changed', ...rights }, { sub: 'sub-7' })
  t.strictSame(given?.changes, [{ field: 'admin', from: 'redmint:read', to: '' }])
  t.equal(given?.details, undefined, 'not once more')
  for (const event of ['resource_changed', 'issuer_trusted', 'provider_changed'])
    t.strictSame(made({ event, resource: 'https://api.example' }, { changes })?.changes, changes, event)
  t.equal(made({ event: 'resource_changed' })?.changes, undefined)
  const fields = ['name', 'jwks']
  t.strictSame(made({ event: 'client_changed', client_id: 'web', fields }, { changes })?.changes, [
    changes[0],
    { field: 'jwks' },
  ])
  const person = made({ event: 'user_changed', username: 'alice', fields }, { changes })
  t.strictSame(person?.changes, [{ field: 'name' }, { field: 'jwks' }])
  t.notMatch(JSON.stringify(person), /Ada|Eve|alice/)
  t.equal(made({ event: 'user_changed', username: 'alice' })?.changes, undefined)
  t.equal(made({ event: 'client_removed', fields }, { changes })?.changes, undefined)
})

t.test('who invited is a target by the sub, and no name of theirs is kept', async (t) => {
  const joined = { event: 'user_joined', username: 'bob', invitation: 'i-1', inviter: 'Ada' }
  const entry = made({ ...joined, inviter_sub: 'sub-ada' }, {}, {}, 'sub-bob')
  t.strictSame(entry?.targets, [
    { kind: 'user', id: 'sub-bob' },
    { kind: 'invitation', id: 'i-1' },
    { kind: 'inviter', id: 'sub-ada' },
  ])
  t.equal(entry?.details, undefined)
  t.notMatch(JSON.stringify(entry), /Ada/)
})

t.test('the address of somebody who was locked out is not kept with the user', async (t) => {
  const lifted = { event: 'lockout_lifted', counter: 'sign_in_user_at_address', address: '192.0.2.7' }
  t.notMatch(JSON.stringify(made({ ...lifted, kind: 'user', username: 'alice' })), '192.0.2.7')
  t.match(made({ ...lifted, kind: 'address' })?.details, { address: '192.0.2.7' })
})

t.test('what redmint did not write is no entry', async (t) => {
  const text = entryText({ event: 'client_added', client_id: 'web' }, undefined, {}, {}, NOW)
  t.match(readEntry('1700000000000-3', text, 'changes'), {
    id: '1700000000000-000003',
    event: 'client_added',
  })
  t.notOk('uid' in (readEntry('1-0', text, 'changes') ?? {}))
  const entry = JSON.parse(text)
  for (const wrong of [
    { event: 'no_such_event' },
    { event: 'toString' },
    { event: undefined },
    { actor: null },
    { actor: 'root' },
    { targets: {} },
    { targets: [null] },
    { context: undefined },
  ])
    t.equal(
      readEntry('1-0', JSON.stringify({ ...entry, ...wrong }), 'changes'),
      undefined,
      JSON.stringify(wrong),
    )
  for (const other of ['', 'null', '[]', '7', '{'])
    t.equal(readEntry('1-0', other, 'changes'), undefined, other)
})

t.test('ids of both parts are in one order, and lead back to their part', async (t) => {
  for (const part of ['changes', 'repeated'] as const)
    for (const id of ['1700000000000-0', '1700000000000-123'])
      t.strictSame(placeOf(shownId(id, part)), { part, id })
  const [change, repeated] = [shownId('1700000000000-7', 'changes'), shownId('1700000000000-3', 'repeated')]
  t.ok(change < repeated && repeated < shownId('1700000000001-0', 'changes'))
  t.equal(afterIn('repeated', change), `1699999999999-${Number.MAX_SAFE_INTEGER}`, 'all of that millisecond')
  t.equal(afterIn('repeated', repeated), '1700000000000-3')
  t.equal(afterIn('changes', repeated), '1700000000000-500003', 'none of that millisecond')
  t.equal(beforeIn('repeated', change), '1700000000000-0')
  t.equal(beforeIn('changes', repeated), '1700000000000-500003')
})
