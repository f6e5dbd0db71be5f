// What happened lately to an account, as its person sees it.
import t, { type Test } from 'tap'
import { EVENTS, type SecurityEvent } from '../../../../src/core/events.ts'
import {
  ACTIVITIES,
  type Activity,
  ActivityWriter,
  readActivities,
} from '../../../../src/self-service/activity.ts'
import type { Inviter } from '../../../../src/self-service/invitation.ts'
import type { BoundedListId, BoundedLists } from '../../../../src/storage/bounded-lists.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { instead } from '../../../support/instead.ts'
import { createUser } from '../../../support/records.ts'

import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asDeparture } from '../../../support/visitor.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const ORIGIN = { address: '192.0.2.7', user_agent: FIREFOX }

/** A writer that writes when it is closed, and what it wrote. */
async function start() {
  let ahead = 0
  const memory = new MemoryStorage()
  const noted: BoundedListId[] = []
  const put: BoundedLists['put'] = (list, ...given) => {
    noted.push(list)
    return memory.bounded.put(list, ...given)
  }
  const storage = { bounded: instead(memory.bounded, { put }) }
  await createUser(memory, 'alice', { sub: 'alice' })
  const writer = new ActivityWriter({ storage, now: () => 1_000_000 + ahead }, 3_600_000)
  return {
    storage,
    noted,
    pass: (ms: number) => {
      ahead += ms
    },
    note: (event: SecurityEvent, origin: Parameters<ActivityWriter['note']>[1] = ORIGIN) =>
      writer.note(event, origin),
    async written(username = 'alice'): Promise<Activity[]> {
      await writer.close()
      return readActivities({ storage }, username)
    },
  }
}

t.test('an event says when, where and in which browser, and of which application', async (t) => {
  const { note, written } = await start()
  note({ event: 'password_changed', username: 'alice' })
  note({ event: 'consent_withdrawn', username: 'alice', sub: 'a-1', client_id: 'shop' })
  t.strictSame(await written(), [
    {
      event: 'consent_withdrawn',
      at: 1_000_000,
      browser: 'Firefox on Linux',
      address: '192.0.2.7',
      client_id: 'shop',
    },
    { event: 'password_changed', at: 1_000_000, browser: 'Firefox on Linux', address: '192.0.2.7' },
  ])
})

t.test('each event of a person is shown, but for what has a reason not to be', async (t) => {
  const silent = [
    // What the person decided a moment ago, and gave nobody anything.
    ...['consent_refused', 'device_denied', 'user_code_limited'],
    // It waits at the top of the same page.
    'person_asked',
    // Part of a sign-in, or of an end, that is shown.
    ...['provider_answered', 'session_ended'],
    // The sign-in that failed is shown; why is for the operator.
    'passkey_flag_changed',
    // Of operators: who looks is in the audit trail, and who is removed has no page.
    ...['user_viewed', 'user_removed'],
  ]
  const of_people = Object.entries(EVENTS).flatMap(([name, { fields }]) =>
    (fields as readonly string[]).includes('username') ? [name] : [],
  )
  t.strictSame(
    of_people.filter((name) => !(ACTIVITIES as readonly string[]).includes(name)).sort(),
    silent.sort(),
  )
})

t.test('where operators sit is not told, and neither is what concerns nobody', async (t) => {
  const { note, written, noted } = await start()
  const actor = { kind: 'operator', id: 'root', via: 'api' } as const
  note({ event: 'factors_reset', username: 'alice', removed: ['totp'] }, { ...ORIGIN, actor })
  note({ event: 'mails_limited', limit: 'user', kind: 'reset_password', username: 'alice' })
  note({ event: 'client_added', client_id: 'shop' } as unknown as SecurityEvent)
  note({ event: 'password_changed' } as unknown as SecurityEvent)
  t.strictSame(await written(), [{ event: 'factors_reset', at: 1_000_000, by_operator: true }])
  t.strictSame(noted, [{ activity_of: 'alice' }], 'nothing else is kept')
})

t.test('who guesses pushes nothing out of the list', async (t) => {
  const { note, written, pass } = await start()
  const fail = (username: string) =>
    note({ event: 'sign_in_failed', username, reason: 'wrong_password' } as unknown as SecurityEvent)
  note({ event: 'passkey_added', username: 'alice', provider: undefined })
  for (let i = 0; i < 100; i++) fail('alice')
  fail('bob')
  for (let i = 0; i < 9; i++) {
    pass(900_000)
    fail('alice')
  }
  const names = (await written()).map(({ event }) => event)
  t.strictSame(names, [...new Array(5).fill('sign_in_failed'), 'passkey_added'])
})

t.test('of so many people whose names were guessed at, none fills the memory', async (t) => {
  const { note, written } = await start()
  const fail = (username: string) =>
    note({ event: 'sign_in_failed', username, reason: 'wrong_password' } as unknown as SecurityEvent)
  fail('alice')
  for (let i = 0; i < 999; i++) fail(`user-${i}`)
  fail('alice')
  fail('one more, which begins anew')
  fail('alice')
  t.equal((await written()).length, 2)
})

t.test('twenty are kept, of a thousand people at most until they are written', async (t) => {
  const { note, written, noted, pass } = await start()
  for (let i = 0; i < 30; i++) {
    pass(1)
    note({ event: 'signed_out', username: 'alice' } as unknown as SecurityEvent)
  }
  for (let i = 0; i < 1100; i++) note({ event: 'password_changed', username: `user-${i}` })
  note({ event: 'password_changed', username: 'alice' })
  const [first, ...others] = await written()
  t.equal(first?.event, 'password_changed', 'who waits already is not forgotten')
  t.equal(others.length, 19)
  t.equal(others.at(-1)?.at, 1_000_000 + 12, 'the oldest went')
  t.equal(noted.length, 1000)
})

t.test('guesses at many people leave room for what others did', async (t) => {
  const { note, written, noted } = await start()
  for (let i = 0; i < 2000; i++)
    note({
      event: 'sign_in_failed',
      username: `user-${i}`,
      reason: 'wrong_password',
    } as unknown as SecurityEvent)
  note({ event: 'password_changed', username: 'alice' })
  t.equal((await written()).length, 1)
  t.equal(noted.length, 501)
})

t.test('what was written by hand, and a storage that is away, break nothing', async (t) => {
  const { storage, written } = await start()
  const good = JSON.stringify({ event: 'password_reset', at: 5 })
  const wrong = ['no JSON', 'null', '{}', '{"event":"constructor","at":1}']
  const texts = [...wrong, good, '{"event":"password_reset","at":"yesterday"}']
  const entries = texts.map((text, i) => ({ name: `${i}`, text }))
  await storage.bounded.put({ activity_of: 'alice' }, entries, { ttl: 60_000, max: 9 })
  t.strictSame(await written(), [{ event: 'password_reset', at: 5 }])
  const put = () => Promise.reject(new Error('away'))
  const failing = { bounded: instead(storage.bounded, { put }) }
  const writer = new ActivityWriter({ storage: failing, now: Date.now }, 3_600_000)
  writer.note({ event: 'password_changed', username: 'alice' }, {})
  await writer.close()
})

t.test('the account page shows it, with the name of the application', async (t: Test) => {
  const { visitor, afterPassword, redmint } = await scene(t)
  const [alice, thief] = [visitor(), visitor()]
  await signInOn(thief, await thief.page(requestUrl()), 'alice', 'not the password')
  asDeparture(await afterPassword(alice))
  const happened = () => readActivities(redmint, 'alice')
  await until('both are written', async () => (await happened()).length === 2)
  const { text } = await alice.page('/account')
  const [, list = ''] = /<h2 id="activity-title">[^<]*<\/h2>([\s\S]*?)<\/section>/.exec(text) ?? []
  const lines = [...list.matchAll(/<div class="grow">([^<]*)<small>(.*?)<\/small>/g)]
  t.strictSame(
    lines.map(([, what]) => what),
    ['Signed in', 'A sign-in failed'],
  )
  t.match(lines[0]?.[2], 'Our own')
})

t.test('who joined sees by whose invitation, as the page of the invitation said it', async (t: Test) => {
  const { visitor, invite, join, redmint, storage } = await scene(t)
  const shown = async (username: string, by: Inviter) => {
    const browser = visitor()
    await join((await invite({ by })).url, username, browser)
    const isWritten = async () =>
      (await readActivities(redmint, username)).some(({ event }) => event === 'user_joined')
    await until('it is written', isWritten)
    return async () => {
      const { text } = await browser.page('/account')
      return /The account was made<small>(.*?)<\/small>/.exec(text)?.[1]
    }
  }
  await createUser(storage, 'ada', { sub: 'sub-ada', name: '<Ada> Lind', admin: 'redmint:write' })
  await createUser(storage, 'root', { sub: 'sub-root', name: '\u200b', admin: 'redmint:write' })
  const byAda = await shown('carol', { kind: 'user', id: 'ada' })
  t.match(await byAda(), 'by the invitation of <bdi>&lt;Ada&gt; Lind</bdi>')
  await storage.records.take(USER, 'ada')
  t.match(await byAda(), 'by the invitation of <bdi>&lt;Ada&gt; Lind</bdi>', 'who is removed stays named')
  const byRoot = await shown('dave', { kind: 'user', id: 'root' })
  t.match(await byRoot(), 'by the invitation of <bdi>root</bdi>', 'who has no name that is seen')
  const byCommand = await shown('erin', { kind: 'command', id: '' })
  t.notMatch(await byCommand(), 'invitation')
})
