// What the account page and its actions cost in commands of Redis, and that it does not grow with what a person has.

import t, { type Test } from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { countCommands, countWith } from '../../../support/command-counter.ts'
import { reportsOf, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, type Visitor } from '../../../support/visitor.ts'

const redis = await startRedis(t)
let services = 0
/** The list of what happened lately, which is written after the answer. */
const LATELY = 'activity:'

async function start(test: Test, sessions: number) {
  const counter = await countCommands(test, redis.port, LATELY)
  const keys = new RedisKeys(`s${services++}:`)
  const storage = redisStorage(test, counter, keys)
  // The last use of a session is written once a minute.
  const at = Date.now()
  const now = () => at
  const service = await scene(test, { storage, now, backchannel: { timing: { poll: 3600 } } })
  await until('the cached records are watched', () => watchesAll(storage))
  const { visitor, afterPassword, redmint } = service
  const alice = visitor()
  const begun = redmint.now() - 3_600_000
  for (let i = 1; i < sessions; i++) {
    const session = {
      sid: `sid-${i}`,
      username: 'alice',
      sub: 'sub-of-alice',
      auth_time: Math.floor(begun / 1000),
      amr: 'pwd',
      acr: '1',
      started_at: begun,
      ends_at: begun + 36_000_000,
      clients: new Set<string>(),
      families: new Map(),
    }
    await createSession(storage, `id-${i}`.padEnd(43, 'x'), session, 36_000)
  }
  asDeparture(await afterPassword(alice))
  const { csrf = '' } = (await alice.page(`${PATHS.account}/password`)).hidden
  const allReported = reportsOf(storage)
  const count = countWith(storage, counter)
  /** The commands of the second of two runs: the first loads scripts, and caches records. */
  const cost = async (send: (person: Visitor) => Promise<{ status: number }>, runs = 2) => {
    let taken: string[] = []
    for (let run = 0; run < runs; run++) {
      const { answer, commands } = await count(async () => {
        await allReported()
        return () => send(alice)
      })
      if (answer.status >= 400) throw new Error(String(answer.status))
      taken = commands
    }
    test.comment(taken.join(', '))
    return taken.length
  }
  const post = (name: string, fields: Record<string, string> = {}) => {
    const body = new URLSearchParams({ csrf, ...fields }).toString()
    return (person: Visitor) => person.request('POST', `${PATHS.account}/${name}`, body)
  }
  return {
    ...service,
    alice,
    cost,
    post,
    get: (path: string) => (person: Visitor) => person.request('GET', PATHS.account + path),
  }
}

t.test('the page and its actions, for one session and for fifty', async (t) => {
  const costs = async (sessions: number) => {
    const { cost, get, post } = await start(t, sessions)
    const pages = {
      overview: await cost(get('')),
      data: await cost(get('/data')),
      password: await cost(get('/password')),
      passkeys: await cost(get('/passkeys')),
      second_step: await cost(get('/second-step')),
    }
    const actions = {
      rename_passkey: await cost(post('rename-passkey', { passkey: 'x', name: 'x' })),
      remove_passkey: await cost(post('remove-passkey', { passkey: 'x' })),
      new_codes: await cost(post('new-codes')),
      // Last, because both wake the worker that does the rest.
      end_application: await cost(post('end-application', { client_id: 'own' })),
      end_session: await cost(post('end-session', { sid: 'sid-1' }), 1),
    }
    return { pages, actions }
  }
  const [one, fifty] = [await costs(1), await costs(50)]
  const pages = { password: 5, passkeys: 7, second_step: 7 }
  // Besides the read of what happened lately. The data have the browsers with notices, too.
  t.strictSame(one.pages, { overview: 7, data: 8, ...pages })
  t.strictSame(fifty.pages, { overview: 56, data: 57, ...pages }, 'a read for each session that is shown')
  for (const { actions } of [one, fifty]) {
    const { rename_passkey, remove_passkey, new_codes } = actions
    t.strictSame([rename_passkey, remove_passkey, new_codes], [2, 5, 4])
    t.ok(actions.end_application < 20, `${actions.end_application}`)
    t.ok(actions.end_session < 75, `${actions.end_session}`)
  }
})

t.test(
  'to sign out everywhere else costs no more for 400 sessions than for 150, and ends all of them',
  async (t) => {
    const taken: number[] = []
    for (const sessions of [150, 400]) {
      const { alice, cost, post, redmint } = await start(t, sessions)
      taken.push(await cost(post('end-others'), 1))
      const left = () => redmint.storage.lists.count({ list: 'sessions-of', owner: 'alice' })
      await until('the rest has ended in the background', async () => (await left()) === 1)
      t.equal((await alice.page(PATHS.account)).title, 'Your account', 'this browser stays')
    }
    // Those of a hundred sessions, and what the worker did meanwhile.
    for (const count of taken) t.ok(count < 1000, `${count}`)
  },
)
