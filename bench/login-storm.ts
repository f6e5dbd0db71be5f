// Compares the token endpoint alone and while 16 people repeat failed sign-ins, on one server with storage in memory, in
// turn, round by round; the ratio counts. Tokens are requested at a fixed rate, so that a server that falls behind shows
// in the latency. SERVER_CPUS=0,1 pins the server to these CPUs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon, { type Result } from 'autocannon'
import { SIGN_IN_QUERY, TOKEN_REQUEST } from './client.ts'

const PORT = 4450
const ISSUER = `http://127.0.0.1:${PORT}`
const ROUNDS = 9
const SECONDS = 2
const TOKEN_CONNECTIONS = 16
const TOKENS_PER_SECOND = 400
const PEOPLE = 16
// The sign-ins start before the measurement and end after it.
const MARGIN_SECONDS = 1

/** A sign-in page, and the form that a browser sends for a username. */
interface Form {
  cookie: string
  bodyFor(username: string): string
}

/** The tokens of a round, before, during and after the storm, and the sign-ins of the storm. */
interface Round {
  alone: Result
  stormy: Result
  again: Result
  storm: Result
}

const { SERVER_CPUS } = process.env
const program = [
  process.execPath,
  ...process.execArgv,
  fileURLToPath(new URL('servers/redmint.ts', import.meta.url)),
]
const [command = '', ...args] =
  SERVER_CPUS === undefined ? program : ['taskset', '-c', SERVER_CPUS, ...program]
const server = spawn(command, args, {
  env: {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(PORT),
    ISSUER,
    REDIS_URL: '',
    // Each of them fails again and again, from an address of its own.
    SIGN_IN_FAILURES: '1000000',
    TRUSTED_PROXIES: '127.0.0.1',
  },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
try {
  await once(server, 'message')
  const form = await openForm()
  const rounds: Round[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const alone = await askForTokens()
    const storm = tryPasswords(form)
    await new Promise((resolve) => setTimeout(resolve, (MARGIN_SECONDS * 1000) / 2))
    const found = { alone, stormy: await askForTokens(), storm: await storm, again: await askForTokens() }
    // The first round warms up.
    if (round > 0) rounds.push(found)
  }
  if (!(await answerTo(form)).includes('role="alert"')) throw new Error('no password was looked at')
  report(rounds)
} finally {
  server.kill()
}

async function openForm(): Promise<Form> {
  const request = await fetch(`${ISSUER}/oauth2/authorize?${SIGN_IN_QUERY}`, { redirect: 'manual' })
  const cookie = request.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const page = await fetch(new URL(request.headers.get('location') ?? '', ISSUER), { headers: { cookie } })
  const hidden = [...(await page.text()).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value])
  const bodyFor = (username: string) =>
    new URLSearchParams([...fields, ['username', username], ['password', 'a wrong password']]).toString()
  return { cookie, bodyFor }
}

/** The page after an attempt. */
async function answerTo({ cookie, bodyFor }: Form): Promise<string> {
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const body = bodyFor('somebody')
  const answer = await fetch(`${ISSUER}/oauth2/interaction`, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  })
  const page = await fetch(new URL(answer.headers.get('location') ?? '', ISSUER), { headers: { cookie } })
  return page.text()
}

function askForTokens(): Promise<Result> {
  return measured({
    url: `${ISSUER}/oauth2/token`,
    connections: TOKEN_CONNECTIONS,
    duration: SECONDS,
    overallRate: TOKENS_PER_SECOND,
    ...TOKEN_REQUEST,
  })
}

function tryPasswords({ cookie, bodyFor }: Form): Promise<Result> {
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  let people = 0
  return measured({
    url: `${ISSUER}/oauth2/interaction`,
    connections: PEOPLE,
    duration: SECONDS + MARGIN_SECONDS,
    method: 'POST',
    setupClient(client) {
      people += 1
      client.setHeadersAndBody(
        { ...headers, 'x-forwarded-for': `203.0.113.${people}` },
        bodyFor(`user-${people}`),
      )
    },
    expectBody: '',
  })
}

async function measured(options: autocannon.Options): Promise<Result> {
  const result = await autocannon(options)
  const bad = result['4xx'] + result['5xx'] + result.errors + result.timeouts + result.mismatches
  if (bad > 0) throw new Error(`${bad} answers of ${options.url} are not what is to be measured`)
  return result
}

function report(rounds: readonly Round[]): void {
  const attempts = median(rounds.map(({ storm }) => storm.requests.average))
  const where = SERVER_CPUS === undefined ? 'all CPUs' : `CPU ${SERVER_CPUS}`
  console.log(
    `Token endpoint, client_credentials by Basic, ${TOKENS_PER_SECOND}/s, alone and while ${PEOPLE} people try passwords (${attempts.toFixed(0)} attempts/s); server on ${where}, ${ROUNDS} rounds of ${SECONDS} s, Node ${process.version}`,
  )
  console.log(
    '| | alone | in the storm | ratio (min, median, max) | alone again: ratio |\n|---|---|---|---|---|',
  )
  for (const name of ['p50', 'p90', 'p99'] as const) {
    const of = (phase: keyof Round) => rounds.map((round) => round[phase].latency[name])
    const ratios = (phase: keyof Round) => {
      const sorted = rounds
        .map((round) => round[phase].latency[name] / round.alone.latency[name])
        .sort(ascending)
      return [sorted[0], median(sorted), sorted.at(-1)].map((ratio) => ratio?.toFixed(2)).join(', ')
    }
    console.log(
      `| ${name}, ms | ${median(of('alone'))} | ${median(of('stormy'))} | ${ratios('stormy')} | ${ratios('again')} |`,
    )
  }
}

function ascending(one: number, other: number): number {
  return one - other
}

function median(values: readonly number[]): number {
  return [...values].sort(ascending)[Math.floor(values.length / 2)] ?? Number.NaN
}
