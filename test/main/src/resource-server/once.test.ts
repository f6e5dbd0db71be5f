// Tokens for something that counts once, at an API: it spends each as the last of its checks.
import t, { type Test } from 'tap'
import type { OAuthError } from '../../../../src/core/errors.ts'
import { createResourceServer, type OnceRule } from '../../../../src/resource-server/create.ts'
import {
  makeKey,
  signWith,
  startAuthorizationServer,
} from '../../../support/resource-server/authorization-server.ts'

const API = 'https://api.example.com'
const CREDENTIALS = { client_id: 'api', client_secret: 'secret', cache_seconds: 60 }

/** @param knows whether the issuer knows the parameter `spend` */
async function start(t: Test, once: OnceRule | undefined, knows = true) {
  const { issuer, state } = await startAuthorizationServer(t)
  const asked: string[] = []
  let left = 1
  const exp = Math.floor(Date.now() / 1000) + 600
  state.instead.set('/introspect', (_request, response, body) => {
    const spends = new URLSearchParams(body).get('spend') === 'true'
    asked.push(spends ? 'spend' : 'look')
    const is_active = !spends || !knows || left-- > 0
    const facts = { client_id: 'app', sub: 'alice', scope: 'mail.send', aud: API, exp, once: true }
    const answer = is_active
      ? { active: true, ...facts, ...(spends && knows && { spent: true }) }
      : { active: false }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const server = createResourceServer({
    ...{ issuer, resource: API, introspection: CREDENTIALS },
    ...(once && { once }),
  })
  const use = (token: string, scopes: readonly string[] = ['mail.send']) =>
    server
      .verify({ method: 'POST', url: '/', headers: { authorization: `Bearer ${token}` } }, { scopes })
      .then(
        ({ subject }) => subject,
        (error: OAuthError) => error.code,
      )
  const claims = { iss: issuer, aud: API, sub: 'alice', client_id: 'app', scope: 'mail.send', jti: 'jti' }
  const [key = makeKey('none')] = state.keys
  const jwt = signWith(key, { ...claims, iat: exp - 600, exp, once: true })
  return { use, asked, tokens: ['opaque', jwt] }
}

t.test('it is refused unless the API says that it spends such tokens', async (t) => {
  for (const once of [undefined, 'refuse'] as const) {
    const { use, tokens, asked } = await start(t, once)
    for (const token of tokens) t.equal(await use(token), 'invalid_token')
    t.notOk(asked.includes('spend'))
  }
  const options = { issuer: 'https://a.example', resource: API, once: 'spend' } as const
  t.throws(() => createResourceServer(options), /once needs introspection/)
})

t.test('C14: of 50 requests with it one passes', async (t) => {
  for (const kind of [0, 1]) {
    const { use, tokens } = await start(t, 'spend')
    const found = await Promise.all(Array.from({ length: 50 }, () => use(tokens[kind] ?? '')))
    t.equal(found.filter((one) => one === 'alice').length, 1)
    t.equal(found.filter((one) => one === 'invalid_token').length, 49)
  }
})

t.test('a request that is refused for another reason spends nothing', async (t) => {
  for (const kind of [0, 1]) {
    const { use, tokens, asked } = await start(t, 'spend')
    const token = tokens[kind] ?? ''
    t.equal(await use(token, ['mail.read']), 'insufficient_scope')
    t.notOk(asked.includes('spend'))
    t.equal(await use(token), 'alice')
    t.equal(await use(token), 'invalid_token', 'no answer is used again')
  }
})

t.test('an issuer that does not say that it was spent lets nobody pass', async (t) => {
  const { use, tokens } = await start(t, 'spend', false)
  for (const token of tokens) t.equal(await use(token), 'invalid_token')
})
