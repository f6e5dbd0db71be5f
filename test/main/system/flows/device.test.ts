// A device of another project, and the commands of docs/device.md, against a running server.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import type { SettingsFile } from '../../../../src/admin/connect/preset.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { userRecord } from '../../../support/accounts.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { answerDevice, openDevice } from '../../../support/device.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { blocks, readText } from '../../../support/markdown.ts'
import { jsonOf, paste } from '../../../support/paste.ts'
import { run } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { startReady, visit } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const PAGE = await readText('docs/device.md')
const [register = '', ask = '', poll = ''] = blocks(PAGE, 'sh')

const redis = await startRedis(t)
await redis.cli('HSET', 'redmint:user:alice', ...Object.entries(await userRecord('sub-of-alice')).flat())
const { port } = await startReady(t, { REDIS_URL: redis.url, DEVICE_INTERVAL: '1' })
const ISSUER = `http://localhost:${port}`

const visitor = () => visitorAt(ISSUER)

const storage = openRedis({ kind: 'single', url: redis.url }, new RedisKeys('redmint:'), SILENT)
const close = storage.close.bind(storage)
t.teardown(close)
const { redmint } = createCli({ storage, environment: { REDIS_URL: redis.url, ISSUER } })
const args = register.trim().split(' ').slice(1)
const { settings } = parsed<{ settings: SettingsFile[] }>(await redmint([...args, '--json']))

t.test('the commands of docs/device.md get the answers that it shows', async (t) => {
  t.equal(blocks(PAGE, 'sh').length, 3, 'each of them is run here')
  const [codes = {}, waiting = {}] = jsonOf({ stdout: blocks(PAGE, 'json').join('') })
  const asked = await paste(t, ask, { ISSUER })
  t.match(await asked.ended, { code: 0 }, asked.stderr)
  const [given = {}] = jsonOf(asked)
  t.strictSame(Object.keys(given), Object.keys(codes))
  t.equal(codes.expires_in, given.expires_in)
  t.match(given.user_code, /^[A-Z]{4}-[A-Z]{4}$/)
  const polled = await paste(t, poll, { ISSUER, DEVICE_CODE: String(given.device_code) })
  t.strictSame(jsonOf(polled), [waiting])
})

/** Runs the printed script, as a user starts it, and returns the address that it shows. */
async function startScript(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-device-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const { file, text } of settings) await writeFile(join(folder, file), text)
  const { PATH = '' } = process.env
  const device = run(t, 'sh', ['device.sh'], { PATH }, folder)
  const shown = () => /^Open (\S+) and enter (\S+)\n/.exec(device.stderr)
  await until('the device shows its code', async () => shown() !== null)
  const [, uri = '', code = ''] = shown() ?? []
  return { device, uri, complete: `${uri}?user_code=${code}` }
}

t.test('the script of `client add --for device` gets tokens', async (t) => {
  const { device, uri, complete } = await startScript(t)
  t.equal(uri, `${ISSUER}/device`)
  t.equal((await answerDevice(visitor(), complete)).title, 'The device is connected')
  t.match(await device.ended, { code: 0 }, device.stderr)
  const tokens = JSON.parse(device.stdout)
  t.match(tokens, { access_token: String, refresh_token: String, id_token: String })

  const sign_out = blocks(await readText('docs/connect/device.md'), 'sh').pop() ?? ''
  const variables = { ISSUER, CLIENT_ID: 'tv', REFRESH_TOKEN: tokens.refresh_token }
  const signed_out = await paste(t, sign_out, variables)
  t.match(await signed_out.ended, { code: 0 }, signed_out.stderr)
  const refresh = { grant_type: 'refresh_token', client_id: 'tv', refresh_token: tokens.refresh_token }
  t.match(await visit(ISSUER).token(refresh), { status: 400, json: { error: 'invalid_grant' } })
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  t.equal((await fetch(`${ISSUER}/userinfo`, { headers })).status, 401)
})

t.test('the script ends in words if the user refuses', async (t) => {
  const { device, complete } = await startScript(t)
  await answerDevice(visitor(), complete, 'deny')
  t.match(await device.ended, { code: 1 })
  t.match(device.stderr, 'The user did not allow this device.')
})

t.test(
  'the script waits longer where it is told to, past a proxy without an answer, and ends with its code',
  async (t) => {
    const answers = [
      [400, '{"error":"authorization_pending"}'],
      [400, '{"error":"slow_down"}'],
      [502, '<h1>Bad Gateway</h1>'],
      [503, '{"error":"temporarily_unavailable"}'],
      [400, '{"error":"expired_token","error_description":"The code has expired."}'],
    ] as const
    let asked = 0
    const server = createServer((request, response) => {
      const codes = '{"device_code":"a","user_code":"b","verification_uri":"https://c","interval":1}'
      const is_token = request.url === '/oauth2/token'
      const [status, text] = is_token ? (answers[asked] ?? [500, '{"error":"server_error"}']) : [200, codes]
      if (is_token) asked += 1
      response.writeHead(status).end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const folder = await mkdtemp(join(tmpdir(), 'redmint-device-'))
    t.teardown(() => rm(folder, { recursive: true }))
    for (const { file, text } of settings) {
      await writeFile(join(folder, file), text.replaceAll(ISSUER, `http://127.0.0.1:${port}`))
    }
    // A sleep that only notes how long.
    await writeFile(join(folder, 'sleep'), '#!/bin/sh\necho "$1" >> slept\n', { mode: 0o755 })
    const device = run(t, 'sh', ['device.sh'], { PATH: `${folder}:${process.env.PATH}` }, folder)
    t.match(await device.ended, { code: 1 })
    t.match(device.stderr, 'Nobody entered the code in time.')
    t.equal(device.stdout, '')
    t.equal(asked, answers.length)
    t.strictSame((await readFile(join(folder, 'slept'), 'utf8')).trim().split('\n'), [
      '1',
      '1',
      '6',
      '6',
      '6',
    ])
  },
)

t.test('openid-client', async (t) => {
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  const config = await client.discovery(new URL(ISSUER), 'tv', undefined, client.None(), { execute })
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid profile offline_access' })
  t.match(codes, { verification_uri: `${ISSUER}/device`, expires_in: 600, interval: 1 })
  const polling = client.pollDeviceAuthorizationGrant(config, codes)
  const alice = visitor()
  const asked = await openDevice(alice, codes.verification_uri_complete ?? '')
  t.match(asked.text, codes.user_code)
  await alice.submit(asked, { decision: 'allow' })
  const tokens = await polling
  t.match(tokens.claims(), { iss: ISSUER, sub: 'sub-of-alice', aud: 'tv' })
  t.match(await client.fetchUserInfo(config, tokens.access_token, 'sub-of-alice'), { sub: 'sub-of-alice' })
  const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  t.not(next.access_token, tokens.access_token)
})

t.test('openid-client is told that the user refused', async (t) => {
  const execute = [client.allowInsecureRequests]
  const config = await client.discovery(new URL(ISSUER), 'tv', undefined, client.None(), { execute })
  const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid' })
  const polling = client.pollDeviceAuthorizationGrant(config, codes)
  const refused = t.rejects(polling, { name: 'ResponseBodyError', error: 'access_denied' })
  const done = asPage(await answerDevice(visitor(), codes.verification_uri_complete ?? '', 'deny'))
  t.equal(done.title, 'The device is not connected')
  await refused
})
