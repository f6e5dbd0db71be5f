// The number of Redis commands of sign-ins with a second step, and of those without one.

import t, { type Test } from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { countCommands, countWith } from '../../../support/command-counter.ts'
import { observed } from '../../../support/observed.ts'
import { reportsOf, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'

import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

/** What a password sign-in costs for which consent is due: it looks whether there is one. */
const PASSWORD_ONLY = 10
const FORM = { username: 'bob', password: 'correct horse battery staple' }

const redis = await startRedis(t)

async function start(t: Test, second_factor: 'off' | 'optional') {
  const counter = await countCommands(t, redis.port)
  const storage = redisStorage(t, counter, `${second_factor}:`)
  const backchannel = { timing: { poll: 3600 } }
  // The list of what happened lately is written after the answer.
  const service = await scene(t, { storage, backchannel, second_factor, account_page: 'off' })
  await until('the cached records are watched', () => watchesAll(storage))
  const allReported = reportsOf(storage)
  const count = countWith(storage, counter)
  /** The commands of the last of three runs: the first load scripts, and cache records. */
  const cost = async (prepare: (person: Visitor) => Promise<() => Promise<unknown>>) => {
    let taken: string[] = []
    for (let run = 0; run < 3; run++) {
      const counted = await count(async () => {
        const send = await prepare(service.visitor())
        await allReported()
        return send
      })
      taken = counted.commands
    }
    return taken
  }
  const fields = (page: { hidden: Record<string, string> }, more: Record<string, string>) =>
    new URLSearchParams({ ...page.hidden, ...more }).toString()
  const post = (person: Visitor, body: string) => () => person.request('POST', '/oauth2/interaction', body)
  const byPassword = (username: string) =>
    cost(async (person) => post(person, fields(await person.page(requestUrl()), { ...FORM, username })))
  return { ...service, cost, fields, post, byPassword }
}

/** A service on a storage, and somebody at its sign-in page. */
async function startOn(t: Test, storage: Storage) {
  const service = await scene(t, { storage, account_page: 'off' })
  const visitor = service.visitor()
  return { visitor, page: await visitor.page(requestUrl({ client_id: 'own' })) }
}

t.test('a second step that is on costs a password sign-in one read', async (t) => {
  const off = await start(t, 'off')
  const on = await start(t, 'optional')
  const [without, with_it] = [await off.byPassword('bob'), await on.byPassword('bob')]
  t.equal(without.length, PASSWORD_ONLY, without.join(', '))
  t.equal(with_it.length, PASSWORD_ONLY + 1, with_it.join(', '))
  await on.setUp()
  const asked = await on.byPassword('alice')
  t.equal(asked.length, 8, `until the code is asked for: ${asked.join(', ')}`)
})

t.test('the factors are read in the round trip in which the account is read after the hash', async (t) => {
  const storage = new MemoryStorage()
  const waiting: string[] = []
  const taken: string[][] = []
  const asked = observed(storage, async (call, run) => {
    if (call === 'read factors') taken.push([...waiting])
    waiting.push(call)
    // Nothing is answered in the turn in which it is asked.
    await new Promise(setImmediate)
    waiting.splice(waiting.indexOf(call), 1)
    return run()
  })
  const { visitor, page } = await startOn(t, asked)
  await signInOn(visitor, page)
  t.strictSame(taken, [['read user']], 'once, beside the account')
  taken.length = 0
  await signInOn(visitor, await visitor.page(requestUrl({ prompt: 'login' })), 'alice', 'a wrong password')
  t.strictSame(taken, [], 'after a right password alone')
})

t.test('the code of an app, and a recovery code, with the answer to the client', async (t) => {
  const { cost, fields, post, setUp, afterPassword } = await start(t, 'optional')
  const spend = (
    name: string,
    codeOf: (app: Awaited<ReturnType<typeof setUp>>) => Promise<string> | string,
  ) =>
    cost(async (person) => {
      const app = await setUp()
      const code = await codeOf(app)
      return post(person, fields(asPage(await afterPassword(person)), { [name]: code }))
    })
  const of_app = await spend('code', ({ code }) => code())
  t.equal(of_app.length, 12, of_app.join(', '))
  const of_paper = await spend('recovery_code', async ({ recovery }) => (await recovery())[0] ?? '')
  // The person is asked for new recovery codes before the client is answered.
  t.equal(of_paper.length, 10, of_paper.join(', '))
})
