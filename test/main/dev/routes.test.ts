import t from 'tap'
import { OPERATIONS } from '../../../dev/control/operations.ts'
import { Redmint } from '../../../dev/redmint.ts'
import { BATCH, SHOP, startDev, userinfo } from '../../support/dev.ts'

t.test('D2: /dev/ needs its token, takes no page of a browser, and says what it knows', async (t) => {
  const redmint = await startDev(t, { control_token: 'the-token-of-this-test' })
  const own = { authorization: `Bearer ${redmint.control_token}` }
  const send = (path: string, headers: Record<string, string>, body?: unknown) =>
    fetch(`${redmint.issuer}/dev${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  t.equal(redmint.control_token, 'the-token-of-this-test')
  for (const { method, path } of Object.values(OPERATIONS)) {
    const body = method === 'GET' ? undefined : {}
    for (const authorization of [
      undefined,
      'Bearer ',
      'Bearer another-token-of-this-te',
      `Basic ${redmint.control_token}`,
    ]) {
      const refused = await send(path, authorization === undefined ? {} : { authorization }, body)
      t.equal(refused.status, 401, `${path} with ${authorization}`)
    }
    for (const origin of [redmint.issuer, 'null', 'http://localhost:5173']) {
      const refused = await send(path, { ...own, origin }, body)
      t.equal(refused.status, 403, `${path} from ${origin}`)
      t.equal(refused.headers.get('access-control-allow-origin'), null)
    }
  }
  t.equal((await send('/anything', {})).status, 401, 'nor does it say what there is')
  t.equal((await send('/anything', own)).status, 404)

  const issued = await send('/tokens', own, { client: SHOP, user: 'alice' })
  t.equal(issued.status, 200)
  t.equal(issued.headers.get('cache-control'), 'no-store')
  const { access_token } = (await issued.json()) as { access_token: string }
  t.equal((await userinfo(redmint, access_token)).status, 200)

  const refusals = [
    [
      '/tokens',
      { client: SHOP, users: 'alice' },
      400,
      /users is unknown: did you mean user\? \(known: client, user, /,
    ],
    ['/tokens', { user: 'alice' }, 400, /client is missing/],
    ['/tokens', [], 400, /The body must be an object/],
    ['/tokens', '{', 400, /no JSON/],
    ['/tokens', { client: 'nobody' }, 404, /no client nobody/],
    ['/clock', { advance: '60' }, 400, /advance must be number/],
    [
      '/faults',
      { endpoint: 'tokens', fault: 'slow' },
      400,
      /endpoint must be authorization or token or jwks/,
    ],
    ['/reset', { all: true }, 400, /all is unknown \(known: it has none\)/],
  ] as const
  for (const [path, body, status, message] of refusals) {
    const refused = await send(path, own, body)
    t.equal(refused.status, status, String(message))
    t.match(((await refused.json()) as { error_description: string }).error_description, message)
  }
  t.equal(
    (await send('/tokens', { ...own, 'content-type': 'text/plain' }, undefined)).status,
    404,
    'GET is none',
  )
  t.equal((await send('/sign-in', own, { user: 'alice' })).status, 200)
  t.equal((await send('/consents', own, { user: 'alice', client: SHOP })).status, 200)
  t.equal((await send('/mails', own, {})).status, 200)
  t.equal((await send('/faults', own, { endpoint: 'token', fault: 'cut' })).status, 204)
  t.match(await (await send('/clock', own, { advance: 60 })).json(), { now: /^20/ })
  t.equal((await send('/reset', own, {})).status, 204)
  t.same(await (await send('/log', own)).json(), [], 'control itself is not in the log')
})

t.test('each operation has a method, which asks for the same', async (t) => {
  const names = Object.values(OPERATIONS).map(({ call }) => call.replace(/\(.*/, ''))
  t.same(names, [
    'token',
    'signIn',
    'consent',
    'device',
    'ask',
    'mails',
    'clock.advance',
    'fault',
    'log',
    'reset',
  ])
  for (const name of names) t.ok(name === 'clock.advance' || name in Redmint.prototype, name)
  const redmint = await startDev(t)
  await t.rejects(redmint.clock.advance(-1), { message: /advance must be at least 0/ })
  await t.rejects(redmint.fault('userinfo', 'jwks_404'), {
    message: /cannot happen at userinfo, but at jwks/,
  })
  await t.rejects(redmint.fault('token', 'cut', 1, { ms: 1 }), { message: /cut takes no ms/ })
  await t.rejects(redmint.fault('token', 'cut', 0), { message: /times must be at least 1/ })
  await t.rejects(redmint.consent({ user: 'alice', client: SHOP, scope: 'admin' }), {
    message: /invalid_scope/,
  })
  await t.rejects(redmint.consent({ user: 'alice', client: BATCH, resource: 'https://none.example.com' }), {
    message: /invalid_target/,
  })
  await t.rejects(redmint.device('BBBB-BBBB', 'allow', 'alice'), { message: /No device waits/ })
  await t.rejects(redmint.ask('batch', 'allow', 'alice'), { message: /with ASK_PEOPLE=on/ })
  await t.rejects(redmint.signIn('nobody'), { message: /no user nobody/ })
})
