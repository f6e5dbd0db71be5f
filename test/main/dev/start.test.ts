// A server for development in this process: where it may start, what it has, its clock and its reset.
import t, { type Test } from 'tap'
import { placeOf } from '../../../dev/options.ts'
import { type StartOptions, startRedmint } from '../../../dev/start.ts'
import { DEMO_API, DEMO_SERVICE, DEMO_WEB } from '../../../src/demo/demo-clients.ts'
import { createResourceServer } from '../../../src/resource-server/create.ts'
import { freePort } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { redisStorage } from '../../support/redis-storage.ts'
import {
  makeKey,
  signWith,
  startAuthorizationServer,
} from '../../support/resource-server/authorization-server.ts'
import { useTestKeys } from '../../support/service.ts'
import { until } from '../../support/until.ts'

async function start(t: Test, options: StartOptions = {}) {
  const redmint = await startRedmint(options)
  t.teardown(() => redmint.close())
  const post = async (path: string, form: Record<string, string>, [name, secret] = ['', '']) => {
    const answer = await fetch(redmint.issuer + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: name ? { authorization: `Basic ${btoa(`${name}:${secret}`)}` } : {},
    })
    return { status: answer.status, json: (await answer.json().catch(() => ({}))) as Record<string, string> }
  }
  const service: [string, string] = [DEMO_SERVICE.client_id, DEMO_SERVICE.client_secret]
  const tokenFor = async (more: Record<string, string> = {}) => {
    const { json } = await post('/oauth2/token', { grant_type: 'client_credentials', ...more }, service)
    return json.access_token ?? ''
  }
  const isActive = async (token: string) =>
    String((await post('/oauth2/introspect', { token }, service)).json.active)
  return { redmint, post, tokenFor, isActive }
}

const { resource } = DEMO_API

t.test(
  'D1: it starts on this machine, and elsewhere only for a private network that it is told of',
  async (t) => {
    const refused: [options: StartOptions, problem: RegExp][] = [
      [{ host: 'auth.example.com' }, /neither on loopback nor a name of a private network/],
      [{ host: 'auth.example.com', expose: true }, /neither on loopback/],
      [{ host: '192.0.2.7', expose: true }, /neither on loopback/],
      [{ host: 'auth.evil.test.example', expose: true }, /neither on loopback/],
      [{ host: 'auth' }, /whoever reaches it gets any token: add --expose/],
      [{ host: '0.0.0.0' }, /add --expose/],
      [{ host: '::' }, /add --expose/],
      [{ host: '0.0.0.0', expose: true }, /name the host by which others reach it/],
      [{ port: 65_536 }, /port must be from 0 to 65535/],
    ]
    for (const [options, problem] of refused)
      await t.rejects(startRedmint(options), problem, JSON.stringify(options))
    for (const NODE_ENV of ['production', ' Production'])
      t.throws(() => placeOf({}, { NODE_ENV }), /NODE_ENV is production: .* gives anybody any token/)
    const { redmint } = await start(t, { host: 'auth.internal', expose: true })
    t.match(redmint.issuer, /^http:\/\/auth\.internal:\d+$/)
    t.match(redmint.settings, { demo: 'private' })
    const at = `http://127.0.0.1:${new URL(redmint.issuer).port}/.well-known/openid-configuration`
    t.match(await (await fetch(at)).json(), { issuer: redmint.issuer, redmint_dev: true })
  },
)

t.test('D1: it does not use the Redis of a server, and a server not that of a demonstration', async (t) => {
  const server = await startRedis(t)
  const options = { redis: server.url }
  const storage = redisStorage(t, server, 'taken:')
  await useTestKeys(storage)
  // What starts all the same ends with the test.
  await t.rejects(
    start(t, { ...options, redis_key_prefix: 'taken:' }),
    /has the records of a server: its signing key \S+ was not made in demo mode/,
  )
  const prepared = redisStorage(t, server, 'prepared:')
  const { CLIENT } = await import('../../../src/clients/record/client-kind.ts')
  await prepared.records.put({ kind: CLIENT, id: 'shop', hash: { client_id: 'shop' } })
  await t.rejects(
    start(t, { ...options, redis_key_prefix: 'prepared:' }),
    /has the client shop and no keys of demo mode/,
  )
  const first = await start(t, options)
  t.equal(await first.isActive(await first.tokenFor()), 'true')
  await t.rejects(first.redmint.reset(), /needs storage in memory/)
  await t.rejects(first.redmint.clock.advance(1), /needs storage in memory/)
  await first.redmint.close()
  const second = await start(t, options)
  t.equal(await second.isActive(await second.tokenFor()), 'true', 'its own records are no obstacle')
})

t.test('D3: an API refuses it unless it is told, also behind a copy of its keys', async (t) => {
  const { redmint, tokenFor } = await start(t)
  const token = await tokenFor({ resource })
  const request = { method: 'GET', url: '/', headers: { authorization: `Bearer ${token}` } }
  const { issuer } = redmint
  const told = createResourceServer({ issuer, resource, dev: 'allow' })
  t.match((await told.verify(request as never)).client_id, DEMO_SERVICE.client_id)
  const untold = createResourceServer({ issuer, resource })
  const refusal = await untold.verify(request as never).catch((error) => error)
  t.equal(untold.answer(refusal).status, 503)
  t.match(String(refusal.cause?.message ?? refusal.cause), /is a server for development.*set dev: 'allow'/)

  const copy = await startAuthorizationServer(t)
  const key = makeKey('dev-copied')
  copy.state.keys = [key]
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: copy.issuer,
    aud: resource,
    sub: 'a',
    client_id: 'a',
    jti: 'j',
    iat: now,
    exp: now + 60,
  }
  const behind = { ...request, headers: { authorization: `Bearer ${signWith(key, claims)}` } }
  const api = createResourceServer({ issuer: copy.issuer, resource })
  t.equal(api.answer(await api.verify(behind as never).catch((error) => error)).status, 401)
  const lax = createResourceServer({ issuer: copy.issuer, resource, dev: 'allow' })
  t.equal((await lax.verify(behind as never)).subject, '')
})

t.test('a port that is taken is named, with what to do', async (t) => {
  const { redmint } = await start(t)
  const port = Number(new URL(redmint.issuer).port)
  await t.rejects(startRedmint({ port }), {
    name: 'ConfigError',
    message: new RegExp(`port ${port} on localhost cannot be used: another program listens there`),
  })
})

t.test('its keys say what they are', async (t) => {
  const { redmint } = await start(t)
  const { keys } = (await (await fetch(`${redmint.issuer}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[]
  }
  t.ok(keys.length > 0 && keys.every(({ kid }) => kid.startsWith('dev-')))
})

t.test('D8: a reset forgets all but the seed, and a clock moves what has an end', async (t) => {
  const seed = {
    clients: [
      {
        client_id: 'shop',
        client_name: 'Shop',
        is_public: true,
        redirect_uris: ['http://localhost/cb'],
        allowed_scopes: ['openid'],
      },
    ],
    users: [{ username: 'bob', name: 'Bob' }],
  }
  const { redmint, tokenFor, isActive } = await start(t, { seed })
  const authorize = async (client_id: string) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: 'http://localhost:5173/cb',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      subject: 'bob',
    })
    const url = `${redmint.issuer}/oauth2/authorize?${query}`
    return (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
  }
  t.match(await authorize('shop'), /^http:\/\/localhost:5173\/cb\?code=/, 'any port of this machine')
  const token = await tokenFor()
  t.equal(await isActive(token), 'true')
  await redmint.clock.advance(899)
  t.equal(await isActive(token), 'true')
  await redmint.clock.advance(2)
  t.equal(await isActive(token), 'false', 'ended by the clock')
  const later = await tokenFor()
  await redmint.clock.advance(400 * 86_400)
  t.equal(await isActive(await tokenFor()), 'true', 'it still serves after a year')
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    await t.rejects(redmint.clock.advance(wrong), /ahead only|at least 0/)

  await redmint.reset()
  t.equal(await isActive(later), 'false', 'forgotten')
  t.match(await authorize('shop'), /code=/, 'the seed is there again')
  t.equal(await isActive(await tokenFor()), 'true')
})

t.test('a seed that is wrong is refused with all its problems', async (t) => {
  const seed = { clients: [{ client_id: 'a', redirect_uri: 'x' }], unknown: [] }
  await t.rejects(startRedmint({ seed }), /unknown/)
  await t.rejects(startRedmint({ seed: 'clients: [' }), /YAML/)
})

t.test('--for registers a client and gives what to paste', async (t) => {
  const { redmint } = await start(t, { for: 'express', origin: 'http://localhost:8080' })
  t.match(redmint.pasted, /^Settings for /)
  t.match(redmint.pasted, redmint.issuer)
  t.notMatch(redmint.pasted, /<client_secret>/)
})

t.test('the clients of demo mode get tokens', async (t) => {
  const { post } = await start(t)
  const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://localhost/callback' }
  const known = await post('/oauth2/token', form, [DEMO_WEB.client_id, DEMO_WEB.client_secret])
  t.not(known.json.error, 'invalid_client', 'it is known')
  t.match(await post('/oauth2/token', form, [DEMO_WEB.client_id, 'wrong']), {
    json: { error: 'invalid_client' },
  })
})

t.test('who asks while it starts gets the answer once it is whole', async (t) => {
  const port = await freePort()
  const starting = startRedmint({ port })
  let status: number | undefined
  await until('it is asked', () =>
    fetch(`http://localhost:${port}/.well-known/openid-configuration`).then(
      (answer) => {
        status = answer.status
        return true
      },
      () => false,
    ),
  )
  t.equal(status, 200)
  await (await starting).close()
})
