// Entries of the audit trail posted to a receiver: in their order, signed, each at least once, and none of them in the way.
import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { trimTrail } from '../../../../src/audit/trim.ts'
import { AuditWebhook } from '../../../../src/audit/webhook.ts'
import { readCursor } from '../../../../src/audit/webhook-cursor.ts'
import { webhookHeaders } from '../../../../src/audit/webhook-signature.ts'
import { LastOutcomes } from '../../../../src/core/last-outcomes.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { recorderOn } from '../../../support/audited.ts'
import { onRedis } from '../../../support/matrix.ts'
import { until } from '../../../support/until.ts'

const KEY = randomBytes(32)
const SECRET = `whsec_${KEY.toString('base64')}`
const QUICK = { poll: 0.01, first_delay: 0.01, max_delay: 0.05 }

interface Message {
  readonly id: string
  readonly usernames: string[]
  readonly type: string
}

/** A receiver that checks signatures as a program of another maker does, and answers with `status`. */
async function startReceiver(t: Test) {
  const receiver = { url: '', status: 204, asked: 0, messages: [] as Message[], ids: new Set<string>() }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = request.headers
    const expected = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64')
    const is_signed = given === `v1,${expected}` && Math.abs(Date.now() / 1000 - Number(at)) < 300
    receiver.asked += 1
    receiver.ids.add(String(id))
    const { status } = receiver
    response.statusCode = is_signed ? status : 401
    response.setHeader('location', '/elsewhere')
    response.end()
    if (!is_signed || status >= 300) return
    const { type, data } = JSON.parse(body)
    const usernames = data.entries.map((entry: { details?: { name?: string } }) => entry.details?.name)
    receiver.messages.push({ id: String(id), usernames, type })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit?token=hidden`
  return receiver
}

/** A trail, and servers that post its entries. */
function startTrail(t: Test, storage: Storage) {
  const lines: string[] = []
  const say = (_: object, line: string) => void lines.push(line)
  const log = { info: say, warn: say, error: say }
  const counts = { audit_posts: { delivered: 0, failed: 0 }, audit_lost: { webhook: 0 } }
  const outcomes = new LastOutcomes()
  let number = 0
  return {
    ...counts,
    outcomes,
    lines,
    /** Adds entries that are told apart by a name. */
    async add(count: number) {
      const { recorder } = recorderOn(storage, { timing: { max_waiting: 10_000 } })
      for (let i = 0; i < count; i++)
        recorder.note({ event: 'keys_rotated', mail: 'id', kind: 'test', name: `${number++}` } as never, {})
      await recorder.close()
    },
    /** The same with one that is refused, in the other part. */
    async refuse() {
      const { recorder } = recorderOn(storage)
      recorder.note({ event: 'mails_limited', limit: 'all', kind: 'test', name: `${number++}` } as never, {})
      await recorder.close()
    },
    run(url: string) {
      const context = { storage, url, secret: SECRET, log, outcomes, ...counts, now: Date.now }
      const webhook = new AuditWebhook(context, QUICK)
      t.teardown(() => webhook.close())
      webhook.start()
      return webhook
    },
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}`)

function onBoth(name: string, run: (t: Test, storage: Storage) => Promise<void>): void {
  t.test(name, (t) => run(t, new MemoryStorage()))
  onRedis(t, name, (t, { storage }) => run(t, storage))
}

onBoth('entries arrive in their order, those from before, too, and each once', async (t, storage) => {
  const receiver = await startReceiver(t)
  const { add, run, audit_posts, lines } = startTrail(t, storage)
  await add(250)
  run(receiver.url)
  run(receiver.url)
  const arrived = () => receiver.messages.flatMap(({ usernames }) => usernames)
  await until('all arrived', () => arrived().length >= 250)
  await add(3)
  await until('the later ones arrived', () => arrived().length >= 253)
  t.strictSame(arrived(), numbers(0, 253))
  t.ok(receiver.messages.every(({ type, usernames }) => type === 'audit.entries' && usernames.length <= 100))
  await until('all are counted', () => audit_posts.delivered === receiver.messages.length)
  t.equal(audit_posts.failed, 0)
  t.same(lines, [])
})

onBoth('both parts of the trail arrive, each entry once, also what failed before', async (t, storage) => {
  const receiver = await startReceiver(t)
  const { add, refuse, run, audit_posts } = startTrail(t, storage)
  receiver.status = 500
  await add(2)
  await refuse()
  run(receiver.url)
  await until('it failed', () => audit_posts.failed >= 2)
  await refuse()
  await add(1)
  receiver.status = 200
  const arrived = () => receiver.messages.flatMap(({ usernames }) => usernames)
  await until('all arrived', () => arrived().length >= 5)
  t.same(new Set(arrived().slice(0, 3)), new Set(numbers(0, 3)), 'the message that failed is the same again')
  t.same(new Set(arrived()), new Set(numbers(0, 5)))
  t.equal(arrived().length, 5)
})

onBoth(
  'a receiver that is away gets the same message again, and the log says so once',
  async (t, storage) => {
    const receiver = await startReceiver(t)
    const { add, run, audit_posts, lines } = startTrail(t, storage)
    receiver.status = 500
    await add(5)
    run(receiver.url)
    await until('it failed', () => audit_posts.failed >= 2)
    // What comes meanwhile is another message.
    await add(5)
    await until('it failed again', () => audit_posts.failed >= 4)
    receiver.status = 302
    await until('a redirect is not followed', () => audit_posts.failed >= 6)
    t.equal(receiver.ids.size, 1)
    t.match(lines, ['AUDIT_WEBHOOK_URL does not take entries of the audit trail: it answered 500.'])
    t.notMatch(lines.join(), 'hidden')
    receiver.status = 200
    await until('all arrived', () => receiver.messages.length >= 2)
    t.strictSame(
      receiver.messages.map(({ usernames }) => usernames),
      [numbers(0, 5), numbers(5, 10)],
    )
    await until('the log says that it takes them again', () => lines.length === 2)
  },
)

onBoth('a dead receiver makes nothing grow, and what is deleted meanwhile is counted', async (t, storage) => {
  const receiver = await startReceiver(t)
  const { add, run, audit_posts, audit_lost, lines } = startTrail(t, storage)
  await add(3)
  const webhook = run(receiver.url)
  await until('these arrived', () => audit_posts.delivered === 1)
  await webhook.close()
  const dead = run('http://127.0.0.1:9/')
  await add(1200)
  await until('it failed', () => audit_posts.failed >= 1)
  const { recorder } = recorderOn(storage)
  const settings = { audit_days: 90, audit_max: 1000 }
  const trimmed = dead.trimmed.bind(dead)
  await trimTrail({ storage, settings, recorder, trimmed, report: () => {}, now: Date.now })
  t.ok((await storage.trail.size()) <= 1000)
  // The first three were sent; the entry that says what was deleted is one more.
  t.equal(audit_lost.webhook, 1203 - ((await storage.trail.size()) - 1) - 3)
  t.equal(lines.filter((line) => line.includes('were deleted before')).length, 1)
  t.match(await readCursor(storage), { attempts: Number })
  t.equal(await storage.queue.size('audit-webhook'), 1)
})

t.test('a signature is that of Standard Webhooks', async (t) => {
  // Made with openssl: printf 'msg_1.1731705121.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:… -binary | base64
  const headers = webhookHeaders('whsec_plJ3nmyCDGBKInavdOK15jsl', {
    id: 'msg_1',
    timestamp: 1731705121,
    body: '{}',
  })
  t.match(headers, {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,pN25u8D2ZpokERfG+H43mnt+r1q3yqzVZVVBbiKETWc=',
  })
})
