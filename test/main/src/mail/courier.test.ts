// The queue of mails and its courier: each server, a crash, a deadline, and the bound.
import t, { type Test } from 'tap'
import { completeSettings } from '../../../../src/config/settings.ts'
import { readEmail } from '../../../../src/core/email-address.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { MAIL_TIMING, MailCourier } from '../../../../src/mail/mail-courier.ts'
import {
  claimMails,
  countMails,
  listMails,
  MAX_QUEUED,
  queueMail,
  retryMails,
} from '../../../../src/mail/mail-queue.ts'
import { type MailRequest, sendMail } from '../../../../src/mail/mailer.ts'
import { renderMail } from '../../../../src/mail/render-mail.ts'
import { type Delivery, smtpSender } from '../../../../src/mail/smtp.ts'
import { Languages } from '../../../../src/pages/languages.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { startSmtp } from '../../../support/smtp.ts'
import { until } from '../../../support/until.ts'

const LINK = 'https://auth.example.com/account/reset#a-secret-of-the-link'
const settings = completeSettings({ issuer: 'https://auth.example.com' })
const TIMING = { ...MAIL_TIMING, poll: 0.02, first_delay: 0.02, longest_delay: 0.1 }

/** A courier, what it is given and what it reports. The sealer is a mirror: what is sealed cannot be read. */
function place(storage: Storage, clock = { now: Date.now() }) {
  const events: SecurityEvent[] = []
  const mirror = (text: string) => [...text].reverse().join('')
  const context = {
    storage,
    settings,
    sealer: {
      seal: (_: string, text: string) => mirror(text),
      open: (_: string, text: string): string | undefined => mirror(text),
    },
    outcomes: new LastOutcomes(),
    log: SILENT,
    report: (event: SecurityEvent) => void events.push(event),
    now: () => clock.now,
    render: (content: Parameters<typeof renderMail>[1]) =>
      renderMail({ settings, languages: new Languages() }, content),
  }
  const to = readEmail('alice@example.org')
  if (to === undefined) throw new Error('It is an address.')
  const request: MailRequest = {
    to,
    content: { kind: 'reset_password', language: 'en', link: LINK },
    ttl: 3600,
  }
  const queue = () => sendMail(context, () => {}, request)
  return { context, events, clock, queue }
}

function startCourier(
  t: Test,
  { context }: ReturnType<typeof place>,
  send: (id: string) => Promise<Delivery>,
  timing = TIMING,
) {
  const courier = new MailCourier(context, ({ id }) => send(id), timing)
  courier.start()
  t.teardown(() => courier.close())
  return courier
}

const namesOf = (events: readonly SecurityEvent[]) =>
  events.map((event) => ('reason' in event ? `${event.event} ${event.reason}` : event.event))

forEachStorage(
  t,
  'a mail is handed over once, and nothing of its link is in the queue',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const smtp = await startSmtp(t)
    const one = place(storage)
    await one.queue()
    const [waiting] = await listMails(storage, 10)
    t.match(waiting, {
      kind: 'reset_password',
      to: 'alice@example.org',
      state: 'waiting',
      attempts: 0,
      answer: '',
    })
    t.notOk(JSON.stringify(waiting).includes('a-secret'), 'sealed')
    const server = { host: 'localhost', port: smtp.port, tls: 'starttls' } as const
    const courier = new MailCourier(
      one.context,
      smtpSender(server, { name: '', address: 'login@example.com' }, { ca: smtp.ca }),
      TIMING,
    )
    courier.start()
    t.teardown(() => courier.close())
    await until('it is handed over', () => one.events.length > 0)
    t.same(namesOf(one.events), ['mail_sent'])
    t.notOk(JSON.stringify(one.events).includes('a-secret'), 'E8 no link in an event')
    t.equal(smtp.mails.length, 1)
    t.ok(smtp.mails[0]?.raw.includes('a-secret-of-the-link'))
    t.equal(await countMails(storage), 0)
  },
)

t.test(
  'a mail that is refused for good stays, for operators, until it ends; E7 with what the server said',
  async (t) => {
    const one = place(new MemoryStorage())
    await one.queue()
    startCourier(t, one, async () => ({ outcome: 'refused', answer: '550 No such user' }))
    await until('it is refused', () => one.events.length > 0)
    t.match(one.events, [{ event: 'mail_dropped', reason: 'refused', answer: '550 No such user' }])
    const [mail] = await listMails(one.context.storage, 10)
    t.match(mail, { state: 'refused', answer: '550 No such user', attempts: 1, sealed: '' })
  },
)

t.test('a refused mail goes when it ends: it is neither sent nor dropped once more', async (t) => {
  const one = place(new MemoryStorage())
  const { clock } = one
  const { storage } = one.context
  const mail = { id: 'an-id', kind: 'test', to: 'a@b', created_at: clock.now, ends_at: clock.now } as const
  await queueMail(storage, {
    ...mail,
    ...{ attempts: 1, begun: 0, state: 'refused', answer: '550', sealed: '' },
  })
  let asked = 0
  startCourier(t, one, async () => ({ outcome: 'sent', answer: String(asked++) }))
  await until('it is gone', async () => (await countMails(storage)) === 0)
  t.equal(asked, 0)
  t.same(one.events, [])
})

t.test('a mail that another key sealed is dropped, and the others leave', async (t) => {
  const one = place(new MemoryStorage())
  await one.queue()
  const { sealer } = one.context
  const context = { ...one.context, sealer: { ...sealer, open: () => undefined } }
  startCourier(t, { ...one, context }, async () => ({ outcome: 'sent', answer: '' }))
  await until('it is dropped', () => one.events.length > 0)
  t.same(namesOf(one.events), ['mail_dropped unreadable'])
  t.equal(await countMails(one.context.storage), 0)
})

t.test(
  'storage that is away is no bug, and what is one is logged; the mail waits for the next try',
  async (t) => {
    for (const [error, logged] of [
      [new StorageUnavailable('away'), 0],
      [new Error('a bug'), 1],
    ] as const) {
      const one = place(new MemoryStorage())
      await one.queue()
      const lines: string[] = []
      const log = { ...SILENT, error: (_: object, line: string) => void lines.push(line) }
      let renders = 0
      const render = (content: Parameters<typeof renderMail>[1]) => {
        renders += 1
        if (renders === 1) throw error
        return one.context.render(content)
      }
      const context = { ...one.context, log, render }
      startCourier(t, { ...one, context }, async () => ({ outcome: 'sent', answer: '' }), {
        ...TIMING,
        lease: 0.05,
      })
      await until('it is sent', () => one.events.length > 0)
      t.same(namesOf(one.events), ['mail_sent'])
      t.equal(lines.filter((line) => line.startsWith('A bug prevented a mail')).length, logged)
    }
  },
)

t.test('E6 a dead server is asked now and then, and mails end with their links', async (t) => {
  const storage = new MemoryStorage()
  const one = place(storage)
  for (let i = 0; i < 50; i += 1) await one.queue()
  let asked = 0
  startCourier(t, one, async () => {
    asked += 1
    return { outcome: 'away', answer: 'ECONNREFUSED' }
  })
  await until('it was asked', () => asked > 0)
  t.ok(asked <= TIMING.concurrency, 'a server that is away is asked for no other mail')
  t.equal(await countMails(storage), 50)
  // Both clocks go on: that of the queue is that of the machine.
  one.clock.now += 3_600_000
  await until('all are dropped', async () => (await countMails(storage)) === 0 || asked > 1000)
  t.same(new Set(namesOf(one.events)), new Set(['mail_dropped late']))
  t.equal(one.events.length, 50)
})

t.test(
  'E6 a mail leaves at most twice: after a crash between sending and noting once more, and no more',
  async (t) => {
    const one = place(new MemoryStorage())
    await one.queue()
    const sent: string[] = []
    // The process ends after the server has the mail: nothing is noted.
    for (let crashes = 0; crashes < 5 && one.events.length === 0; crashes += 1) {
      const crashing = new MailCourier(
        one.context,
        ({ id }) => {
          sent.push(id)
          return new Promise(() => {})
        },
        { ...TIMING, lease: 0.05 },
      )
      const before = sent.length
      crashing.start()
      await until('it is sent or dropped', () => sent.length > before || one.events.length > 0)
      void crashing.close()
    }
    t.equal(sent.length, 2)
    t.equal(new Set(sent).size, 1, 'with the same Message-ID')
    t.same(namesOf(one.events), ['mail_dropped uncertain'])
  },
)

t.test('a mail that failed for now is sent again, and a mail whose answer was lost once', async (t) => {
  const one = place(new MemoryStorage())
  await one.queue()
  const answers: Delivery[] = [
    { outcome: 'later', answer: '451' },
    { outcome: 'unknown', answer: '' },
    { outcome: 'sent', answer: '250' },
  ]
  startCourier(t, one, async () => answers.shift() ?? { outcome: 'refused', answer: 'too often' })
  await until('it is sent', () => one.events.length > 0)
  t.same(namesOf(one.events), ['mail_sent'])
})

t.test('E6 a mail whose answer is always lost leaves twice, and no more', async (t) => {
  const one = place(new MemoryStorage())
  await one.queue()
  let sent = 0
  startCourier(t, one, async () => ({ outcome: 'unknown', answer: String(sent++) }))
  await until('it is dropped', () => one.events.length > 0)
  t.same(namesOf(one.events), ['mail_dropped uncertain'])
  t.equal(sent, 2)
})

t.test('a clock that is set back keeps no mail waiting for a server that was away', async (t) => {
  const one = place(new MemoryStorage())
  await one.queue()
  const answers: Delivery[] = [{ outcome: 'away', answer: 'ECONNREFUSED' }]
  const context = {
    ...one.context,
    // It says so when it has noted until when the server is let alone.
    log: {
      ...SILENT,
      warn: () => {
        one.clock.now -= 86_400_000
      },
    },
  }
  startCourier(t, { ...one, context }, async () => answers.shift() ?? { outcome: 'sent', answer: '250' })
  await until('it is sent', () => one.events.length > 0)
  t.same(namesOf(one.events), ['mail_sent'])
})

t.test('E6 the queue is bounded', async (t) => {
  const storage = new MemoryStorage()
  const one = place(storage)
  const full: Storage = Object.assign(Object.create(storage), {
    queue: {
      ...storage.queue,
      offer: async (_: string, __: string, { max }: { max: number }) => !t.equal(max, MAX_QUEUED),
    },
  })
  t.equal(
    await sendMail({ ...one.context, storage: full }, () => {}, {
      to: { text: 'a@b', key: 'a@b' },
      content: { kind: 'test', language: 'en' },
      ttl: 60,
    }),
    false,
  )
  t.same(namesOf(one.events), ['mail_dropped full'])
})

t.test('a malformed item is removed', async (t) => {
  const storage = new MemoryStorage()
  await storage.queue.add('mails', ['x', '{"id":"only"}'])
  await queueMail(storage, {
    id: 'good',
    kind: 'test',
    to: 'a@b',
    created_at: 1,
    ends_at: 2,
    attempts: 0,
    begun: 0,
    state: 'waiting',
    answer: '',
    sealed: '',
  })
  t.match(await claimMails({ queue: storage.queue, log: SILENT }, 10, 10), [{ id: 'good' }])
  t.equal(await countMails(storage), 1)
})

forEachStorage(
  t,
  'an operator has mails tried at once, and nobody sends one twice',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const one = place(storage)
    const sealed = one.context.sealer.seal('mail', JSON.stringify({ kind: 'test', language: 'en' }))
    const mail = (id: string, more: Partial<Parameters<typeof queueMail>[1]>) =>
      queueMail(storage, {
        ...{ id, kind: 'test', to: 'a@b', created_at: one.clock.now, ends_at: one.clock.now + 3_600_000 },
        ...{ attempts: 3, begun: 0, state: 'waiting', answer: '421', sealed, ...more },
      })
    await mail('waits', {})
    await mail('other', {})
    await mail('new', { attempts: 0 })
    await mail('leaves', { begun: 1 })
    await mail('refused', { state: 'refused' })
    const log = SILENT
    // A replica claims it before the operator asks, and has not begun.
    const claimed = await claimMails({ queue: storage.queue, log }, 10, 3600)
    t.equal(claimed.length, 5)
    t.equal(await retryMails(storage, 'nobody'), 0)
    t.equal(await retryMails(storage, 'waits'), 1)
    t.equal(await retryMails(storage, undefined), 1, 'the other one')
    t.equal(await retryMails(storage, undefined), 0, 'they have begun anew')
    const again = await claimMails({ queue: storage.queue, log }, 10, 3600)
    t.match(again.map(({ id, attempts }) => [id, attempts]).sort(), [
      ['other', 0],
      ['waits', 0],
    ])

    const late = claimed.find(({ id }) => id === 'waits')
    if (late === undefined) throw new Error('It was claimed.')
    const sent: string[] = []
    let claims = 0
    const { queue } = storage
    const slow = place({
      queue: {
        claim: async () => (claims++ === 0 ? [JSON.stringify(late)] : []),
        finish: queue.finish.bind(queue),
        retryLater: queue.retryLater.bind(queue),
      },
    } as unknown as Storage)
    const courier = startCourier(t, slow, async (id) => {
      sent.push(id)
      return { outcome: 'sent', answer: '250' }
    })
    await until('it has claimed', () => claims > 1)
    await courier.close()
    t.same(sent, [], 'the replica that claimed it before leaves it to the one that claims it now')
  },
)
