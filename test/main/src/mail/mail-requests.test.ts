// What strangers ask for by a form: it is kept before the answer, for any server, with a share for each sender.
import t, { type Test } from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { DroppedMails } from '../../../../src/mail/dropped-mails.ts'
import { countMail, MAILS_AN_HOUR, type MailRoom, roomOf } from '../../../../src/mail/mail-limits.ts'
import { MAKER_TIMING, MailMaker, type OpenedAsk } from '../../../../src/mail/mail-maker.ts'
import {
  ASK_QUEUES,
  askForMail,
  countAsks,
  type MailAsk,
  parseAsk,
} from '../../../../src/mail/mail-requests.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { until } from '../../../support/until.ts'

const HOUR = 3_600_000
const { name: QUEUE, max: MAX } = ASK_QUEUES.forgot

/** A place where people ask. The sealer is a mirror: what is sealed cannot be read. */
function place(storage = new MemoryStorage(), clock = { now: Date.now() }) {
  const events: SecurityEvent[] = []
  const mirror = (text: string) => [...text].reverse().join('')
  const counts = { sender: 0, full: 0 }
  const now = () => clock.now
  const context = {
    storage,
    sealer: {
      seal: (_: string, text: string) => mirror(text),
      open: (_: string, text: string): string | undefined => mirror(text),
    },
    log: SILENT,
    report: (event: SecurityEvent) => void events.push(event),
    now,
    dropped: new DroppedMails(counts, now),
  }
  const ask = (more: Partial<MailAsk> = {}) =>
    askForMail(context, () => {}, {
      form: 'forgot',
      kind: 'reset_password',
      typed: 'alice@example.org',
      language: 'de',
      network: '192.0.2.1',
      is_known: true,
      ...more,
    })
  return { context, events, counts, clock, ask }
}

function startMaker(
  t: Test,
  { context }: ReturnType<typeof place>,
  make: (ask: OpenedAsk) => Promise<void>,
  timing = { ...MAKER_TIMING, poll: 0.02, lease: 0.05 },
) {
  const maker = new MailMaker({ ...context, make: { forgot: make } }, timing)
  maker.start()
  t.teardown(() => maker.close())
  return maker
}

forEachStorage(
  t,
  'what was asked for is in storage when it is answered, and any server makes it once',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const one = place(storage as MemoryStorage)
    await one.ask()
    const [item = ''] = await storage.queue.list(QUEUE, 10)
    t.match(parseAsk(item), { form: 'forgot', network: '192.0.2.1', nth: 1 })
    t.notMatch(item, /alice/, 'the name is sealed')
    // The server that answered is gone: these are others.
    const made: OpenedAsk[] = []
    for (const _ of ['one', 'other'])
      startMaker(t, one, async (ask) => void made.push(ask), MAKER_TIMING).wake()
    await until('it is made', async () => (await countAsks(storage)) === 0)
    t.strictSame(made, [{ typed: 'alice@example.org', language: 'de', nth: 1, is_of_person: false }])
  },
)

t.test('storage that is away is no answer, and a mail that fails is made later', async (t) => {
  const one = place()
  const { storage } = one.context
  const away = async () => {
    throw new StorageUnavailable('gone')
  }
  const broken = Object.assign(Object.create(storage), { queue: { ...storage.queue, offer: away } })
  await t.rejects(place(broken).ask(), StorageUnavailable)
  await one.ask()
  let attempts = 0
  startMaker(t, one, async () => {
    attempts += 1
    if (attempts < 3) await away()
  })
  await until('it is made at last', async () => (await countAsks(storage)) === 0)
  t.equal(attempts, 3)
})

t.test('a name that nobody has leaves nothing, takes no place, and costs the same commands', async (t) => {
  const one = place()
  const { storage } = one.context
  const commands: string[] = []
  const { countFailure } = storage.counters
  const { offer } = storage.queue
  storage.counters.countFailure = (...given) => {
    commands.push('count')
    return countFailure.apply(storage.counters, given)
  }
  storage.queue.offer = (...given) => {
    commands.push('offer')
    return offer.apply(storage.queue, given)
  }
  for (let i = 0; i < 50; i++) await one.ask({ is_known: false, typed: `made-up-${i}` })
  t.equal(await countAsks(storage), 0)
  t.same(one.events, [], 'nothing is lost')
  const unknown = commands.splice(0).slice(0, 2)
  await one.ask()
  t.equal(await countAsks(storage), 1, 'a known one of the same sender has its place')
  t.strictSame(commands, unknown)
})

t.test(
  'one sender has ten in the hour, and what is dropped is told once a minute with a count',
  async (t) => {
    const one = place()
    const { storage } = one.context
    for (let i = 0; i < 40; i++) await one.ask({ network: '192.0.2.1' })
    t.equal(await countAsks(storage), MAILS_AN_HOUR.sender)
    for (let i = 0; i < 200; i++) await one.ask({ network: `2001:db8:1:${i.toString(16)}::` })
    const of_site = (await countAsks(storage)) - MAILS_AN_HOUR.sender
    t.ok(of_site <= 100, 'the networks of one site share a few counters')
    await one.ask({ network: '198.51.100.7' })
    t.equal(await countAsks(storage), of_site + MAILS_AN_HOUR.sender + 1, 'others have their own')
    const [first, ...more] = one.events
    t.match(first, { event: 'mail_dropped', reason: 'sender', network: '192.0.2.1', count: 1 })
    t.ok(more.length < 10, 'once for each network, and few in all')
    one.clock.now += 60_000
    await one.ask({ network: '192.0.2.1' })
    t.match(
      one.events.at(-1),
      { reason: 'sender', network: '192.0.2.1', count: 30 },
      'with what was not told',
    )
    t.equal(one.counts.sender, 31 + 200 - of_site, 'each is counted')
  },
)

t.test('the queue is bounded, and whoever asks first goes before who asks often', async (t) => {
  const one = place()
  const { storage } = one.context
  for (let i = 0; i < 3; i++) await one.ask({ network: '192.0.2.1' })
  await one.ask({ network: '192.0.2.2' })
  const order = (await storage.queue.list(QUEUE, 10)).map((item) => parseAsk(item)?.network)
  t.strictSame(order, ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1'])
  for (let i = 0; i < MAX; i++) await storage.queue.add(QUEUE, [`item ${i}`])
  await one.ask({ network: '192.0.2.3' })
  t.match(one.events, [{ event: 'mail_dropped', reason: 'full', network: '192.0.2.3', count: 1 }])
  t.equal(one.counts.full, 1)
})

t.test('what waited too long, cannot be opened, or is malformed, is dropped', async (t) => {
  const one = place()
  const { storage } = one.context
  await one.ask()
  one.clock.now += HOUR
  await storage.queue.add(QUEUE, ['malformed'])
  startMaker(t, one, async () => void t.fail('it is made'))
  await until('they are gone', async () => (await countAsks(storage)) === 0)
  await one.ask({ network: '192.0.2.9' })
  one.context.sealer.open = () => undefined
  await until('it is gone', async () => (await countAsks(storage)) === 0)
  t.match(one.events, [
    { event: 'mail_dropped', reason: 'late' },
    { event: 'mail_dropped', reason: 'unreadable', network: '192.0.2.9' },
  ])
})

t.test('who asks often uses up nothing of those who ask once, nor of people who are signed in', async (t) => {
  const { context } = place()
  const mail = (room: MailRoom, i: number) => {
    const to = { text: `${room}${i}@example.org`, key: `${room}${i}@example.org` }
    return countMail(context.storage, { to, username: `${room}-${i}`, room })
  }
  const { all } = MAILS_AN_HOUR
  context.storage.counters.countFailure = exactly()
  for (let i = 0; i < all.further; i++) await mail('further', i)
  t.strictSame(await mail('further', -1), { limit: 'all', is_first: true })
  t.strictSame(await mail('further', -2), { limit: 'all', is_first: false })
  for (const room of ['first', 'own'] as const) t.equal(await mail(room, 1), undefined, room)
  for (let i = 0; i < all.first; i++) await mail('first', i + 2)
  t.match(await mail('first', -1), { limit: 'all' })
  t.equal(await mail('own', 2), undefined, 'nor do those who ask once')
  t.equal(roomOf(1), 'first')
  t.equal(roomOf(2), 'further')
})

/** Counters without a bound. */
function exactly() {
  const counts = new Map<string, number>()
  return async (group: string, name: string) => {
    const count = (counts.get(group + name) ?? 0) + 1
    counts.set(group + name, count)
    return { count, ends_in: HOUR }
  }
}
