// The SDKs of MCP for TypeScript and Python, 1.x and the newest, unpatched: clients that docs/connect/mcp.md registers.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Person, setStage } from '../support/browser/stage.ts'
import { startProgram } from '../support/example.ts'
import { isRefused } from '../support/half-sent.ts'
import { freePort, run } from '../support/process.ts'
import { until } from '../support/until.ts'
import { commandOf, HERE, registerFor } from './connected.ts'
import { copyMcp } from './mcp.ts'

const stage = await setStage(t)
const redmint = commandOf(t, stage)
const mcpPort = await freePort()
const MCP_URL = `http://localhost:${mcpPort}/mcp`
const resource = [
  '--scope',
  'notes.read notes.write',
  '--access-token-format',
  'jwt',
  '--access-token-ttl',
  '3',
]
await redmint(['resource', 'add', MCP_URL, '--name', 'Notes', ...resource])
await startProgram(t, await copyMcp(t), 'server.mjs', mcpPort, { ISSUER: stage.issuer })

/** The answer of the tool. */
const SIGNED_IN = '"user":"sub-of-alice"'

/** A client that runs. */
interface McpClient {
  /** Calls a tool. Returns its answer, or where its user has to sign in first. */
  call(): Promise<string>
  /** The answer once the user has signed in there. */
  answer(person: Person): Promise<string>
}

/** The client of examples/mcp/. @param edits what the newest SDK calls otherwise */
async function inTypeScript(t: Test, client_id: string, edits: [from: string, to: string][] = []) {
  const folder = await copyMcp(t)
  const file = join(folder, 'client.mjs')
  let text = await readFile(file, 'utf8')
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`client.mjs has no ${from}`)
    text = text.replace(from, to)
  }
  await writeFile(file, text)
  const port = await freePort()
  await startProgram(t, folder, 'client.mjs', port, { MCP_URL, CLIENT_ID: client_id })
  const origin = `http://127.0.0.1:${port}`
  const client: McpClient = {
    async call() {
      const options = { method: 'POST', headers: { origin }, redirect: 'manual' } as const
      const answer = await fetch(`${origin}/call/list_notes`, options)
      return answer.headers.get('location') ?? shownIn(await answer.text())
    },
    async answer({ page }) {
      await page.waitForURL((url) => url.origin === origin)
      return shownIn(await page.content())
    },
  }
  return client
}

const shownIn = (html: string) => /<pre>([^<]*)/.exec(html)?.[1] ?? html

const V2: [string, string][] = [
  ["import { Client } from '@modelcontextprotocol/sdk/client/index.js'\n", ''],
  [
    "import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'",
    "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
  ],
  ['saveDiscoveryState(', 'discoveryState: () => kept.discovery,\n  saveDiscoveryState('],
  ['finishAuth(String(query.code))', 'finishAuth(new URLSearchParams(query))'],
]

/** @param packages the folder of the SDK */
async function inPython(t: Test, client_id: string, packages: string): Promise<McpClient> {
  const port = await freePort()
  const environment = {
    PYTHONPATH: join(HERE, 'node_modules', packages),
    PORT: String(port),
    MCP_URL,
    CLIENT_ID: client_id,
  }
  const program = run(t, 'python3', [join(HERE, 'hosts/mcp/client.py')], environment)
  await until('the client listens', async () => !(await isRefused(port)))
  let read = 0
  const line = async () => {
    const lines = () => program.stdout.split('\n').slice(0, -1)
    await until(
      'the client prints a line',
      () => {
        if (program.stderr.includes('Traceback')) throw new Error(program.stderr)
        return lines().length > read
      },
      300,
    )
    return lines()[read++] ?? ''
  }
  return {
    async call() {
      await fetch(`http://localhost:${port}/call`)
      return line()
    },
    answer: line,
  }
}

const CLIENTS: Record<string, { refreshes: boolean; start(t: Test, client_id: string): Promise<McpClient> }> =
  {
    'the TypeScript SDK 1.x': { refreshes: false, start: inTypeScript },
    'the TypeScript client 2.x': { refreshes: true, start: (t, client_id) => inTypeScript(t, client_id, V2) },
    'the Python SDK 1.x': { refreshes: false, start: (t, client_id) => inPython(t, client_id, '.mcp1') },
    'the Python SDK 2.x': { refreshes: true, start: (t, client_id) => inPython(t, client_id, '.mcp2') },
  }

for (const [name, { refreshes, start }] of Object.entries(CLIENTS)) {
  t.test(`${name}, with what its page registers`, async (t) => {
    const scope = ['--scope', 'openid offline_access notes.read notes.write']
    const anywhere = `http://localhost:${await freePort()}`
    const { client_id, settings } = await registerFor(t, stage, 'mcp', anywhere, scope)
    t.match(settings[0]?.text, `Client ID:            ${client_id}`)
    const client = await start(t, client_id)
    const alice = await stage.welcome()
    const address = await client.call()
    t.match(address, `${stage.issuer}/oauth2/authorize?`)
    await alice.page.goto(address)
    await alice.signIn()
    await alice.sees(`Allow ${client_id} to access your account?`)
    await alice.press('allow')
    t.match(await client.answer(alice), SIGNED_IN)

    const tokens = () => stage.redis.cli('KEYS', 'redmint:token:*')
    const first = await tokens()
    let asked = ''
    await until('the token expires', async () => {
      const answer = await client.call()
      if (answer.startsWith('http')) asked = answer
      else t.match(answer, SIGNED_IN)
      return asked !== '' || (await tokens()) !== first
    })
    t.equal(asked === '', refreshes, 'the user is asked again only where nothing refreshes')
    if (!refreshes) {
      await alice.page.goto(asked)
      await alice.sees(`Allow ${client_id} to access your account?`)
      await alice.press('allow')
      t.match(await client.answer(alice), SIGNED_IN)
    }

    // Who is disabled leaves when the token has expired.
    await redmint(['user', 'disable', 'alice'])
    await until('alice is out', async () => (await client.call()).startsWith('http'))
    await redmint(['user', 'enable', 'alice'])
  })
}
