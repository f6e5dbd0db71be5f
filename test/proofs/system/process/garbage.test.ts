// What requests make is garbage a moment later, and the collector is to find it among what is young. These are bytes.
import { Agent, request } from 'node:http'
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { nodeArgs, ROOT, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient } from '../../../support/server.ts'
import { basic, CLIENTS } from '../../../support/service.ts'

const CONNECTIONS = 16
const WARM = 8000
const COUNTED = 8000
/** Of a request, that are kept beyond the next collections. Without the flag of server.ts they are 300. */
const MOST_KEPT = 60

t.test('what a request makes does not become old', async (t) => {
  const redis = await startRedis(t)
  const client = { ...CLIENTS.web, client_id: 'job' }
  await registerClient(redis, client)
  const args = ['--trace-gc', '--trace-gc-nvp', ...nodeArgs('server.ts')]
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
  const askFor = async (count: number) => {
    let left = count
    const statuses = new Set<number | undefined>()
    const all = Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) statuses.add(await ask())
    })
    await Promise.all(all)
    return [...statuses]
  }
  t.strictSame(await askFor(WARM), [200])
  const before = server.stdout.length
  t.strictSame(await askFor(COUNTED), [200])
  const kept = [...server.stdout.slice(before).matchAll(/ gc=s .* promoted=(\d+) /g)].map(([, bytes]) =>
    Number(bytes),
  )
  t.ok(kept.length > 2, `${kept.length} collections`)
  const of_request = kept.reduce((sum, bytes) => sum + bytes, 0) / COUNTED
  t.ok(of_request < MOST_KEPT, `${Math.round(of_request)} bytes of a request`)
})
