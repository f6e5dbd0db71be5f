// What requests make is garbage a moment later, and is to stay among the young objects of V8.
import { Agent, request } from 'node:http'
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { nodeArgs, ROOT, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'

const CONNECTIONS = 16
/** So many that the young objects fill their space several times. */
const REQUESTS = 8000

t.test('what a request makes is not made among old objects', async (t) => {
  const redis = await startRedis(t)
  await registerClient(redis, { ...CLIENTS.web, client_id: 'job' })
  const args = ['--trace-gc', '--trace-pretenuring-statistics', ...nodeArgs('server.ts')]
  const server = await startServer(t, { REDIS_URL: redis.url, REQUEST_LOG: 'failed' }, { args, cwd: ROOT })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  t.teardown(() => agent.destroy())
  const { authorization } = basic('job')
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const ask = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { method: 'POST', path: PATHS.token, port: server.port, agent, headers }
      request(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
        .on('error', reject)
        .end('grant_type=client_credentials')
    })
  let left = REQUESTS
  const statuses = new Set<number | undefined>()
  const all = Array.from({ length: CONNECTIONS }, async () => {
    while (left-- > 0) statuses.add(await ask())
  })
  await Promise.all(all)
  t.strictSame([...statuses], [200])
  t.ok((server.stdout.match(/: Scavenge /g)?.length ?? 0) > 1, 'V8 collected young objects')
  t.notMatch(server.stdout, /AllocationSite.* => tenure/, 'and decided of none that it is old from its start')
})
