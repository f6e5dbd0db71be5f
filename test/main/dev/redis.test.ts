import t from 'tap'
import { BATCH, introspect, refresh, SHOP, startDev, userinfo } from '../../support/dev.ts'
import { startRedis } from '../../support/redis-server.ts'

t.test('with a Redis, all but its clock and its records can be controlled', async (t) => {
  const { url } = await startRedis(t)
  const redmint = await startDev(t, { redis: url })
  for (const format of ['opaque', 'jwt'] as const) {
    const { access_token, refresh_token } = await redmint.token({ client: SHOP, user: 'alice', format })
    t.equal((await userinfo(redmint, access_token)).status, 200)
    t.equal((await refresh(redmint, refresh_token)).status, 200)
    const revoked = await redmint.token({ client: BATCH, format, fault: 'revoked' })
    t.match(await introspect(redmint, revoked.access_token), { active: false })
  }
  t.equal((await redmint.signIn('alice')).length, 2)
  await redmint.fault('token', 'status')
  t.equal((await refresh(redmint)).status, 503)
  t.equal((await redmint.log()).at(-1)?.fault, 'status')
  const refused = {
    name: 'ControlError',
    message: /needs storage in memory: start the server without a Redis/,
  }
  await t.rejects(redmint.clock.advance(1), refused)
  await t.rejects(redmint.reset(), refused)
})
