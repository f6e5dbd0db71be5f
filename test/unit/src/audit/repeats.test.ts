// What anybody can repeat: it is counted together, in a part of its own, and pushes out no change.
import t from 'tap'
import type { AuditEntry } from '../../../../src/audit/entry.ts'
import { toOcsf } from '../../../../src/audit/ocsf.ts'
import { AN_HOUR } from '../../../../src/audit/often.ts'
import { PARTS } from '../../../../src/audit/parts.ts'
import { AuditRecorder } from '../../../../src/audit/recorder.ts'
import { Repeats } from '../../../../src/audit/repeats.ts'
import { trimTrail } from '../../../../src/audit/trim.ts'
import type { Origin } from '../../../../src/core/audit-entries.ts'
import { CHANGING_NOTHING, type SecurityEvent } from '../../../../src/core/events.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { entriesIn } from '../../../support/audited.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const REFUSED: SecurityEvent = { event: 'bearer_refused' }
const from = (address: string): Origin => ({ address, channel: 'protocol', request_id: 'id' })

function start() {
  let now = Date.parse('2026-11-28T12:00:00Z')
  const storage = new MemoryStorage({ now: () => now })
  const audit_lost = { trail: 0 }
  const settings = { audit_days: 90 }
  const timing = { every: 3_600_000, close_within: 1000, max_waiting: 10_000 }
  const context = { storage, settings, log: SILENT, audit_lost, now: () => now }
  const recorders = [1, 2].map(() => new AuditRecorder(context, timing))
  const [recorder] = recorders
  if (recorder === undefined) throw new RangeError()
  const pass = (ms: number) => {
    now += ms
  }
  return { storage, recorder, audit_lost, pass, now: () => now }
}

t.test('a flood of one sender is one entry a minute, with their number', async (t) => {
  const { storage, recorder, audit_lost } = start()
  for (let i = 0; i < 33_000; i++) recorder.note(REFUSED, from('192.0.2.7'))
  recorder.note(REFUSED, from('192.0.2.8'))
  // RFC 6177 §2: one site may have a network of 48 bits.
  for (let i = 0; i < 100; i++) recorder.note(REFUSED, from(`2001:db8:1:${i}::`))
  await recorder.close()
  const entries = await entriesIn(storage)
  const counts = entries.map(({ context, details }) => [context.address, details?.times])
  t.strictSame(counts, [
    ['192.0.2.7', undefined],
    ['192.0.2.8', undefined],
    ['2001:db8:1:0::', undefined],
    ['192.0.2.7', 32_999],
    ['2001:db8:1:99::', 99],
  ])
  t.equal(audit_lost.trail, 0)
  t.equal(await storage.trail.size(), 0, 'none of it is among the changes')
  t.match(toOcsf(entries[3] as AuditEntry), { count: 32_999, src_endpoint: { ip: '192.0.2.7' } })
})

t.test('those that go on have one entry a minute, and what is over is forgotten', async (t) => {
  let now = 1_000_000
  const repeats = new Repeats(() => now)
  t.match(repeats.take(REFUSED, from('192.0.2.7')), { event: REFUSED, counted: undefined })
  for (let minute = 0; minute < 3; minute++) {
    for (let i = 0; i < 5; i++) t.equal(repeats.take(REFUSED, from('192.0.2.7')), undefined)
    t.strictSame(repeats.due(), [], 'the minute is not over')
    now += MINUTE
    t.match(repeats.due(), [{ counted: { count: 5, is_of_others: false } }])
  }
  now += MINUTE
  t.strictSame(repeats.due(), [])
  t.match(repeats.take(REFUSED, from('192.0.2.7')), { event: REFUSED }, 'it is told at once again')
})

t.test(
  'what is told apart is bounded, for a sender and for all; the others are one entry of each event',
  async (t) => {
    const repeats = new Repeats(() => 1_000_000)
    const failed = (client_id: string): SecurityEvent => ({ event: 'client_auth_failed', client_id })
    let told = 0
    for (let i = 0; i < 50; i++) if (repeats.take(failed(`app-${i}`), from('192.0.2.7'))) told += 1
    t.equal(told, 20, 'one sender')
    t.ok(repeats.take(failed('app-1'), from('192.0.2.8')), 'another one is told apart')
    for (let i = 0; i < 5000; i++) if (repeats.take(REFUSED, from(`10.0.${i >> 8}.${i & 255}`))) told += 1
    t.ok(told <= 200)
    const due = repeats.due(true)
    t.ok(due.length <= 203)
    const others = due.filter(({ counted }) => counted?.is_of_others)
    t.match(others, [
      { event: { event: 'client_auth_failed', client_id: undefined }, origin: {}, counted: { count: 30 } },
      { event: REFUSED, origin: { address: undefined }, counted: { count: 5000 - (told - 20) } },
    ])
  },
)

t.test('a client that repeats what it may do to itself is counted by itself, wherever it is', async (t) => {
  const { storage, recorder } = start()
  for (let i = 0; i < 60; i++) {
    for (const event of [
      { event: 'registration_changed', client_id: 'self-1' },
      { event: 'token_revoked', by: 'client', client_id: 'job' },
    ] as const) {
      t.strictSame(
        recorder.entriesOf([event], {}, from(`192.0.2.${i}`)).entries,
        [],
        'no write takes it along',
      )
      recorder.note(event, from(`192.0.2.${i}`))
    }
  }
  const actor = { kind: 'operator', id: 'root', via: 'api' } as const
  const revoked: SecurityEvent = { event: 'token_revoked', by: 'operator' }
  t.equal(recorder.entriesOf([revoked], {}, { actor }).entries.length, 1, 'what an operator does is')
  await recorder.close()
  const entries = await entriesIn(storage)
  t.strictSame(
    entries.map(({ event, details }) => [event, details?.times]),
    [
      ['registration_changed', undefined],
      ['token_revoked', undefined],
      ['registration_changed', 59],
      ['token_revoked', 59],
    ],
  )
})

t.test('whatever is refused, however often, no change is pushed out by it', async (t) => {
  const { storage, recorder, pass, now } = start()
  const added: SecurityEvent = { event: 'user_removed', username: 'alice' }
  recorder.note(added, { actor: { kind: 'operator', id: 'root', via: 'api' } })
  const settings = { audit_days: 90, audit_max: 1000 }
  const repeated = CHANGING_NOTHING.filter(
    (event) =>
      ![
        'short_secret_used',
        'provider_answered',
        'passkey_counter_reversed',
        'passkey_flag_changed',
        'user_viewed',
      ].includes(event),
  )
  for (let minute = 0; minute < 40; minute++) {
    for (const event of repeated)
      for (let i = 0; i < 30; i++) recorder.note({ event } as SecurityEvent, from(`10.0.${minute}.${i}`))
    await recorder.close()
    pass(MINUTE)
    for (const part of PARTS) await trimTrail({ storage, settings, recorder, report: () => {}, now }, part)
  }
  const entries = await entriesIn(storage)
  t.ok(entries.some(({ event }) => event === 'user_removed'))
  t.ok(entries.length <= 1000)
  t.ok((await storage.trail.repeated.size()) <= 200, 'they have a fifth')
  t.ok(
    entries.some(({ event, details }) => event === 'audit_trimmed' && details?.part === 'repeated'),
    'what went of them is said',
  )
})

const signedIn = (username: string): SecurityEvent => ({
  event: 'sign_in_succeeded',
  username,
  sub: `sub-of-${username}`,
  method: 'password',
  amr: 'pwd',
})
const CHANGED: SecurityEvent = { event: 'password_changed', username: 'eve' }

t.test('who signs in again and again pushes out no change, and each sign-in is counted', async (t) => {
  const { storage, recorder, pass } = start()
  const timesOf = async (name: string) =>
    (await entriesIn(storage))
      .filter(({ event }) => event === name)
      .reduce((sum, { details }) => sum + Number(details?.times ?? 1), 0)
  const at = from('192.0.2.7')
  const written = (event: SecurityEvent, origin = at) => {
    const told = recorder.entriesOf([event], {}, origin)
    recorder.note(event, origin)
    return told.entries.length
  }
  let told = 0
  for (let i = 0; i < 200; i++) told += written(signedIn('eve'), from(`10.0.0.${i}`))
  t.equal(told, AN_HOUR.of_person, 'in the step of the session')
  t.equal(written(signedIn('bob')), 1, 'others as before')
  t.equal(written(CHANGED), 1, 'what changes something too, whoever does it')
  for (let i = 0; i < 100; i++)
    recorder.note({ event: 'mail_sent', mail: `${i}`, kind: 'reset_password' }, {})
  const by_operator = {
    actor: { kind: 'operator', id: 'ada', via: 'admin' },
    channel: 'admin',
  } as unknown as Origin
  for (let i = 0; i < 50; i++)
    t.equal(recorder.entriesOf([signedIn('eve')], {}, by_operator).entries.length, 1)
  pass(HOUR)
  t.equal(written(signedIn('eve')), 1, 'in the next hour again')
  await recorder.close()
  t.equal(await storage.trail.size(), AN_HOUR.of_mails, 'those that no write took along')
  t.equal(await timesOf('sign_in_succeeded'), 200 - AN_HOUR.of_person)
  t.equal(await timesOf('mail_sent'), 100)
  const of_eve = (await entriesIn(storage)).filter(({ event }) => event === 'sign_in_succeeded')
  t.equal(of_eve.length, 2, 'from wherever: the first, and the number of the others')
})
