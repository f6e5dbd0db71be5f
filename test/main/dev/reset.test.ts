import t from 'tap'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import {
  BATCH,
  clientToken,
  introspect,
  postForm,
  refresh,
  SHOP,
  startDev,
  userinfo,
} from '../../support/dev.ts'

const wrongSecret = (redmint: { issuer: string }) =>
  postForm(redmint, '/oauth2/token', {
    ...{ grant_type: 'client_credentials', client_id: BATCH, client_secret: 'wrong' },
  })

t.test('everything with an end follows the clock', async (t) => {
  const redmint = await startDev(t)
  const opaque = await redmint.token({ client: SHOP, user: 'alice', format: 'opaque' })
  const jwt = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  await redmint.clock.advance(600)
  for (const { access_token } of [opaque, jwt]) t.equal((await userinfo(redmint, access_token)).status, 200)
  await redmint.clock.advance(400)
  for (const { access_token } of [opaque, jwt]) {
    t.equal((await userinfo(redmint, access_token)).status, 401)
    t.match(await introspect(redmint, access_token), { active: false })
  }
  const next = (await (await refresh(redmint, opaque.refresh_token)).json()) as { refresh_token: string }
  await redmint.clock.advance(31 * 86_400)
  t.equal((await refresh(redmint, next.refresh_token)).status, 400)
  t.equal((await clientToken(redmint)).status, 200, 'the server goes on')
  await redmint.clock.advance(365 * 86_400)
  const later = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  t.equal((await userinfo(redmint, later.access_token)).status, 200, 'with keys of its own time')
})

t.test('a reset forgets what came since the start, in this process too', async (t) => {
  const redmint = await startDev(t, { settings: { client_auth_failures: 2 } })
  const { access_token, refresh_token } = await redmint.token({ client: SHOP, user: 'alice' })
  for (const status of [401, 401, 429]) t.equal((await wrongSecret(redmint)).status, status)
  t.equal((await clientToken(redmint)).status, 429, 'the client is locked out')
  await redmint.fault('token', 'cut', 3)
  await redmint.clock.advance(100 * 86_400)
  const ahead = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  await redmint.reset()
  t.same(await redmint.log(), [])
  t.equal((await clientToken(redmint)).status, 200, 'nobody is locked out')
  t.equal((await userinfo(redmint, access_token)).status, 401)
  t.equal((await refresh(redmint, refresh_token)).status, 400)
  t.equal((await userinfo(redmint, ahead.access_token)).status, 401, 'nor is there a token of the time after')
  const again = await redmint.token({ client: SHOP, user: 'alice', format: 'jwt' })
  t.equal((await userinfo(redmint, again.access_token)).status, 200)
  const iatOf = (jwt: string) => Number(decodeJwt(jwt)?.claims.iat)
  t.ok(iatOf(again.access_token) < iatOf(ahead.access_token), 'the clock is that of the system again')
  for (const status of [401, 401, 429]) t.equal((await wrongSecret(redmint)).status, status)
})

t.test('servers of one process share nothing', async (t) => {
  const servers = []
  for (let i = 0; i < 10; i++) servers.push(await startDev(t))
  const [first, ...others] = servers
  if (first === undefined) throw new Error('no server')
  const { access_token } = await first.token({ client: SHOP, user: 'alice', format: 'jwt' })
  await first.fault('token', 'status', 100)
  await first.clock.advance(3600)
  t.equal((await clientToken(first)).status, 503)
  const kids = new Set<string>()
  for (const other of others) {
    t.equal((await clientToken(other)).status, 200)
    t.equal((await userinfo(other, access_token)).status, 401)
    t.match(await introspect(other, access_token), { active: false })
    const { access_token: own } = await other.token({
      client: SHOP,
      user: 'alice',
      format: 'jwt',
      expires_in: 60,
    })
    t.equal((await userinfo(other, own)).status, 200)
    kids.add(JSON.parse(Buffer.from(own.split('.')[0] ?? '', 'base64url').toString()).kid)
    t.equal((await other.log()).length, 4)
  }
  t.equal(kids.size, others.length, 'each has its own key')
  t.equal((await first.log()).length, 1)
})
