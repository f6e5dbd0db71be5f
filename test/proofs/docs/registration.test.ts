// Runs the commands of docs/registration.md, unchanged, on a server with registration by anybody.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { FIRST_LIFETIME } from '../../../src/clients/registration/lifetime.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { nodeArgs } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { startReady } from '../../support/server.ts'

const PAGE = await readText('docs/registration.md')
const ROOT = process.cwd()

t.test('the commands of the page do what it says', async (t) => {
  const redis = await startRedis(t)
  const settings = { REDIS_URL: redis.url, CLIENT_REGISTRATION: 'open', DEMO: 'true' }
  const { port } = await startReady(t, settings)
  const ISSUER = `http://localhost:${port}`
  const bin = await mkdtemp(join(tmpdir(), 'redmint-'))
  t.teardown(() => rm(bin, { recursive: true }))
  const node = [process.execPath, ...nodeArgs('cli.ts')].join("' '")
  const command = `#!/bin/sh\ncd '${ROOT}' && exec '${node}' "$@"\n`
  await writeFile(join(bin, 'redmint'), command, { mode: 0o755 })
  let ran = 0
  const run = async (block: string | undefined, environment: Record<string, string>) => {
    if (block === undefined) throw new TypeError('the page has no such command')
    ran += 1
    const path = `${bin}${delimiter}${process.env.PATH}`
    const env = { ...process.env, ...settings, PATH: path, ISSUER, ...environment }
    return (await promisify(execFile)('sh', ['-euc', block], { env })).stdout
  }

  const [register, read, change, remove] = blocks(section(PAGE, 'Register, read, change, delete'), 'sh')
  const client = JSON.parse(await run(register, {}))
  t.match(client, { client_name: 'Notes', token_endpoint_auth_method: 'none', application_type: 'native' })
  const own = {
    CLIENT_ID: client.client_id,
    REGISTRATION_URI: client.registration_client_uri,
    REGISTRATION_TOKEN: client.registration_access_token,
  }
  t.same(JSON.parse(await run(read, own)).client_name, 'Notes')
  t.match(JSON.parse(await run(change, own)), {
    client_name: 'Better notes',
    grant_types: ['authorization_code'],
  })

  const [list, keep] = blocks(section(PAGE, 'For operators'), 'sh')
  const shown = await run(list, own)
  t.match(
    shown,
    /^self-\S+ +Better notes +public +authorization_code +active, registered itself, lapses \d{4}-/m,
  )
  t.match(shown, /^registration_token +set$/m)
  t.match(shown, /^lapses_at +\d{4}-/m)
  const key = `redmint:client:${client.client_id}`
  const left = Number(await redis.cli('TTL', key))
  t.ok(left > 0 && left <= FIRST_LIFETIME, `${left} seconds`)
  await run(keep, own)
  t.equal(Number(await redis.cli('TTL', key)), -1)
  t.equal(await run(remove, own), '')
  t.equal(Number(await redis.cli('EXISTS', key)), 0)

  const [invite, redeem] = blocks(section(PAGE, 'Invitations'), 'sh')
  const [, INVITATION = ''] = /^invitation +(\S+)$/m.exec(await run(invite, {})) ?? []
  const answers = [1, 2, 3].map(() => run(redeem, { INVITATION }))
  ran -= 2
  const errors = (await Promise.all(answers)).map((answer) => JSON.parse(answer).error)
  t.same(errors.sort(), ['invalid_token', undefined, undefined], 'two uses')
  t.equal(ran, PAGE.match(/^```sh$/gm)?.length, 'every command of the page is run here')
})
