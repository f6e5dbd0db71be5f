// D8: a hundred suites in one process, each with a server of its own.
import t from 'tap'
import { type Redmint, startRedmint } from '../../../exports/testing.ts'
import { clientToken, introspect, SEED, SHOP, userinfo } from '../../support/dev.ts'

const SERVERS = 100

t.test('D8: of a hundred servers in one process, none knows what is of another', async (t) => {
  const servers: Redmint[] = []
  t.teardown(() => Promise.all(servers.map((one) => one.close())))
  for (let i = 0; i < SERVERS; i++) {
    const [shop, ...others] = SEED.clients
    const own = { ...shop, client_id: `${SHOP}-${i}` }
    servers.push(await startRedmint({ seed: { ...SEED, clients: [own, ...others] } }))
  }
  t.equal(new Set(servers.map(({ issuer }) => issuer)).size, SERVERS)
  t.equal(new Set(servers.map(({ control_token }) => control_token)).size, SERVERS)
  const tokens = await Promise.all(
    servers.map((one, i) => one.token({ client: `${SHOP}-${i}`, user: 'alice', format: 'jwt' })),
  )
  // Every second one fails, and every third one is ahead.
  await Promise.all(
    servers.map(async (one, i) => {
      if (i % 2 === 0) await one.fault('token', 'status', 1000)
      if (i % 3 === 0) await one.clock.advance(3600)
    }),
  )
  const suite = async (one: Redmint, i: number) => {
    const next = (i + 1) % SERVERS
    const access_token = tokens[i]?.access_token ?? ''
    t.equal((await clientToken(one)).status, i % 2 === 0 ? 503 : 200, `${i}: its faults`)
    t.equal((await userinfo(one, access_token)).status, i % 3 === 0 ? 401 : 200, `${i}: its clock`)
    t.equal((await userinfo(one, tokens[next]?.access_token ?? '')).status, 401, `${i}: its tokens`)
    t.match(await introspect(one, tokens[next]?.access_token ?? ''), { active: false })
    await t.rejects(one.token({ client: `${SHOP}-${next}`, user: 'alice' }), /There is no client/)
    const control = { authorization: `Bearer ${servers[next]?.control_token}` }
    t.equal((await fetch(`${one.issuer}/dev/log`, { headers: control })).status, 401, `${i}: its control`)
    t.equal((await one.log()).length, 4, `${i}: its log`)
  }
  await Promise.all(servers.map(suite))
  await servers[0]?.reset()
  t.equal((await servers[1]?.log())?.length, 4, 'a reset is of one')
  t.equal((await userinfo(servers[1] as Redmint, tokens[1]?.access_token ?? '')).status, 200)
})
