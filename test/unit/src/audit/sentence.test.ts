// What happened as a sentence: every event has one, the actor is first, and no code or field name is in it.
import t from 'tap'
import { entryText, readEntry } from '../../../../src/audit/entry.ts'
import { plainSentence, sentenceOf } from '../../../../src/audit/sentence.ts'
import type { Origin } from '../../../../src/core/audit-entries.ts'
import { EVENTS, type EventName, type SecurityEvent } from '../../../../src/core/events.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const CODE = /[a-z]_[a-z]|undefined|\{|\}|\[object|NaN/
const ADA = { kind: 'operator', id: 'sub-ada', via: 'console' } as const
const PEOPLE: Readonly<Record<string, { username: string; name: string }>> = {
  'sub-ada': { username: 'ada', name: 'Ada Lind' },
  'sub-anna': { username: 'anna', name: 'Anna Kowalski' },
}
const CLIENTS: Readonly<Record<string, { name: string }>> = { shop: { name: 'Shop' } }

function said(event: object, sub?: string, origin: Origin = {}, counted?: number): string {
  const times = counted === undefined ? undefined : { count: counted, is_of_others: false }
  const entry = readEntry('1-2', entryText(event as SecurityEvent, sub, {}, origin, NOW, times), 'changes')
  if (entry === undefined) throw new Error('no entry')
  const named = <One extends { kind: string; id?: string }>(one: One): One => ({
    ...one,
    ...(one.kind === 'client' ? CLIENTS : PEOPLE)[one.id ?? ''],
  })
  return plainSentence(sentenceOf({ ...entry, actor: named(entry.actor), targets: entry.targets.map(named) }))
}

const VALUES: Readonly<Record<string, unknown>> = {
  username: 'anna',
  sub: 'sub-anna',
  client_id: 'shop',
  uses: 12,
  count: 2,
  left: 3,
  groups: ['staff'],
  fields: ['email', 'redirect_uris', 'allowed_scopes', 'some_other_field'],
  removed: ['totp', 'passkeys'],
  amr: 'pwd otp mfa',
}

t.test('every event is a sentence without a code, whoever acts', async (t) => {
  for (const [event, { fields }] of Object.entries(EVENTS) as [EventName, (typeof EVENTS)[EventName]][]) {
    const names = fields.map((field: string) => field.replace('?', ''))
    const full = Object.fromEntries(names.map((name: string) => [name, VALUES[name] ?? 'x']))
    for (const told of [
      said({ event, ...full }, 'sub-anna'),
      said({ event, ...full }, 'sub-anna', { actor: ADA }),
      said({ event, ...full }, 'sub-ada', { actor: ADA }),
      said({ event }),
    ]) {
      t.match(told, /^\p{Lu}/u, `${event}: ${told}`)
      t.notMatch(told, CODE, `${event}: ${told}`)
    }
  }
})

t.test('who acts is first, by name, and knows the own account', async (t) => {
  const fields = ['groups']
  t.equal(
    said({ event: 'user_changed', username: 'anna', fields }, 'sub-anna', { actor: ADA }),
    'Ada Lind changed the groups of Anna Kowalski',
  )
  t.equal(
    said({ event: 'user_changed', username: 'ada', fields: ['name', 'email'] }, 'sub-ada', { actor: ADA }),
    'Ada Lind changed the name and the e-mail address of the own account',
  )
  t.equal(
    said({ event: 'sign_in_succeeded', sub: 'sub-anna', client_id: 'shop', amr: 'hwk' }),
    'Anna Kowalski signed in to Shop with a passkey',
  )
  t.equal(
    said({ event: 'client_secret_changed', client_id: 'shop' }, undefined, {
      actor: { kind: 'operator', via: 'command' },
    }),
    'An operator made a new secret for Shop',
  )
  t.equal(
    said({ event: 'user_invited', uses: 12, groups: ['staff'] }, undefined, { actor: ADA }),
    'Ada Lind invited 12 people to staff',
  )
})

t.test('nobody whose name was typed is said to have acted, and what repeats is said once', async (t) => {
  const failed = { event: 'sign_in_failed', reason: 'wrong_password', method: 'password', client_id: 'shop' }
  t.equal(
    said({ ...failed, sub: 'sub-anna' }),
    'Anna Kowalski could not sign in to Shop: the password was wrong',
  )
  t.equal(said(failed, undefined, {}, 2), 'Somebody could not sign in to Shop: the password was wrong, twice')
  t.match(said({ ...failed, reason: 'toString' }), 'the answer was wrong')
  t.equal(
    said({ event: 'user_removed', username: 'x' }, 'sub-of-nobody', { actor: ADA }),
    'Ada Lind removed somebody unknown (sub-of-nobody)',
  )
})

t.test('who joined says by whose invitation, if a person made it', async (t) => {
  const joined = { event: 'user_joined', username: 'anna', invitation: 'i-1', inviter: 'not from here' }
  t.equal(
    said({ ...joined, inviter_sub: 'sub-ada' }, 'sub-anna'),
    'Anna Kowalski made an account by the invitation of Ada Lind',
  )
  t.equal(
    said({ ...joined, inviter_sub: 'sub-of-nobody' }, 'sub-anna'),
    'Anna Kowalski made an account by the invitation of somebody unknown (sub-of-nobody)',
  )
  t.equal(said(joined, 'sub-anna'), 'Anna Kowalski made an account by an invitation')
})
