import { decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
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
import { basic, CLIENTS } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

type Replica = ReturnType<typeof visit>

t.test('after a key rotation every replica accepts the tokens of every other', async (t) => {
  const redis = await startRedis(t)
  await registerClient(redis, { ...CLIENTS.service, access_token_format: 'jwt' })
  const replicas: Replica[] = await startReplicas(t, redis)
  const issued: string[] = []

  const issue = async (replica: Replica) => {
    const { json } = await replica.token({ grant_type: 'client_credentials' }, basic('service'))
    issued.push(String(json.access_token))
    return decodeProtectedHeader(String(json.access_token)).kid
  }
  /** Makes every replica sign a token, presents the tokens to every replica, and returns the signing keys. */
  const kids = async () => {
    const shown = issued.length
    const signed = await Promise.all(replicas.map(issue))
    const refused = await refusals(issued.slice(shown))
    t.same(refused, [])
    for (const replica of replicas) {
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
    const answers = await Promise.all(
      tokens.flatMap((token) => replicas.map((replica) => replica.api(token))),
    )
    return answers.filter(({ status }) => status !== 200)
  }

  const before = await kids()
  t.equal(before.size, 1)

  const config = readConfig({ REDIS_URL: redis.url })
  const storage = openStorage(config, pino({ level: 'silent' }))
  t.teardown(() => storage.close())
  await untilAllKeys(replicas)
  const usable = new Date(Date.now() + PUBLISH_LEAD * 1000)
  t.match(await rotateSigningKeys(storage.signing_keys, config.settings, usable), { outcome: 'rotated' })

  // It reads the key ring at start, and so signs with the new key before the others know of the rotation.
  replicas.push(await startReplica(t, redis))
  t.equal((await kids()).size, 2, 'the old key and the new one sign at the same time')

  let after = await kids()
  const oneKey = async () => {
    after = await kids()
    return after.size === 1
  }
  await until(`every replica has read the ring, as it does every ${RELOAD_INTERVAL} seconds`, oneKey, 1000)
  t.notSame(after, before)
  t.same(await refusals(issued), [], 'and everything that was ever issued is still good')
})
