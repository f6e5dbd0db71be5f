// Compares the token endpoint with another server and with a minimal one. All servers run at once and are loaded
// in turn, round by round, so that a slow machine affects all of them; the ratio counts.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { TOKEN_REQUEST } from './client.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const CONNECTIONS = 32

interface Candidate {
  name: string
  script: string
  environment?: Record<string, string>
}

const redis = process.env.REDIS_URL
const candidates: Candidate[] = [
  { name: 'peer: node-oidc-provider, memory, opaque', script: 'peer.js' },
  { name: 'floor: Fastify, fixed answer', script: 'floor.ts' },
  { name: 'redmint, memory, opaque', script: 'redmint.ts', environment: { REDIS_URL: '' } },
  {
    name: 'redmint, memory, JWT (ES256)',
    script: 'redmint.ts',
    environment: { REDIS_URL: '', ACCESS_TOKEN_FORMAT: 'jwt' },
  },
  ...(redis === undefined
    ? []
    : [
        {
          name: 'redmint, Redis, opaque',
          script: 'redmint.ts',
          environment: { REDIS_KEY_PREFIX: 'redmint-bench:' },
        },
      ]),
]

const servers = await Promise.all(candidates.map((candidate, index) => start(candidate, 4400 + index)))
try {
  const rates = candidates.map((): number[] => [])
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index] of candidates.entries()) {
      const rate = await measure(4400 + index)
      // The first round warms up.
      if (round > 0) rates[index]?.push(rate)
    }
  }
  report(rates)
} finally {
  for (const server of servers) server.kill()
}

async function start({ script, environment }: Candidate, port: number): Promise<ChildProcess> {
  const server = fork(new URL(`servers/${script}`, import.meta.url), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      ISSUER: `http://127.0.0.1:${port}`,
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(server, 'message')
  return server
}

async function measure(port: number): Promise<number> {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/oauth2/token`,
    connections: CONNECTIONS,
    duration: SECONDS,
    ...TOKEN_REQUEST,
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success and ${result.errors} were none at all`)
  }
  return result.requests.average
}

function report(rates: number[][]): void {
  const peer = rates[0] ?? []
  console.log(
    `client_credentials by Basic, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, Node ${process.version}`,
  )
  console.log(
    '| server | requests/s (median) | ratio to the peer, round by round (min, median, max) |\n|---|---|---|',
  )
  for (const [index, { name }] of candidates.entries()) {
    const own = rates[index] ?? []
    const ratios = own.map((rate, round) => rate / (peer[round] ?? Number.NaN)).sort((a, b) => a - b)
    const [low, high] = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2))
    console.log(`| ${name} | ${median(own).toFixed(0)} | ${low}, ${median(ratios).toFixed(2)}, ${high} |`)
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
