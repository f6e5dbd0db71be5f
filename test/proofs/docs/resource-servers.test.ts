// Runs the examples of docs/resource-servers.md, unchanged except for addresses, as processes beside a server.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { startExample } from '../../support/api-example.ts'
import { makeDpopKey, makeProof, sha256 } from '../../support/dpop.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { paste, REDMINT } from '../../support/paste.ts'
import { ROOT } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../support/server.ts'
import { basic, bearer, CLIENTS } from '../../support/service.ts'

const PAGE = await readText('docs/resource-servers.md')
const PACKAGE = section(PAGE, 'With `redmint/resource-server`')
const ALGS = 'algs="ES256 RS256 PS256 EdDSA Ed25519"'
const SCOPES = ['reports.read', 'other']

t.test('each example guards its route, and says who issues tokens', async (t) => {
  const redis = await startRedis(t)
  const issuer = (await startReady(t, { REDIS_URL: redis.url, DEMO: 'false' })).address.replace(
    '127.0.0.1',
    'localhost',
  )
  const commands = blocks(PACKAGE, 'sh').find((text) => text.startsWith('redmint resource')) ?? ''
  const added = await paste(t, `${REDMINT}\n${commands}`, { REDIS_URL: redis.url })
  const secret = /^client_secret +(\S{43})$/m.exec(added.stdout)?.[1] ?? ''
  t.not(secret, '', added.stderr)
  const formats = ['opaque', 'jwt'] as const
  for (const access_token_format of formats) {
    const client = {
      ...CLIENTS.service,
      client_id: access_token_format,
      allowed_scopes: SCOPES,
      access_token_format,
    }
    await registerClient(redis, client)
  }
  const issue = async (client: string, scope: string, resource: string) => {
    const form = { grant_type: 'client_credentials', scope, resource }
    return String((await visit(issuer).token(form, basic(client))).json.access_token)
  }

  const environment = { REDIS_URL: redis.url, NONCE_SECRET: 'n'.repeat(32) }
  const startOne = async (example = '') => {
    const packages = join(ROOT, 'node_modules')
    const started = await startExample(t, example, { issuer, secret, packages, environment })
    await redis.cli('HSET', `redmint:resource:${started.address}`, 'scopes', SCOPES.join(' '))
    return started
  }
  const [fastify, parts, plain, bound, certificates, acting, ...others] = blocks(PACKAGE, 'ts')
  t.match(certificates, /certificateOf/, 'tested with the option')
  t.match(acting, /acting: 'allow'/, 'tested with the option')
  t.same(others, [])
  for (const example of [fastify, plain]) {
    const { get, address } = await startOne(example)
    const metadata = await get('/.well-known/oauth-protected-resource')
    t.match(metadata.json, { resource: address, authorization_servers: [issuer] })
    const place = `resource_metadata="${address}/.well-known/oauth-protected-resource"`
    const without = await get('/reports')
    t.equal(without.status, 401)
    t.equal(
      without.headers.get('www-authenticate'),
      `Bearer ${place}, scope="reports.read", DPoP ${place}, ${ALGS}, scope="reports.read"`,
    )
    for (const format of formats) {
      const good = await get('/reports', bearer(await issue(format, 'reports.read', address)))
      t.same([good.status, JSON.parse(good.text)], [200, { user: '', client: format }], format)
      const lacking = await get('/reports', bearer(await issue(format, 'other', address)))
      t.same([lacking.status, lacking.json.error], [403, 'insufficient_scope'], format)
      t.match(lacking.headers.get('www-authenticate'), /, scope="reports\.read"$/)
    }
    t.equal((await get('/reports', bearer('unknown'))).status, 401)
  }

  const apart = await startOne(parts)
  const described = `${apart.address}/.well-known/oauth-protected-resource/v1`
  const metadata = await apart.get('/.well-known/oauth-protected-resource/v1')
  t.match(metadata.json, { resource: `${apart.address}/v1`, authorization_servers: [issuer] })
  const refused = await apart.get('/v1/reports')
  t.match(refused.headers.get('www-authenticate'), `Bearer resource_metadata="${described}"`)

  const { get, address } = await startOne(bound)
  const key = makeDpopKey()
  const iat = Math.floor(Date.now() / 1000)
  for (const format of formats) {
    const form = { grant_type: 'client_credentials', scope: 'reports.read', resource: address }
    const proof = makeProof(key, { htm: 'POST', htu: `${issuer}/oauth2/token`, iat })
    const { json } = await visit(issuer).token(form, { ...basic(format), dpop: proof })
    const token = String(json.access_token)
    const ask = (nonce?: string | null, jti: string = randomUUID()) => {
      const ath = sha256(token)
      const dpop = makeProof(key, { htm: 'GET', htu: `${address}/reports`, iat, ath, nonce, jti })
      return get('/reports', { authorization: `DPoP ${token}`, dpop })
    }
    const first = await ask()
    t.same([first.status, first.json.error], [401, 'use_dpop_nonce'], format)
    const nonce = first.headers.get('dpop-nonce')
    t.same((await ask(nonce, format)).json, { user: '', client: format })
    t.match((await ask(nonce, format)).json, { error: 'invalid_dpop_proof' })
    t.match((await get('/reports', bearer(token))).json, { error: 'invalid_token' })
    const unbound = await get('/reports', bearer(await issue(format, 'reports.read', address)))
    t.equal(unbound.status, 401)
  }
  t.match(await redis.cli('--scan', '--pattern', 'reports-proof:*'), /^reports-proof:[\w.-]{60}$/m)
  t.match((await get('/.well-known/oauth-protected-resource')).json, {
    dpop_bound_access_tokens_required: true,
  })
})
