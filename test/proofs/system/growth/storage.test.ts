// What a long life leaves in storage, and what a call costs then: families, sessions and the queue of notices.

import { EventEmitter } from 'node:events'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { newFamilyId } from '../../../../src/core/token-string.ts'
import { newCookieValue, sessionIdOf } from '../../../../src/sessions/browser.ts'
import { endSession } from '../../../../src/sessions/end-session.ts'
import { joinSession } from '../../../../src/sessions/join-session.ts'
import { claimLogouts, finishLogouts, queueLogouts } from '../../../../src/sessions/logout-queue.ts'
import { createSession, useSessionFor } from '../../../../src/sessions/session-store.ts'
import { MAX_LIVE_TOKENS } from '../../../../src/storage/families.ts'
import { countCommands } from '../../../support/command-counter.ts'
import { addAccessToken, refreshing, signIn } from '../../../support/contract/family.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'
import { session } from '../../../support/contract/session-contract.ts'
import { useRefreshToken } from '../../../support/contract/use-refresh-token.ts'
import { patient } from '../../../support/patient.ts'
import { issueClientToken } from '../../../support/records.ts'
import { callsIn } from '../../../support/redis-calls.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { CLIENTS } from '../../../support/service.ts'

const FEW = 50
const MANY = 2000
const PREFIX = 'test:'

const server = await startRedis(t)
const redis = new Redis(server.url)
t.teardown(() => redis.disconnect())

/** A storage on the Redis of this file, and what its calls cost. */
async function open(t: Test) {
  const counter = await countCommands(t, server.port)
  const opened = redisStorage(t, counter, PREFIX)
  const storage = patient(opened)
  await storage.probe()
  await redis.flushall()
  const cost = async (run: () => Promise<unknown>) => {
    counter.take()
    counter.takeBytes()
    const before = await callsIn(redis)
    await run()
    return {
      commands: counter.take().length,
      ...counter.takeBytes(),
      calls: (await callsIn(redis)) - before,
    }
  }
  return { storage, cost }
}

const LENGTH = `
  local length = #KEYS[1]
  local is_hash = redis.call('TYPE', KEYS[1]).ok == 'hash'
  local found = is_hash and redis.call('HGETALL', KEYS[1]) or redis.call('ZRANGE', KEYS[1], 0, -1)
  for _, text in ipairs(found) do length = length + #text end
  return length`

/** The number of keys with this text, and the length of these keys and of all that they hold. */
async function sizeOf(text = '') {
  const keys = await redis.keys(`${PREFIX}*${text}*`)
  const lengths = await Promise.all(keys.map((key) => redis.eval(LENGTH, 1, key)))
  return { keys: keys.length, length: lengths.reduce<number>((sum, length) => sum + Number(length), 0) }
}

// A text of one length for each number.
const padded = (number: number) => String(number).padStart(5, '0')

t.test('a refresh costs the same after 2,000 rotations as after 50, and leaves the same', async (t) => {
  const { storage, cost } = await open(t)
  const { grant, refresh_token } = await signIn(storage)
  let presented = refresh_token
  const rotate = async (operation: number) => {
    const { access_token: _, ...jwt } = refreshing(grant, `operation ${padded(operation)}`)
    const { outcome } = await useRefreshToken(storage, presented, jwt)
    if (outcome !== 'ok') throw new Error(`the refresh is ${outcome}`)
    presented = jwt.successor
  }
  const found = []
  let rotations = 0
  for (const target of [FEW, MANY]) {
    while (rotations < target) await rotate(rotations++)
    found.push({ ...(await cost(() => rotate(rotations++))), ...(await sizeOf(`{${grant}}`)) })
  }
  t.strictSame(found[1], found[0])
})

t.test('a full family has the same size and cost, however many access tokens it got', async (t) => {
  const { storage, cost } = await open(t)
  const { grant, refresh_token } = await signIn(storage)
  // Each lives longer than the one before.
  const add = (number: number) => addAccessToken(storage, refresh_token, 900 + number)
  const found = []
  let tokens = 0
  for (const target of [MAX_LIVE_TOKENS + FEW, MAX_LIVE_TOKENS + MANY]) {
    while (tokens < target) await add(tokens++)
    found.push({ ...(await cost(() => add(tokens++))), ...(await sizeOf(`{${grant}}`)) })
  }
  t.strictSame(found[1], found[0])
})

t.test('2,000 access tokens take as much for each as 50, and nothing besides', async (t) => {
  const { storage } = await open(t)
  const found = []
  let tokens = 0
  for (const target of [FEW, MANY]) {
    for (; tokens < target; tokens++) await issueClientToken(storage)
    const { keys, length } = await sizeOf()
    found.push({ keys: keys / tokens, length: length / tokens })
  }
  t.equal(found[0]?.keys, 1)
  t.strictSame(found[1], found[0])
})

const client = parseClient(
  'any',
  formatClient({ ...CLIENTS.app, client_id: 'any', backchannel_logout_uri: 'https://a.example/out' }),
)
if (!client.ok) throw new Error('the client of this test is malformed')
const LISTENING = client.record

/** A session with this number of clients, each with a family. */
async function sessionOf({ storage }: Awaited<ReturnType<typeof open>>, count: number) {
  const names = Array.from({ length: count }, (_, i) => `client-${padded(i)}`)
  const families = new Map(names.map((client_id) => [newFamilyId(), { client_id, joined_at: Date.now() }]))
  const cookie = newCookieValue()
  const id = sessionIdOf(cookie)
  await createSession(storage, id, session({ clients: new Set(names), families }), 3600)
  const context = {
    storage,
    settings: completeSettings({ issuer: 'https://a.example' }),
    clients: { find: async (client_id: string) => ({ ...LISTENING, client_id }) },
    logouts: new EventEmitter<{ queued: [] }>(),
    log: SILENT,
    now: Date.now,
  }
  return { context, cookie, id }
}

t.test('a session with 1,000 clients takes as much for each as one with 50', async (t) => {
  const opened = await open(t)
  const { storage, cost } = opened
  const found = []
  // At first Redis does not have the scripts.
  for (const count of [1, FEW, 1000]) {
    const { context, cookie, id } = await sessionOf(opened, count)
    const { length } = await sizeOf(id)
    const read = await cost(() => useSessionFor(storage, id, 3600, 'client-00000'))
    const asked = await useSessionFor(storage, id, 3600, 'client-of-the-request')
    if (asked === undefined) throw new Error('the session has ended')
    const join = await cost(() => joinSession(context, { ...asked, id }, 'client-of-the-request'))
    const join_family = await cost(() =>
      joinSession(context, { ...asked, id }, 'client-00000', newFamilyId()),
    )
    const end = await cost(() => endSession(context, cookie))
    found.push({ count, length, read, join, join_family, end })
  }
  const [, few, many] = found
  if (few === undefined || many === undefined) throw new Error('nothing was measured')
  t.strictSame(many.read, few.read, 'an authorization request reads the same')
  t.strictSame(many.join, few.join, 'a client that joins sends the same')
  const { received, ...sent } = few.join_family
  t.match(many.join_family, sent, 'with a family, only the answer grows')
  const more = many.count - few.count
  t.equal((many.length - few.length) % more, 0, 'each client takes the same')
  t.ok(
    (many.length - few.length) / more <= 100,
    `${(many.length - few.length) / more} characters for each client`,
  )
  // One for each family, and one for the notices of 50 clients.
  t.equal(many.end.commands - few.end.commands, more + more / 50)
})

t.test('taking and finishing a notice costs the same with 2,000 queued ones as with 50', async (t) => {
  const { storage, cost } = await open(t)
  const found = []
  let queued = 0
  // At first Redis does not have the scripts.
  for (const target of [10, FEW, MANY]) {
    for (; queued < target; queued++) {
      const notice = { client_id: 'app', sub: 'alice', sid: padded(queued), attempts: 0 }
      await queueLogouts(storage, [{ id: padded(queued), ...notice }])
    }
    const taken = await cost(async () => {
      const notices = await claimLogouts({ queue: storage.queue, log: SILENT }, 10, 60)
      await finishLogouts(storage, ...notices)
    })
    found.push(taken)
  }
  t.strictSame(found[2], found[1])
})
