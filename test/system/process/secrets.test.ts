import { randomBytes } from 'node:crypto'
import t from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import { startRedis } from '../../support/redis-server.ts'
import { registerClient, startReady, visit } from '../../support/server.ts'
import { basic, bearer, CLIENTS, codeRequest, SECRET, VERIFIER } from '../../support/service.ts'

const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64')
const REDIS_PASSWORD = 'the-password-of-redis'
const WRONG_SECRET = 'a-secret-of-somebody-else'
const WRONG_VERIFIER = `another-${VERIFIER}`

t.test('no secret, code or token is logged in whole flows, errors and Redis outages', async (t) => {
  const redis = await startRedis(t, { args: ['--requirepass', REDIS_PASSWORD] })
  const cli = (...args: string[]) => redis.cli('--no-auth-warning', '-a', REDIS_PASSWORD, ...args)
  await registerClient({ cli }, CLIENTS.service)
  for (const access_token_format of ACCESS_TOKEN_FORMATS) {
    await registerClient({ cli }, { ...CLIENTS.app, client_id: access_token_format, access_token_format })
  }
  const program = await startReady(t, {
    REDIS_URL: redis.url.replace('://', `://:${REDIS_PASSWORD}@`),
    KEY_ENCRYPTION_KEY,
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

  const secrets = [REDIS_PASSWORD, KEY_ENCRYPTION_KEY, SECRET, WRONG_SECRET, VERIFIER]
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
  await redis.stop()
  t.match((await tryAll('opaque', code)).statuses, [503, 503], 'Redis is away')
  for (const secret of secrets.slice(-3)) await show(secret)
  await program.stop()

  t.match(program.stdout, '"path":"/oauth2/token"')
  const printed = program.stdout + program.stderr
  for (const secret of secrets) {
    // Parts count as well: the secret part of a code or token, the signature of a JWT.
    for (const part of secret.split('.')) t.notOk(printed.includes(part), `${part} is not printed`)
  }
})
