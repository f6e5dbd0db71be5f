import { createHash } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { PATHS } from '../../../../src/core/paths.ts'
import { rotateSigningKeys } from '../../../../src/keys/rotate.ts'
import { PUBLISH_LEAD, RELOAD_INTERVAL } from '../../../../src/keys/timing.ts'
import { openStorage } from '../../../../src/service/open-storage.ts'
import { startRedis } from '../../../support/redis-server.ts'
import {
  registerClient,
  startReplica,
  startReplicas,
  untilAllKeys,
  type visit,
} from '../../../support/server.ts'
import { basic, CLIENTS, codeRequest, SECRET } from '../../../support/service.ts'
import { stopwatch } from '../../../support/stopwatch.ts'
import { until } from '../../../support/until.ts'

type Replica = ReturnType<typeof visit>

async function assertSameDocuments(t: Test, replicas: readonly Replica[]) {
  await untilAllKeys(replicas)
  for (const path of [PATHS.jwks, PATHS.openid_configuration]) {
    const [one, ...others] = await Promise.all(replicas.map((replica) => replica.get(path)))
    t.equal(one?.status, 200)
    for (const other of others) t.equal(other.text, one?.text, path)
  }
}

const redis = await startRedis(t)
const replicas = await startReplicas(t, redis)
const [first, second, third] = replicas

t.test(
  'replicas that start together on an empty Redis agree on one key set, which is the one there',
  async (t) => {
    await assertSameDocuments(t, replicas)
    const { keys } = (await first.get(PATHS.jwks)).json as { keys: { kid: string }[] }
    const stored = (await redis.cli('HKEYS', 'redmint:signing-keys')).split('\n')
    t.same(keys.map(({ kid }) => kid).sort(), stored.sort())
  },
)

for (const access_token_format of ACCESS_TOKEN_FORMATS) {
  const client_id = `app-${access_token_format}`

  t.test(
    `authorize on one, redeem on another, call the API on the third, ${access_token_format}`,
    async (t) => {
      await registerClient(redis, { ...CLIENTS.app, client_id, access_token_format })
      const code = (await first.authorize({ client_id })).get('code') ?? ''

      const { status, json } = await second.token(codeRequest(code, { client_id }))

      t.equal(status, 200)
      t.match((await third.api(String(json.access_token))).json, { subject: 'alice' })
      t.match(await third.token(codeRequest(code, { client_id })), {
        status: 400,
        json: { error: 'invalid_grant' },
      })
    },
  )
}

t.test(
  'a code in concurrent requests to all replicas yields tokens once, and they are revoked',
  async (t) => {
    const client_id = 'app-opaque'
    const code = (await first.authorize({ client_id })).get('code') ?? ''

    const attempts = [...replicas, ...replicas, ...replicas].map((replica) =>
      replica.token(codeRequest(code, { client_id })),
    )
    const answers = await Promise.all(attempts)

    const [granted, ...more] = answers.filter(({ status }) => status === 200)
    t.equal(more.length, 0)
    t.equal(answers.filter(({ json }) => json.error === 'invalid_grant').length, answers.length - 1)
    const access_token = String(granted?.json.access_token)
    for (const replica of replicas) t.equal((await replica.api(access_token)).status, 401)
  },
)

t.test('a token that is revoked by hand is refused by every replica at once', async (t) => {
  const { access_token } = await first.signIn({ client_id: 'app-opaque' })
  for (const replica of replicas) t.equal((await replica.api(access_token)).status, 200)

  await redis.cli('HSET', `redmint:token:${access_token.replace(/^(.+)\./, '{$1}.')}`, 'revoked', 'true')

  for (const replica of replicas) t.equal((await replica.api(access_token)).status, 401)
})

t.test('a client record written by hand takes effect in every replica within a second', async (t) => {
  const key = 'redmint:client:by-hand'
  const digest = (secret: string) => createHash('sha256').update(secret).digest('base64')
  const ask = (secret = SECRET) =>
    Promise.all(
      replicas.map((replica) =>
        replica.token({ grant_type: 'client_credentials' }, basic('by-hand', secret)),
      ),
    )
  const statuses = async (secret?: string) => (await ask(secret)).map(({ status }) => status)
  const honoured = async (what: string, holds: () => Promise<boolean>) => {
    const elapsed = stopwatch()
    await until(what, holds)
    const took = elapsed()
    t.ok(took < 1000, `${what}: ${took} ms`)
  }
  const allAnswer = (expected: number, secret?: string) => async () =>
    (await statuses(secret)).every((status) => status === expected)

  t.same(await statuses(), [401, 401, 401], 'before')

  await redis.cli(
    ...['HSET', key, 'client_id', 'by-hand', 'client_secret_hash', digest(SECRET), 'client_name', 'By hand'],
    ...['redirect_uris', '', 'allowed_scopes', 'api.read api.write', 'is_public', 'false'],
    ...['grant_types', 'client_credentials'],
  )
  await honoured('a new client', allAnswer(200))

  await redis.cli('HSET', key, 'allowed_scopes', 'api.read')
  await honoured('a narrower scope', async () => (await ask()).every(({ json }) => json.scope === 'api.read'))

  await redis.cli('HSET', key, 'client_secret_hash', digest('another long secret'))
  await honoured('the old secret is worth nothing', allAnswer(401))
  t.same(await statuses('another long secret'), [200, 200, 200])

  await redis.cli('HSET', key, 'disabled', 'true')
  await honoured('a disabled client', allAnswer(401, 'another long secret'))
  await redis.cli('HDEL', key, 'disabled')
  await honoured('an enabled client', allAnswer(200, 'another long secret'))

  await redis.cli('DEL', key)
  await honoured('a removed client', allAnswer(401, 'another long secret'))
})

t.test('after a key rotation every replica accepts the tokens of every other', async (t) => {
  await registerClient(redis, { ...CLIENTS.service, access_token_format: 'jwt' })
  const all: Replica[] = [...replicas]
  const issued: string[] = []

  const issue = async (replica: Replica) => {
    const { json } = await replica.token({ grant_type: 'client_credentials' }, basic('service'))
    issued.push(String(json.access_token))
    return decodeProtectedHeader(String(json.access_token)).kid
  }
  /** Makes every replica sign a token, presents the tokens to every replica, and returns the signing keys. */
  const kids = async () => {
    const shown = issued.length
    const signed = await Promise.all(all.map(issue))
    const refused = await refusals(issued.slice(shown))
    t.same(refused, [])
    for (const replica of all) {
      const { keys } = (await replica.get('/.well-known/jwks.json')).json as { keys: { kid?: string }[] }
      const published = keys.map(({ kid }) => kid)
      t.same(
        signed.filter((kid) => !published.includes(kid)),
        [],
        'whatever signs is published',
      )
    }
    return new Set(signed)
  }
  const refusals = async (tokens: readonly string[]) => {
    const answers = await Promise.all(tokens.flatMap((token) => all.map((replica) => replica.api(token))))
    return answers.filter(({ status }) => status !== 200)
  }

  const before = await kids()
  t.equal(before.size, 1)

  const config = readConfig({ REDIS_URL: redis.url })
  const storage = openStorage(config, pino({ level: 'silent' }))
  t.teardown(() => storage.close())
  await untilAllKeys(all)
  const usable = new Date(Date.now() + PUBLISH_LEAD * 1000)
  t.match(await rotateSigningKeys(storage.signing_keys, config.settings, usable), { outcome: 'rotated' })

  // It reads the key ring at start, and so signs with the new key before the others know of the rotation.
  all.push(await startReplica(t, redis))
  // The others still sign with the old one, unless this one took longer to start than they wait.
  const signing = await kids()
  t.ok(
    [...signing].some((kid) => !before.has(kid)),
    'the new one signs',
  )

  let after = await kids()
  const oneKey = async () => {
    after = await kids()
    return after.size === 1
  }
  await until(`every replica has read the ring, as it does every ${RELOAD_INTERVAL} seconds`, oneKey, 1000)
  t.notSame(after, before)
  t.same(await refusals(issued), [], 'and everything that was ever issued is still good')
})

t.end()
