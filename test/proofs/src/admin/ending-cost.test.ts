// What an operator ends costs the request the same however much there is.
import { Redis } from 'ioredis'
import t from 'tap'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { grantListings } from '../../../../src/tokens/grant-listings.ts'
import { onRedis } from '../../../support/matrix.ts'
import { operatorOn } from '../../../support/operator.ts'
import { issueClientToken } from '../../../support/records.ts'
import { callsIn } from '../../../support/redis-calls.ts'

const MANY = 1000

function sessionOf(username: string, sid: string) {
  const at = Date.now()
  const times = { auth_time: Math.floor(at / 1000), started_at: at, ends_at: at + 600_000 }
  const joined = { clients: new Set<string>(), families: new Map() }
  return { sid, username, sub: username, amr: 'pwd', acr: '1', ...times, ...joined }
}

onRedis(t, 'ending 1,000 of a client or user takes as many commands as ending one', async (t, place) => {
  const { storage, server } = place
  const { run } = operatorOn(storage)
  const redis = new Redis(server.url)
  t.teardown(() => redis.disconnect())
  let owners = 0

  /** A client and a user of that name, with so many tokens, sessions and grants. */
  const populate = async (count: number) => {
    owners += 1
    const name = `owner-${owners}`
    await run('create_client', { body: { client_id: name } })
    await run('create_user', { body: { username: name } })
    const grant = { client_id: name, username: name, started_at: Date.now() }
    for (let i = 0; i < count; i += 1) {
      await issueClientToken(storage, { client_id: name })
      await storage.lists.add(...grantListings({ ...grant, family: String(i).padStart(16, 'f') }, 600))
      const id = `${name}-${i}`
      await createSession(storage, id, sessionOf(name, id), 600)
    }
    return name
  }
  const costOf = async (operation: string, count: number) => {
    const name = await populate(count)
    const params = operation.includes('client') ? { client_id: name } : { username: name }
    const { version } = operation.includes('client')
      ? await run('read_client', { params })
      : await run('read_user', { params })
    const before = await callsIn(redis)
    await run(operation, { params, version })
    return (await callsIn(redis)) - before
  }
  const operations = [
    'delete_client',
    'disable_client',
    'end_grants_of_client',
    'delete_user',
    'disable_user',
  ]
  for (const operation of [...operations, 'end_user', 'end_sessions', 'end_grants_of_user']) {
    const [one, many] = [await costOf(operation, 1), await costOf(operation, MANY)]
    // Servers begin with the rest in the background: a part of it may be counted, and is far less than one for each.
    t.ok(many < one + MANY / 10, `${operation}: ${one} and ${many}`)
  }
})
