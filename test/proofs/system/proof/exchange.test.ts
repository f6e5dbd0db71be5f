// Token exchange (RFC 8693) through three replicas: what was exchanged ends with its subject, also in the middle of a
// storm, and a lost answer gives nobody more.

import t, { type Test } from 'tap'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../../../src/config/environment.ts'
import { BILLING, exchangeAs, ORDERS, signInFor, storeChain } from '../../../support/exchange.ts'
import { type Lifecycle, startReplica } from '../../../support/lifecycle.ts'
import { FAULTS, type Fault, FaultProxy } from '../../../support/proof/fault-proxy.ts'
import { changeClient } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { redisStorage } from '../../../support/redis-storage.ts'
import type { Answer } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const ROUNDS = 10
const WIDTH = 50
const SCOPE = 'openid offline_access api.read api.write'

const redis = await startRedis(t)
let opened = 0

/** Starts a replica of a chain of APIs; those with a prefix share it. */
async function start(
  t: Test,
  format: AccessTokenFormat,
  prefix: string,
  url = redis.url,
): Promise<Lifecycle> {
  const storage = redisStorage(t, { url }, prefix)
  const options = { storage, access_token_format: format, bearer_check_revocation: true }
  const service = await startReplica(t, { open: () => storage }, options)
  await storeChain(storage)
  await changeClient(storage, 'web', { set: { allowed_scopes: SCOPE } })
  await until('the records are known', async () => {
    const { json } = await exchangeAs(
      service,
      'orders',
      (await signInFor(service, ORDERS, SCOPE)).access_token,
    )
    return json.access_token !== undefined
  })
  return service
}

const nextPrefix = () => {
  opened += 1
  return `exchange-${opened}:`
}

async function liveOf(service: Lifecycle, answers: readonly Answer[]): Promise<number> {
  const tokens = answers.flatMap(({ json }) => (json.access_token === undefined ? [] : [json.access_token]))
  const seen = await Promise.all(tokens.map((token) => service.introspect('gateway', String(token))))
  return seen.filter(({ json }) => json.active !== false).length
}

const ENDS: Readonly<
  Record<string, (service: Lifecycle, tokens: Awaited<ReturnType<typeof signInFor>>) => Promise<unknown>>
> = {
  'the subject token is revoked': async ({ revoke }, { access_token }) => {
    t.equal((await revoke('web', access_token)).status, 200)
  },
  'its refresh token is revoked': async ({ revoke }, { refresh_token }) => {
    t.equal((await revoke('web', refresh_token)).status, 200)
  },
  'an operator ends the sign-in': async ({ storage }, { refresh_token }) => {
    t.equal(await storage.families.endFamily(refresh_token.slice(0, 16), 60), 'ok')
  },
}

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`T9: a thousand exchanges, in the middle of which their subjects end, ${format}`, async (t) => {
    const prefix = nextPrefix()
    const replicas = [
      await start(t, format, prefix),
      await start(t, format, prefix),
      await start(t, format, prefix),
    ] as const
    let exchanged = 0
    const at = (i: number) => replicas[i % 3] ?? replicas[0]
    for (let round = 0; round < ROUNDS; round++) {
      const [how, end] = Object.entries(ENDS)[round % 3] ?? []
      if (how === undefined || end === undefined) throw new TypeError('there are three ways')
      const tokens = await signInFor(at(round), ORDERS, SCOPE)
      const answered: Answer[] = []
      const exchange = async (i: number) => {
        answered.push(await exchangeAs(at(i), 'orders', tokens.access_token))
      }
      const early = Array.from({ length: WIDTH }, (_, i) => exchange(i))
      await Promise.race(early)
      const ended = end(at(round + 1), tokens)
      const late = Array.from({ length: WIDTH }, (_, i) => exchange(i))
      await ended
      t.equal(await liveOf(at(round + 2), [...answered]), 0, `${how}: at once`)
      await Promise.all([...early, ...late])
      t.equal(await liveOf(at(round), answered), 0, `${how}: later`)
      exchanged += answered.filter(({ status }) => status === 200).length
      const after = await Promise.all(replicas.map((one) => exchangeAs(one, 'orders', tokens.access_token)))
      for (const { status, json } of after)
        t.strictSame([status, json.error], [400, 'invalid_request'], `${how}: nothing any more`)
    }
    t.ok(exchanged > 0, `${exchanged} were exchanged`)
  })
}

t.test('a lost answer gives another token, and never a wider one', async (t) => {
  const prefix = nextPrefix()
  const proxy = await FaultProxy.open(t, Number(new URL(redis.url).port))
  const service = await start(t, 'opaque', prefix, proxy.url)
  for (const fault of FAULTS) {
    for (let command = 1; command < 6; command++) {
      if (!(await meet(t, service, proxy, fault, command))) break
    }
  }
})

/** Exchanges a token while one command of it has a fault, until it succeeds. Returns whether there was such a command. */
async function meet(t: Test, service: Lifecycle, proxy: FaultProxy, fault: Fault, command: number) {
  const { families } = service.storage
  const what = `${fault}, command ${command}`
  const { access_token } = await signInFor(service, ORDERS, SCOPE)
  const exchange = () => exchangeAs(service, 'orders', access_token, { scope: 'api.read' })
  proxy.arm(fault, command, 1)
  let attempts = 1
  let answer = await exchange()
  const { length: met } = proxy.hit
  proxy.disarm()
  proxy.release()
  t.ok([200, 503].includes(answer.status), `${what}: ${answer.status} ${answer.text}`)
  await until('it succeeds', async () => {
    if (answer.status === 200) return true
    attempts += 1
    answer = await exchange()
    return answer.status === 200
  })
  const subject = await families.findToken(access_token)
  const derived = await families.readDerived(access_token.slice(0, 16))
  t.ok(derived.length >= 1 && derived.length <= attempts, `${what}: ${derived.length} of ${attempts}`)
  for (const { record } of derived) {
    t.match(record, { scope: 'api.read', audience: BILLING, client_id: 'orders' }, what)
    t.ok(Date.parse(record.expires_at ?? '') <= Date.parse(subject?.expires_at ?? '') + 1, what)
  }
  t.equal((await service.revoke('web', access_token)).status, 200)
  t.strictSame(await families.readDerived(access_token.slice(0, 16)), [], `${what}: all of them end`)
  return met > 0
}
