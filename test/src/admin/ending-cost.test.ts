// What an operator ends costs the request the same however much there is.
import { Redis } from 'ioredis'
import t from 'tap'
import { SESSION } from '../../../src/sessions/session-record.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'
import { onRedis } from '../../support/matrix.ts'
import { operatorOn } from '../../support/operator.ts'
import { issueClientToken } from '../../support/records.ts'
import { callsIn } from '../../support/redis-calls.ts'

const MANY = 1000

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
      const lists = [{ list: 'sessions-of' as const, owner: name, id, until: Date.now() + 600_000 }]
      await storage.records.put({ kind: SESSION, id, hash: { username: name }, ttl: 600, lists })
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
  for (const operation of ['delete_client', 'disable_client', 'delete_user', 'disable_user', 'end_user']) {
    const [one, many] = [await costOf(operation, 1), await costOf(operation, MANY)]
    // Servers begin with the rest in the background: a part of it may be counted, and is far less than one for each.
    t.ok(many < one + MANY / 10, `${operation}: ${one} and ${many}`)
  }
})
