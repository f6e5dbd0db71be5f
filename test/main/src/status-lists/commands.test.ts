// What a bit in a status list costs a request, in commands to Redis: nothing, but for a token that leaves no record.
import t from 'tap'
import { countCommands, countWith } from '../../../support/command-counter.ts'
import { startReplica } from '../../../support/lifecycle.ts'
import { changeClient, watchesAll } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import { basic } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

t.test('a code exchange, a refresh and an end cost one command, as without a list', async (t) => {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port, 'activity:')
  const storage = redisStorage(t, counter, 'test:')
  const service = await startReplica(
    t,
    { open: () => storage },
    {
      ...{ access_token_format: 'jwt', status_lists: 'on', backchannel: { timing: { poll: 3600 } } },
      // Nor are lists written meanwhile.
      list_timing: { written_every: 3_600_000, read_every: 3_600_000 },
    },
  )
  await until('the cached records are watched', () => watchesAll(storage))
  const count = countWith(storage, counter)
  const own = { grant_type: 'client_credentials' }
  for (const status_list of ['true', 'false']) {
    const has = status_list === 'true'
    const clients = ['app', 'service']
    for (const client of clients) await changeClient(storage, client, { set: { status_list } })
    const { clients: registry } = service.fastify.redmint
    // Records that were just written are not cached until their notices have arrived.
    await until('both records are cached as they are', async () => {
      for (const client of clients) await registry.find(client)
      return clients.every((client) => registry.cached(client)?.status_list === has)
    })
    const { refresh_token } = await service.signIn()
    await service.refresh('app', refresh_token)
    const rows = {
      'client credentials': [has ? 1 : 0, async () => () => service.token(own, basic('service'))],
      'code exchange': [
        1,
        async () => {
          const code = await service.codeFor('app')
          return () => service.redeem('app', code)
        },
      ],
      refresh: [
        1,
        async () => {
          const { refresh_token } = await service.signIn()
          return () => service.refresh('app', refresh_token)
        },
      ],
      revocation: [
        1,
        async () => {
          const { access_token } = await service.signIn()
          return () => service.revoke('app', access_token)
        },
      ],
    } as const
    for (const [name, [expected, prepare]] of Object.entries(rows)) {
      await (await prepare())()
      const { commands, answer } = await count(prepare)
      t.equal(answer.status, 200, name)
      t.equal(commands.length, expected, `${name}, ${has}: ${commands.join(', ')}`)
    }
  }
})
