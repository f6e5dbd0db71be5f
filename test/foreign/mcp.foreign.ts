// The TypeScript SDK of MCP, unpatched: its client gets into a server that is made with it and guarded by
// redmint/resource-server. Both are those of examples/mcp/.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { SILENT } from '../../src/core/log.ts'
import { getPublicly } from '../../src/outbound/public-get.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { openRedis } from '../../src/storage/redis/storage.ts'
import { type Person, setStage } from '../support/browser/stage.ts'
import { createCli, parsed } from '../support/cli/run-cli.ts'
import { startProgram } from '../support/example.ts'
import { isRefused } from '../support/half-sent.ts'
import { json, startDocumentHost } from '../support/outbound/document-host.ts'
import { freePort, run, TYPESCRIPT } from '../support/process.ts'
import { servePage } from '../support/serve-page.ts'
import { visit } from '../support/server.ts'
import { bearer } from '../support/service.ts'
import { until } from '../support/until.ts'
import { HERE } from './connected.ts'
import { answer, copyMcp, press } from './mcp.ts'

const RUNNER_NODE = '24.21.0'
const SCOPES = ['notes.read', 'notes.write']
const documents: Parameters<typeof startDocumentHost>[1] = {}
const host = await startDocumentHost(t, documents)
const stage = await setStage(t, {
  client_id_metadata: 'all',
  client_registration: 'open',
  self_registered_scopes: SCOPES,
  get_document: (url) => getPublicly(url, host.options),
})
const storage = openRedis({ kind: 'single', url: stage.redis.url }, new RedisKeys('redmint:'), SILENT)
const close = storage.close.bind(storage)
t.teardown(close)
const { redmint } = createCli({
  storage,
  environment: { REDIS_URL: stage.redis.url, ISSUER: stage.issuer },
})
const operate = async (...args: string[]) => {
  const result = await redmint([...args, '--json'])
  if (result.code !== 0) throw new Error(result.stderr || result.stdout)
  return parsed(result)
}

const folder = await copyMcp(t)
const mcpPort = await freePort()
const MCP_URL = `http://localhost:${mcpPort}/mcp`
const startServer = () => startProgram(t, folder, 'server.mjs', mcpPort, { ISSUER: stage.issuer })
await operate(
  'resource',
  'add',
  MCP_URL,
  '--name',
  'Notes',
  '--scope',
  SCOPES.join(' '),
  '--access-token-format',
  'jwt',
  '--access-token-ttl',
  '300',
)
let server = await startServer()

/** Starts the client on a port. */
async function startClient(t: Test, environment: Record<string, string>, port: number) {
  await startProgram(t, folder, 'client.mjs', port, { MCP_URL, ...environment })
  return `http://127.0.0.1:${port}`
}

/** Signs alice in, who comes from the client for the first time. */
async function signIn(person: Person, client: string, name: string) {
  await press(person, client, 'list_notes')
  await person.sees('Sign in')
  await person.signIn()
  await person.sees(`Allow ${name} to access your account?`)
  await person.press('allow')
  return answer(person, client)
}

t.test('a client that the operator registered', async (t) => {
  const port = await freePort()
  const refreshes = [
    '--grant-type',
    'authorization_code',
    '--grant-type',
    'refresh_token',
    '--refresh-tokens',
    'always',
  ]
  await operate(
    'client',
    'add',
    'notes',
    '--for',
    'mcp',
    '--name',
    'Notes',
    '--scope',
    SCOPES.join(' '),
    ...refreshes,
  )
  const client = await startClient(t, { CLIENT_ID: 'notes' }, port)
  const person = await stage.welcome()
  t.match(await signIn(person, client, 'Notes'), { user: 'sub-of-alice', notes: [] })

  await t.test('asks for another scope when a tool needs it', async (t) => {
    await press(person, client, 'add_note')
    await person.sees('Allow Notes to access your account?')
    await person.press('allow')
    t.match(await answer(person, client), { notes: ['Buy milk'] })
  })

  await t.test('goes on after the MCP server was away, without another sign-in', async (t) => {
    await server.stop()
    await press(person, client, 'list_notes')
    t.match(await answer(person, client), { error: 'fetch failed' })
    server = await startServer()
    await press(person, client, 'list_notes')
    t.match(await answer(person, client), { user: 'sub-of-alice', notes: [] })
  })
})

t.test('a client that describes itself by a client ID metadata document', async (t) => {
  const port = await freePort()
  const CLIENT_METADATA_URL = `${host.origin}/notes.json`
  const redirect_uris = [`http://127.0.0.1:${port}/callback`]
  documents['/notes.json'] = json({ client_id: CLIENT_METADATA_URL, client_name: 'Described', redirect_uris })
  const client = await startClient(t, { CLIENT_METADATA_URL }, port)
  const person = await stage.welcome()
  t.match(await signIn(person, client, 'Described'), { user: 'sub-of-alice' })
  await press(person, client, 'add_note')
  await person.sees('Allow Described to access your account?')
  await person.press('allow')
  t.match(await answer(person, client), { notes: ['Buy milk'] })
})

t.test('the example starts with one command, and its client registers itself', async (t) => {
  const [issuer, mcp, port] = [await freePort(), await freePort(), await freePort()]
  const own = await copyMcp(t, { 3000: issuer, 4000: mcp, 5000: port })
  const program = run(t, process.execPath, [TYPESCRIPT, 'start.mjs'], {}, own)
  t.ok(await program.prints(/The MCP client is at/), program.stderr)
  const client = `http://127.0.0.1:${port}`
  const person = await stage.welcome()
  await press(person, client, 'list_notes')
  await person.sees('Sign in')
  await person.signIn('alice', 'wonderland')
  await person.sees('Allow Notes client to access your account?')
  await person.press('allow')
  t.match(await answer(person, client), { notes: [] })
  await press(person, client, 'add_note')
  await person.sees('Allow Notes client to access your account?')
  await person.press('allow')
  t.match(await answer(person, client), { notes: ['Buy milk'] })
  t.match(await redmint(['mcp', 'doctor', `http://localhost:${mcp}/mcp`, '--json']).then(parsed), {
    warnings: 0,
  })
})

t.test('SIGTERM to `npm start` ends the example', async (t) => {
  const [issuer, mcp, port] = [await freePort(), await freePort(), await freePort()]
  const own = await copyMcp(t, { 3000: issuer, 4000: mcp, 5000: port })
  const npm = run(t, 'npm', ['start', '--ignore-scripts'], { NODE_OPTIONS: TYPESCRIPT }, own)
  t.ok(await npm.prints(/The MCP client is at/), npm.stderr)
  npm.stop()
  for (const one of [issuer, mcp, port]) await until('nothing listens', () => isRefused(one))
})

t.test('the client of the SDK in a page: everything over CORS', async (t) => {
  const entry = join(HERE, 'hosts/mcp-page/page.js')
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    write: false,
    define: { mcp_url: JSON.stringify(MCP_URL) },
  })
  const html = await readFile(join(HERE, 'hosts/mcp-page/index.html'), 'utf8')
  const origin = await servePage(t, html, { '/page.js': outputFiles[0]?.text ?? '' })
  const person = await stage.welcome()
  const { page } = person
  const shown = async (): Promise<object> => {
    await page.waitForURL((url) => url.origin === origin)
    await page.locator('pre', { hasText: '{' }).waitFor()
    return JSON.parse((await page.textContent('pre')) ?? '')
  }
  await page.goto(origin)
  await page.click('#list_notes')
  await person.sees('Sign in')
  await person.signIn()
  await person.sees('Allow Notes in a page to access your account?')
  await person.press('allow')
  t.match(await shown(), { user: 'sub-of-alice' })
  await page.reload()
  await page.click('#list_notes')
  t.match(await shown(), { user: 'sub-of-alice' }, 'without another sign-in')

  const { tokens } = JSON.parse(await page.evaluate('JSON.stringify(sessionStorage)'))
  const { refresh_token } = JSON.parse(tokens)
  // As if it had expired: the SDK refreshes it.
  await page.evaluate(`sessionStorage.tokens = JSON.stringify({
    ...JSON.parse(sessionStorage.tokens), access_token: 'expired' })`)
  await page.reload()
  await page.click('#list_notes')
  t.match(await shown(), { user: 'sub-of-alice' }, 'with a refreshed token')
  const after = JSON.parse(await page.evaluate('sessionStorage.tokens'))
  t.not(after.refresh_token, refresh_token)
  // Chromium reports each 401 and 405 of the MCP server as a failed load; CORS and its policy have other words.
  t.same(
    person.complaints.filter((text) => !/status of 40[1345]/.test(text)),
    [],
  )
})

t.test('with tokens that expire soon', async (t) => {
  await operate('resource', 'update', MCP_URL, '--access-token-ttl', '3')
  t.teardown(() => operate('resource', 'update', MCP_URL, '--access-token-ttl', '300'))

  await t.test('a client refreshes its token, and the user sees nothing of it', async (t) => {
    const client = await startClient(t, { CLIENT_ID: 'notes' }, await freePort())
    const person = await stage.welcome()
    await signIn(person, client, 'Notes')
    const tokens = () => stage.redis.cli('KEYS', 'redmint:token:*')
    const before = await tokens()
    await until('the client refreshes', async () => {
      await press(person, client, 'list_notes')
      t.match(await answer(person, client), { user: 'sub-of-alice' })
      return (await tokens()) !== before
    })
  })

  await t.test('a client whose registration is gone registers again', async (t) => {
    const client = await startClient(t, {}, await freePort())
    const person = await stage.welcome()
    const registered = async (): Promise<string[]> =>
      (await stage.redis.cli('KEYS', 'redmint:client:self-*')).match(/self-[\w-]+/g) ?? []
    const others = await registered()
    const own = async () => (await registered()).filter((id) => !others.includes(id))
    await signIn(person, client, 'Notes client')
    const [gone = ''] = await own()
    await operate('client', 'remove', gone, '--yes')
    await until('the user is asked again', async () => {
      await press(person, client, 'list_notes')
      return new URL(person.page.url()).origin === stage.issuer
    })
    await person.sees('Allow Notes client to access your account?')
    await person.press('allow')
    t.match(await answer(person, client), { user: 'sub-of-alice' })
    const again = await own()
    t.equal(again.length, 1)
    t.not(again[0], gone)
  })
})

t.test('a token for another resource is refused', async (t) => {
  const other = 'https://other.example.com/mcp'
  await operate('resource', 'add', other, '--scope', 'notes.read', '--access-token-format', 'jwt')
  const { client_secret } = await operate(
    ...['client', 'add', 'machine', '--for', 'machine', '--scope', 'notes.read'],
  )
  const issue = async (resource: string) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: 'machine',
      client_secret: String(client_secret),
    }
    const { json } = await visit(stage.issuer).token({ ...form, resource })
    return String(json.access_token)
  }
  await until('both resources are known', async () => (await issue(other)) !== 'undefined')
  const { get } = visit(new URL(MCP_URL).origin)
  t.equal((await get('/mcp', bearer(await issue(MCP_URL)))).status, 405, 'its own token opens the door')
  const { status, headers } = await get('/mcp', bearer(await issue(other)))
  t.equal(status, 401)
  t.match(headers.get('www-authenticate'), /resource_metadata="http.*error="invalid_token"/)
})

t.test('redmint mcp doctor finds nothing wrong', async (t) => {
  t.match(await redmint(['mcp', 'doctor', MCP_URL, '--json']).then(parsed), { problems: 0, warnings: 0 })
})

t.test('the scenarios for authorization servers of the conformance runner pass', async (t) => {
  await operate('client', 'add', 'runner', '--name', 'Runner', '--for', 'mcp', '--scope', SCOPES.join(' '))
  const port = await freePort()
  const [command = '', ...before] = nodeOfRunner()
  const runner = run(
    t,
    command,
    [
      ...before,
      join(HERE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
      'authorization',
      ...['--url', stage.issuer, '--client-id', 'runner', '--resource', MCP_URL, '--port', String(port)],
      ...['--spec-version', '2026-07-28'],
    ],
    { HOME: process.env.HOME ?? '' },
    folder,
  )
  t.ok(await runner.prints(/^http\S+authorize\?\S+$/m), `${runner.stdout}${runner.stderr}`)
  const [address = ''] = runner.stdout.match(/^http\S+authorize\?\S+$/m) ?? []
  const person = await stage.welcome()
  await person.page.goto(address)
  await person.sees('Sign in')
  await person.signIn()
  await person.sees('Allow Runner to access your account?')
  await person.press('allow')
  t.match(await runner.ended, { code: 0 }, runner.stdout)
  t.match(runner.stdout, /metadata-endpoint: 2 passed, 0 failed\n.*code-grant: 1 passed, 0 failed/)
})

/** The runner needs Node 22. */
function nodeOfRunner(): string[] {
  if (Number.parseInt(process.versions.node, 10) >= 22) return [process.execPath]
  return ['npm', 'exec', '--yes', `--package=node@${RUNNER_NODE}`, '--', 'node']
}
