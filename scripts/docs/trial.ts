import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Page } from './page.ts'

interface Trial {
  readonly folder: string
  /** Of npm, beside redmint. */
  readonly packages: readonly string[]
  /** What the server needs in its environment. */
  readonly settings: readonly string[]
}

/** What the first step of each way makes, by its page. */
const TRIALS: Readonly<Record<string, Trial>> = {
  'docs/acting.md': { folder: 'chain', packages: ['fastify'], settings: [] },
  'docs/start/protect-an-api.md': { folder: 'orders', packages: ['fastify'], settings: [] },
  'docs/start/sign-in-people.md': { folder: 'login', packages: [], settings: [] },
  'docs/start/connect-an-agent.md': {
    folder: 'tools',
    packages: ['@modelcontextprotocol/sdk@1', 'express', 'zod'],
    settings: [
      'CLIENT_REGISTRATION=open',
      'SELF_REGISTERED_SCOPES="openid profile email offline_access notes.read notes.write"',
    ],
  },
}

/** The first step of each way: a server in memory, in demo mode, which the command may change from this machine. */
export function makeTrial({ path }: Page): string {
  const trial = TRIALS[path]
  if (trial === undefined) throw new Error(`${path}: it has no server to try with`)
  const { folder, packages, settings } = trial
  return `\`\`\`sh
mkdir ${folder} && cd ${folder}
npm init --yes > npm.log
npm pkg set type=module
npm install ${['redmint', ...packages].join(' ')} >> npm.log
${[...settings, 'npx redmint serve > redmint.log 2>&1 &'].join(' ')}
echo $! > redmint.pid
curl --silent --retry 60 --retry-connrefused --retry-delay 1 http://localhost:3000/.well-known/openid-configuration
\`\`\`

\`\`\`text
{"issuer":"http://localhost:3000",…
\`\`\`

It keeps everything in memory, and takes commands of this machine without a sign-in: that is [demo
mode](${posix.relative(posix.dirname(path), 'docs/configuration.md')}), which no public server has. All of it is gone when it stops. \`redmint.log\` says what else there is to look at.`
}

/** The server of the example, as a file of the page. */
export async function makeMcpServer(): Promise<string> {
  const text = await readFile('examples/mcp/server.mjs', 'utf8')
  return `\`\`\`js\n${text}\`\`\``
}
