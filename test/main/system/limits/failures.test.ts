// The limit of failed client authentications, and what counts as a failure.

import { forEachStorage, MAX, type Request } from '../../../support/limits/service.ts'
import { changeClient, readClient } from '../../../support/records.ts'
import { SECRET } from '../../../support/service.ts'

const OTHER = '192.0.2.2'

forEachStorage('after the limit, guesses get 429 unchecked until the window ends', async (t, start) => {
  const { ask, guess, endWindows } = await start()
  t.equal((await ask()).status, 200, 'the client is known here')
  for (let i = 0; i < MAX; i += 1) t.equal(await guess(), 401, `failure ${i + 1}`)

  const refused = await ask()
  t.equal(refused.status, 429, 'though the secret is right')
  const { 'retry-after': seconds, 'x-request-id': _id, ...headers } = refused.headers
  t.match(String(seconds), /^\d+$/)
  t.ok(Number(seconds) >= 1 && Number(seconds) <= 60, `Retry-After: ${seconds}`)
  const {
    'www-authenticate': _,
    'x-request-id': _other,
    ...usual
  } = (await ask({ by: 'none', client_id: '' })).headers
  t.strictSame(headers, usual, 'no challenge, and nothing about the count')
  t.equal(headers['cache-control'], 'no-store')
  t.strictSame(JSON.parse(refused.body), {
    error: 'temporarily_unavailable',
    error_description: 'Client authentication failed too often from this address: try again later.',
  })
  t.equal((await ask({ from: OTHER })).status, 200, 'the client elsewhere goes on')
  t.equal((await ask({ client_id: 'web' })).status, 200, 'and so does another client from there')

  await endWindows()
  t.equal((await ask()).status, 200, 'the window is over')
  t.equal(await guess(), 401, 'and a new count begins')
})

forEachStorage('a success does not reset the count', async (t, start) => {
  const { ask, guess } = await start()
  for (let i = 0; i < MAX; i += 1) {
    t.equal((await ask()).status, 200)
    t.equal(await guess(), 401)
  }
  t.equal((await ask()).status, 429)
})

forEachStorage('the limit does not reveal which clients exist', async (t, start) => {
  const { ask, storage } = await start()
  await changeClient(storage, 'web', { set: { disabled: 'true' }, unset: [] })
  const answersTo = async (request: Request) => {
    const answers = []
    for (let i = 0; i < MAX + 2; i += 1) {
      const answer = await ask({ client_secret: 'wrong', ...request })
      const { 'retry-after': after, 'x-request-id': _id, ...headers } = answer.headers
      answers.push({ ...answer, headers, hasToWait: after !== undefined })
    }
    return answers
  }
  const expected = await answersTo({ client_id: 'service' })
  t.strictSame(
    expected.map(({ status }) => status),
    [401, 401, 401, 401, 401, 429, 429],
  )
  for (const client_id of ['nobody', 'web', 'app', 'x'.repeat(300), 'sérvice', '__proto__']) {
    t.strictSame(await answersTo({ client_id }), expected, client_id)
  }
})

forEachStorage('each pair of client and address has its own count', async (t, start) => {
  const { storage, guess } = await start()
  const id = 'a client/1'
  const spelled = (user: string) => ({
    by: 'none' as const,
    form: { client_id: id },
    headers: { authorization: `Basic ${Buffer.from(`${user}:wrong`).toString('base64')}` },
  })
  const ways: Request[] = [
    { by: 'basic', path: '/oauth2/token' },
    { by: 'body', path: '/oauth2/revoke' },
    { by: 'body', path: '/oauth2/introspect' },
    spelled('a+client/1'),
    spelled('%61%20client%2F1'),
  ]
  t.equal(ways.length, MAX)
  for (const way of ways) t.equal(await guess({ client_id: id, ...way }), 401)
  for (const way of ways) t.equal(await guess({ client_id: id, ...way }), 429)
  for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect'] as const) {
    t.equal(await guess({ client_id: id, by: 'body', path }), 429, path)
  }
  t.equal(await guess({ client_id: `${id} ` }), 401, 'another client')
  t.equal(await readClient(storage, id), undefined)
})

forEachStorage('a request without a guess is not counted', async (t, start) => {
  const { ask } = await start()
  const harmless: [name: string, status: number, request: Request][] = [
    ['a right request', 200, {}],
    ['no grant type', 400, { client_secret: 'wrong', form: { grant_type: '' } }],
    ['another grant type', 400, { client_secret: 'wrong', form: { grant_type: 'password' } }],
    ['a right secret and a scope that cannot be had', 400, { form: { scope: 'admin' } }],
    ['two ways at once', 400, { client_secret: 'wrong', form: { client_secret: SECRET } }],
    ['Basic that is none', 401, { headers: { authorization: 'Basic ?' }, form: { client_id: 'service' } }],
    ['Basic that names nobody', 401, { client_id: '' }],
    ['nothing at all', 401, { by: 'none', client_id: '' }],
    ['no secret', 401, { by: 'none' }],
    ['an empty secret by Basic', 401, { client_secret: '' }],
    ['an empty secret in the body', 401, { by: 'body', client_secret: '' }],
    ['another scheme', 401, { by: 'none', headers: { authorization: 'Bearer x' } }],
    ['an unknown client without a secret', 401, { by: 'none', client_id: 'nobody' }],
    ['a public client that introspects', 401, { client_id: 'app', by: 'none', path: '/oauth2/introspect' }],
  ]
  for (const [name, status, request] of harmless) {
    for (let i = 0; i < MAX + 2; i += 1) t.equal((await ask(request)).status, status, name)
  }
})

forEachStorage('a public client cannot be locked out', async (t, start) => {
  const { ask, exhaust } = await start()
  await exhaust({ client_id: 'app' })
  t.equal((await ask({ client_id: 'app' })).status, 429, 'a request with a secret is refused')
  const revoke = { by: 'none', path: '/oauth2/revoke' } as const
  t.equal((await ask({ client_id: 'app', ...revoke })).status, 200, 'but it has none that could be guessed')
})
