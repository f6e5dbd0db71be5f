import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../../support/server.ts'
import { basic, bearer, CLIENTS, codeRequest, SECRET, VERIFIER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64')
const AUDIT_KEY = randomBytes(32).toString('base64')
const AUDIT_WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`
const REDIS_PASSWORD = 'the-password-of-redis'
const WRONG_SECRET = 'a-secret-of-somebody-else'
const WRONG_VERIFIER = `another-${VERIFIER}`

t.test(
  'no secret, code or token is logged, explained, in the audit trail or sent to its webhook, in whole flows, errors and outages',
  async (t) => {
    const redis = await startRedis(t, { args: ['--requirepass', REDIS_PASSWORD] })
    const cli = (...args: string[]) => redis.cli('--no-auth-warning', '-a', REDIS_PASSWORD, ...args)
    await registerClient({ cli }, CLIENTS.service)
    for (const access_token_format of ACCESS_TOKEN_FORMATS) {
      await registerClient({ cli }, { ...CLIENTS.app, client_id: access_token_format, access_token_format })
    }
    const webhook = await startWebhook(t)
    const program = await startReady(t, {
      REDIS_URL: redis.url.replace('://', `://:${REDIS_PASSWORD}@`),
      KEY_ENCRYPTION_KEY,
      AUDIT: 'on',
      AUDIT_KEY,
      AUDIT_WEBHOOK_URL: webhook.url,
      AUDIT_WEBHOOK_SECRET,
      DEMO: 'true',
      LOG_LEVEL: 'trace',
    })
    const { authorize, token, api, get } = visit(program.address)

    /** Sends a code and right and wrong secrets, and returns the tokens of the responses. */
    const tryAll = async (client_id: string, code: string) => {
      const service = { grant_type: 'client_credentials', client_id: 'service' }
      const answers = [
        await token(codeRequest(code, { client_id, code_verifier: WRONG_VERIFIER })),
        await token(codeRequest(code, { client_id })),
        await token({ ...service, client_secret: SECRET }),
        await token({ grant_type: 'client_credentials' }, basic('service')),
        await token({ ...service, client_secret: WRONG_SECRET }),
        await token({ grant_type: 'client_credentials' }, basic('service', WRONG_SECRET)),
        await token({ ...service, client_secret: WRONG_SECRET }, basic('service')),
        await token({ grant_type: 'password', username: 'alice', password: WRONG_SECRET }),
      ]
      const tokens = answers.flatMap(({ json }) => [json.access_token, json.refresh_token, json.id_token])
      return {
        statuses: answers.map(({ status }) => status),
        tokens: tokens.filter((value) => typeof value === 'string'),
      }
    }
    const show = async (token: string) => {
      await api(token)
      await get('/userinfo', bearer(token))
      await get(`/api/resource?access_token=${token}`)
    }

    const secrets = [
      REDIS_PASSWORD,
      KEY_ENCRYPTION_KEY,
      AUDIT_KEY,
      AUDIT_WEBHOOK_SECRET.slice(6),
      SECRET,
      WRONG_SECRET,
      VERIFIER,
    ]
    secrets.push(...[SECRET, WRONG_SECRET].map((secret) => basic('service', secret).authorization.slice(6)))
    for (const client_id of ACCESS_TOKEN_FORMATS) {
      const code = (await authorize({ client_id })).get('code') ?? ''
      const { statuses, tokens } = await tryAll(client_id, code)
      t.same(statuses, [400, 200, 200, 200, 401, 401, 400, 400])
      t.equal(tokens.length, 5)
      secrets.push(code, ...tokens)
      for (const secret of [code, ...tokens]) await show(secret)
      t.equal((await token(codeRequest(code, { client_id }))).status, 400, 'a replay')
    }

    const code = (await authorize({ client_id: 'opaque' })).get('code') ?? ''
    secrets.push(code)
    const told = await toldIn(cli)
    await until('the webhook got them', () => webhook.received().includes('client_auth_failed'))
    await redis.stop()
    t.match((await tryAll('opaque', code)).statuses, [503, 503], 'Redis is away')
    for (const secret of secrets.slice(-3)) await show(secret)
    await program.stop()

    t.match(program.stdout, '"path":"/oauth2/token"')
    const printed = program.stdout + program.stderr + told + webhook.received()
    for (const secret of secrets) {
      // Parts count as well: the secret part of a code or token, the signature of a JWT.
      for (const part of secret.split('.')) t.notOk(printed.includes(part), `${part} is not printed`)
    }
  },
)

/** A receiver of the audit trail. */
async function startWebhook(t: Test) {
  let received = ''
  const server = createServer(async (request, response) => {
    received += JSON.stringify(request.headers)
    for await (const chunk of request.setEncoding('utf8')) received += chunk
    response.end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, received: () => received }
}

/** What the audit trail, the explanations and the records of servers say, when all that happened is there. */
async function toldIn(cli: (...args: string[]) => Promise<string>): Promise<string> {
  const readers: Record<string, string[]> = {
    stream: ['XRANGE', '-', '+'],
    hash: ['HGETALL'],
    zset: ['ZRANGE', '0', '-1'],
  }
  const read = async () => {
    const keys = (await cli('KEYS', 'redmint:*'))
      .split('\n')
      .filter((key) => /:(audit|explanation|servers)/.test(key))
    const texts = keys.map(async (key) => {
      const [command = 'GET', ...rest] = readers[(await cli('TYPE', key)).trim()] ?? []
      return cli(command, key, ...rest)
    })
    return (await Promise.all(texts)).join('\n')
  }
  let told = ''
  await until('refusals are explained, and in the trail', async () => {
    told = await read()
    return told.includes('client_credentials_wrong') && told.includes('client_auth_failed')
  })
  return told
}
