// A client of another project that asks a person, and the commands of docs/asks.md, against a running server.
import * as client from 'openid-client'
import t from 'tap'
import { SILENT } from '../../../../src/core/log.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { userRecord } from '../../../support/accounts.ts'
import { answerFirst } from '../../../support/asks.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { blocks, readText } from '../../../support/markdown.ts'
import { jsonOf, paste } from '../../../support/paste.ts'
import { changeClient } from '../../../support/records.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { startReady } from '../../../support/server.ts'

const PAGE = await readText('docs/asks.md')
const [register = '', ask = '', poll = '', told = '', keys = ''] = blocks(PAGE, 'sh')

const redis = await startRedis(t)
const fields = { ...(await userRecord('sub-of-alice')), 'claim:groups': '["staff"]' }
await redis.cli('HSET', 'redmint:user:alice', ...Object.entries(fields).flat())
const { port } = await startReady(t, { REDIS_URL: redis.url, DEVICE_INTERVAL: '1', ASK_PEOPLE: 'on' })
const ISSUER = `http://localhost:${port}`
const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
const close = storage.close.bind(storage)
t.teardown(close)
const { redmint } = createCli({ storage, environment: { REDIS_URL: redis.url, ISSUER } })
const made = parsed<{ client_secret: string }>(
  await redmint([...register.trim().split(' ').slice(1), '--json']),
)
await changeClient(storage, 'bank', { set: { allowed_groups: 'staff' } })

t.test('the commands of docs/asks.md get the answers that it shows', async (t) => {
  t.equal(blocks(PAGE, 'sh').length, 5, 'each of them is run here')
  const [answer = {}, waiting = {}] = jsonOf({ stdout: blocks(PAGE, 'json').join('') })
  const asked = await paste(t, ask, { ISSUER, SECRET: made.client_secret })
  t.match(await asked.ended, { code: 0 }, asked.stderr)
  const [given = {}] = jsonOf(asked)
  t.strictSame(Object.keys(given), Object.keys(answer))
  t.equal(given.expires_in, answer.expires_in)
  const polled = await paste(t, poll, {
    ISSUER,
    SECRET: made.client_secret,
    AUTH_REQ_ID: String(given.auth_req_id),
  })
  t.strictSame(jsonOf(polled), [waiting])
  t.match(await redmint(told.trim().split(' ').slice(1)), { code: 0 })
  await redmint(['client', 'update', 'bank', '--ask-notification-endpoint', ''])
})

t.test('the key of docs/asks.md makes notices possible', async (t) => {
  const made = await paste(t, `${keys.trim()}; printf '%s' "$WEB_PUSH_PRIVATE_KEY"`, {})
  t.match(await made.ended, { code: 0 }, made.stderr)
  t.equal(Buffer.from(made.stdout, 'base64').length, 32)
})

t.test('openid-client asks, and gets tokens when the person has answered', async (t) => {
  const options = { execute: [client.allowInsecureRequests] }
  const config = await client.discovery(new URL(ISSUER), 'bank', made.client_secret, undefined, options)
  const started = await client.initiateBackchannelAuthentication(config, {
    scope: 'openid',
    login_hint: 'alice',
    binding_message: 'Order 17',
  })
  const alice = visitorAt(ISSUER)
  await signInOn(alice, await alice.page('/account'))
  const tokens = client.pollBackchannelAuthenticationGrant(config, started)
  t.match((await answerFirst(alice)).title, 'You said yes')
  t.match((await tokens).claims(), { sub: 'sub-of-alice', aud: 'bank' })
})
