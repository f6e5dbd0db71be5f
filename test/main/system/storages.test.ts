// One sign-in from its code to its end on each kind of storage, in both access token formats. contract/ tests what
// each single call guarantees.
import t, { type Test } from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import type { RedisLocation } from '../../../src/config/redis-location.ts'
import { SILENT } from '../../../src/core/log.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { ACCEPTED, accepts, dead, refused } from '../../support/expect.ts'
import { startReplica, tokensOf } from '../../support/lifecycle.ts'
import { startCluster, startRedis, startSentinel } from '../../support/redis-server.ts'
import { basic } from '../../support/service.ts'

const HOST = '127.0.0.1'
const hostAndPort = ({ port }: { port: number }) => ({ host: HOST, port })

const LOCATIONS: Record<string, (t: Test) => Promise<RedisLocation>> = {
  'one Redis': async (t) => ({ kind: 'single', url: (await startRedis(t)).url }),
  Sentinel: async (t) => {
    const { name, watchers } = await startSentinel(t)
    return { kind: 'sentinel', name, sentinels: watchers.map(hostAndPort) }
  },
  'Redis Cluster': async (t) => ({
    kind: 'cluster',
    nodes: (await startCluster(t)).masters.map(hostAndPort),
  }),
}

for (const [kind, start] of Object.entries(LOCATIONS)) {
  t.test(kind, async (t) => {
    const location = await start(t)
    const place = {
      open(t: Test) {
        const storage = openRedis(location, new RedisKeys('redmint:'), SILENT)
        t.teardown(() => storage.close())
        return storage
      },
    }
    for (const access_token_format of ACCESS_TOKEN_FORMATS) {
      const options = { access_token_format, bearer_check_revocation: true }
      const [one, other] = [await startReplica(t, place, options), await startReplica(t, place, options)]
      for (const client of ['app', 'web'] as const) {
        const code = await one.codeFor(client)
        const first = tokensOf(await other.redeem(client, code))
        t.strictSame(await accepts(one, first.access_token), ACCEPTED, `${client}, ${access_token_format}`)
        const second = tokensOf(await one.refresh(client, first.refresh_token))
        t.strictSame(await accepts(other, second.access_token), ACCEPTED, 'refreshed')
        t.equal((await other.redeem(client, code)).json.error, 'invalid_grant', 'the code is replayed')
        await dead(t, one, [first, second], 'the replay revokes the family')

        const third = await other.signIn(client)
        t.equal((await one.revoke(client, third.refresh_token)).status, 200)
        refused(t, await other.refresh(client, third.refresh_token), 'revoked')
        await dead(t, other, [third], 'a revocation revokes the family')
      }
      const own = await one.token({ grant_type: 'client_credentials' }, basic('service'))
      t.match(await accepts(other, String(own.json.access_token)), { api: 200, active: true })
    }
  })
}
