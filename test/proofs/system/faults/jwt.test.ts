// JWTs while Redis is unavailable: none is issued, and existing ones are verified for a limited time
// (docs/decisions/0011-jwts-while-redis-is-away.md).

import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { STALE_AFTER } from '../../../../src/keys/timing.ts'
import { ready } from '../../../support/faults/requests.ts'
import { type Lifecycle, placeOn, startReplica } from '../../../support/lifecycle.ts'
import { isWatching } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { basic, bearer } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const JWT = { access_token_format: 'jwt' } as const

const ask = ({ token }: Lifecycle) => token({ grant_type: 'client_credentials' }, basic('service'))
const call = async ({ get }: Lifecycle, token: string) => (await get('/api/resource', bearer(token))).status

t.test('no JWT is issued without Redis, and existing ones are verified for five minutes', async (t) => {
  const redis = await startRedis(t)
  const place = placeOn(redis)
  let ahead = 0
  const now = () => Date.now() + ahead
  const service = await startReplica(t, place, { ...JWT, now })
  const asking = await startReplica(t, place, { ...JWT, now, bearer_check_revocation: true })
  await until('client records are watched', () => isWatching(service.storage) && isWatching(asking.storage))
  const own = String((await ask(service)).json.access_token)
  const { access_token } = await service.signIn('web')
  t.equal((await ask(service)).status, 200, 'from the cached record')
  await redis.cli('SAVE')

  await redis.stop()
  await until('that is noticed', () => !isWatching(service.storage) && !isWatching(asking.storage))
  t.match(await ask(service), { status: 503, json: { error: 'temporarily_unavailable' } }, 'none is issued')
  for (const token of [own, access_token]) {
    t.equal(await call(service, token), 200, 'verified without Redis')
    t.equal(await call(asking, token), 503, 'not where its revocation is to be asked')
    t.equal((await service.get('/userinfo', bearer(token))).status, 503)
    t.equal((await service.introspect('gateway', token)).status, 503)
    t.equal((await service.revoke('web', token)).status, 503)
  }
  t.equal(await call(service, `${own}x`), 401, 'a bad one is bad')

  ahead = STALE_AFTER * 1000
  t.equal(await call(service, own), 503, 'its key may have been taken away meanwhile')
  t.equal((await service.get('/.well-known/jwks.json')).status, 503)

  ahead = 0
  await redis.restart()
  await ready(service)
  t.equal(await call(service, own), 200)
  t.equal((await ask(service)).status, 200)
})

t.test('a client that was disabled during the outage gets no JWT', async (t) => {
  const redis = await startRedis(t)
  const place = placeOn(redis)
  const service = await startReplica(t, place, JWT)
  const key = place.redis?.keys.record(CLIENT, 'service') ?? ''
  // After its restart Redis has a different record than before.
  await redis.cli('HSET', key, 'disabled', 'true')
  await redis.cli('SAVE')
  await redis.cli('HSET', key, 'disabled', 'false')
  await until('client records are watched', () => isWatching(service.storage))
  await until('it gets one', async () => (await ask(service)).status === 200)

  await redis.restart()
  const statuses = new Set<number>()
  await until('it is told', async () => {
    const { status } = await ask(service)
    statuses.add(status)
    return status === 401
  })
  t.notOk(statuses.has(200), `${[...statuses]}`)
})
