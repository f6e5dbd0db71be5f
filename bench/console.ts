// What the console costs among a million people, 100,000 applications, and a million grants and entries of the audit trail:
// `npm --prefix bench run console`. It starts its own Redis and server. CONSOLE_PEOPLE=20000 is quicker, as is CONSOLE_TURN=200.
import { setTimeout as pause } from 'node:timers/promises'
import { entryText } from '../src/audit/entry.ts'
import { newFamilyId } from '../src/core/token-string.ts'
import { MAX_NEWEST, NEWEST } from '../src/sessions/newest-sessions.ts'
import { noteFitted } from '../src/storage/indexes.ts'
import { createAdministrator } from '../test/support/admin.ts'
import { countCommands } from '../test/support/command-counter.ts'
import {
  digits,
  EVERYWHERE,
  emailOf,
  fillGrants,
  fillUsers,
  PREFIX,
  putSessions,
} from '../test/support/proof/large-records.ts'
import { callsIn } from '../test/support/redis-calls.ts'
import { signInOn } from '../test/support/scene/requests.ts'
import { asPage, type Visitor } from '../test/support/visitor.ts'
import { followConsoles } from './console-follow.ts'
import { deliver } from './deliver.ts'
import { cpuOf, Owner, openStorage, startServer } from './growth-load.ts'
import { pinLoad } from './machine.ts'
import type { Table } from './table.ts'
import { visitorAt } from './visitor-at.ts'

const PEOPLE = Number(process.env.CONSOLE_PEOPLE ?? 1_000_000)
/** Redis logs a command that takes longer, in microseconds. */
const SLOW = 5000
const WARM = 3
const ROUNDS = 4
const PER_ROUND = 8
/** How long a round waits before it asks again, in milliseconds. */
const REFUSED_FOR = 2000
const AT_A_TIME = 10_000

const FILL_TRAIL = `for i = 1, ARGV[2] do redis.call('XADD', KEYS[1], '*', 'entry', ARGV[1]) end`

const username = (i: number) => `user-${digits(i)}`

pinLoad()
const owner = new Owner()
try {
  deliver(await measure())
} finally {
  await owner.end()
}

async function measure(): Promise<Table[]> {
  const place = await openStorage(owner)
  const { redis, admin, storage } = place
  await fill()
  const counter = await countCommands(owner, redis.port)
  const server = await startServer(
    owner,
    { ...redis, url: counter.url },
    { ADMIN_API: 'on', CONSOLE: 'on', AUDIT: 'on' },
  )
  const origin = `http://127.0.0.1:${server.port}`
  const signIn = async (name: string): Promise<Visitor> => {
    await createAdministrator(storage, name, 'redmint:read redmint:write')
    const visitor = visitorAt(origin)
    asPage(await signInOn(visitor, await visitor.page('/console'), name))
    return visitor
  }
  await admin.config('SET', 'slowlog-log-slower-than', SLOW)
  await admin.slowlog('RESET')
  const filled = await callsIn(admin)

  const rows = []
  const first = await signIn('operator')
  const pages = await pagesOf(first, origin)
  // The first requests compile code.
  for (let i = 0; i < WARM; i++)
    for (const path of Object.values(pages)) await first.request('GET', `/console${path()}`)
  let operators = 0
  for (const [page, path] of Object.entries(pages)) {
    /** @returns false: there were too many requests of all operators in this minute */
    const get = async (visitor: Visitor) => {
      const { status } = await visitor.request('GET', `/console${path()}`)
      if (![200, 303, 429].includes(status)) throw new Error(`${page}: the status is ${status}`)
      return status !== 429
    }
    const found: { ms: number; calls: number }[] = []
    const trips: number[] = []
    while (found.length < ROUNDS) {
      // One operator may not ask so often.
      const visitor = await signIn(`operator-${operators++}`)
      while (!(await get(visitor))) await pause(REFUSED_FOR)
      const [cpu, calls] = [cpuOf(server.pid), await callsIn(admin)]
      const trips_of_round: number[] = []
      for (let i = 0; i < PER_ROUND; i++) {
        counter.takeTrips()
        if (await get(visitor)) trips_of_round.push(counter.takeTrips())
      }
      const [spent, run] = [cpuOf(server.pid) - cpu, (await callsIn(admin)) - calls]
      if (trips_of_round.length < PER_ROUND) continue
      trips.push(...trips_of_round)
      found.push({ ms: spent / 1000 / PER_ROUND, calls: run / PER_ROUND })
    }
    // Other programs of the machine, and what the server does in the background, only add to them.
    const least = (name: 'ms' | 'calls') => Math.min(...found.map((one) => one[name]))
    rows.push({ page, 'CPU ms': least('ms'), 'round trips': Math.min(...trips), commands: least('calls') })
  }
  const slow = (await admin.slowlog('GET', 1000)) as [number, number, number, string[]][]
  const longest = Math.max(0, ...slow.map(([, , us]) => us / 1000))
  const people = PEOPLE.toLocaleString('en')
  return [
    {
      title: `Among ${people} people, as many grants and entries of the audit trail, and a tenth as many applications`,
      rows,
    },
    {
      title: 'Commands of Redis meanwhile',
      rows: [{ all: (await callsIn(admin)) - filled, 'over 5 ms': slow.length, 'longest, ms': longest }],
    },
    await followConsoles({ storage, server, signIn }),
  ]

  async function fill(): Promise<void> {
    await fillUsers(admin, PEOPLE)
    await fillGrants(admin, PEOPLE)
    await putSessions(admin, username(2), MAX_NEWEST)
    const ids = Array.from({ length: MAX_NEWEST }, (_, i) => `session-${username(2)}-${i}`)
    await storage.lists.add(...ids.map((id, i) => ({ ...NEWEST, id, until: Date.now() + i })))
    const entry = entryText(
      { event: 'grants_ended', client_id: EVERYWHERE, grant: newFamilyId(), count: 1 },
      undefined,
      {},
      {},
      Date.now(),
    )
    for (let i = 0; i < PEOPLE; i += AT_A_TIME)
      await admin.eval(FILL_TRAIL, 1, `${PREFIX}audit`, entry, AT_A_TIME)
    await noteFitted(storage, Date.now())
  }
}

/** Addresses of pages below the console; where it can, each call names another record. */
async function pagesOf(visitor: Visitor, origin: string): Promise<Record<string, () => string>> {
  let at = 0
  const any = () => {
    at = (at + 102_947) % PEOPLE
    return at
  }
  const further = async (path: string) => {
    const { text } = await visitor.request('GET', `/console${path}`)
    const next = /href="\/console(\/[^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    if (next === undefined) throw new Error(`${path} has no further page`)
    return () => next
  }
  const refused = await fetch(`${origin}/oauth2/authorize?client_id=nobody`)
  return {
    Home: () => '',
    People: () => '/people',
    'People, further on': await further('/people'),
    'People, how names begin': () => `/people?q=${username(any()).slice(0, 'user-000'.length)}`,
    'People, by e-mail address': () => `/people?q=${encodeURIComponent(emailOf(any()))}`,
    'People, administrators': () => '/people?only=admin',
    'People, locked out': () => '/people?only=locked',
    'People, disabled (200 looked at)': () => '/people?only=disabled',
    'People, not seen for 90 days (200 looked at)': () => '/people?only=not_seen',
    'People, without a second step (20 looked at)': () => '/people?only=no_second_step',
    'A person': () => `/people/${username(any())}`,
    'Sessions of a person who has 1,000': () => `/people/${username(2)}/sessions`,
    'Applications of a person who has 10,000 grants': () => `/people/${username(1)}/applications`,
    'The same, further on': await further(`/people/${username(1)}/applications`),
    'Sessions, the newest': () => '/sessions',
    'Sessions, the newest of an application that has none': () => '/sessions?client_id=app-0000009',
    Applications: () => '/applications',
    'Applications, how ids begin': () => '/applications?q=app-00',
    'An application': () => `/applications/${EVERYWHERE}`,
    'People with access to an application that has all grants': () => `/applications/${EVERYWHERE}/grants`,
    Groups: () => '/groups',
    Events: () => '/events',
    'Events, further on': await further('/events'),
    'Events of a person who has none': () => `/events?username=${username(9)}`,
    Explain: () => '/explain',
    'Search: a username': () => `/search?q=${username(any())}`,
    'Search: an e-mail address': () => `/search?q=${encodeURIComponent(emailOf(any()))}`,
    'Search: a sub': () => `/search?q=sub-${digits(any())}`,
    'Search: a client id': () => `/search?q=app-${digits(Math.floor(any() / 10))}`,
    'Search: a request id': () => `/search?q=${refused.headers.get('x-request-id')}`,
    'Search: nothing has this name': () => '/search?q=nobody-of-this-name',
  }
}
